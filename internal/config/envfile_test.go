package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe/problem"
)

// loadKeys writes text as the .env beside the user's own cookoff.toml, and reads both.
func loadKeys(t *testing.T, text string, mode os.FileMode, env ...string) (*Config, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "cookoff")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return Load(Options{Env: vars(env...), Home: home})
}

func TestKeysOfTheEnvFile(t *testing.T) {
	c, err := loadKeys(t,
		"# keys\n\nexport OPENAI_API_KEY = 'sk one'\r\nGROQ_API_KEY=gsk-two\nMISTRAL_API_KEY=\"three\"\n",
		0o600, "GROQ_API_KEY", "gsk-of-the-environment")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"OPENAI_API_KEY": "sk one", "GROQ_API_KEY": "gsk-of-the-environment",
		"MISTRAL_API_KEY": "three"} {
		if got := c.Secrets()[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if filepath.Base(c.KeyFile) != ".env" {
		t.Errorf("read from %q", c.KeyFile)
	}
}

// All that is wrong is said at once, by line, and no value with it.
func TestAWrongEnvFile(t *testing.T) {
	text := "OPENAI_API_KEY\nsk-secret-1 =x\nGROQ_API_KEY=two words secret\nGROQ_API_KEY=$secret\n" +
		"MISTRAL_API_KEY='secret\nXAI_API_KEY=\nOPENAI_API_KEY=secret\nOPENAI_API_KEY=secret\n"
	_, err := loadKeys(t, text, 0o644)
	want := []string{
		":1:1: this line has no =",
		":1:1: others may read or change this file (mode 0644), and it holds keys",
		":2:1: what stands before = is no name of a variable",
		":3:1: GROQ_API_KEY: the value holds blanks, quotes, # or what a shell would expand",
		":4:1: GROQ_API_KEY: the value holds blanks, quotes, # or what a shell would expand",
		":5:1: MISTRAL_API_KEY: a quote is not closed, or something stands behind it",
		":6:1: XAI_API_KEY: no value stands behind =",
		":8:1: OPENAI_API_KEY is set twice: in line 7, too",
	}
	ps, ok := err.(problem.List)
	if !ok || len(ps) != len(want) {
		t.Fatalf("%T: %v", err, err)
	}
	for i, p := range ps {
		if got := p.Pos.String() + ": " + p.Msg; !strings.HasSuffix(got, want[i]) {
			t.Errorf("problem %d is %q, want …%q", i, got, want[i])
		}
		if strings.Contains(p.Msg+p.Hint, "secret") {
			t.Errorf("problem %d holds a value: %v", i, p)
		}
	}
	_, err = loadKeys(t, "OPENAI_APIKEY=x\nabc123=\n", 0o600)
	if err == nil || strings.Contains(err.Error(), "no provider") {
		t.Errorf("names are looked at before lines are right: %v", err)
	}
	_, err = loadKeys(t, "OPENAI_APIKEY=x\nsk_abc123=y\n", 0o600)
	ps, ok = err.(problem.List)
	if !ok || len(ps) != 2 || ps[0].Msg != "no provider reads OPENAI_APIKEY" ||
		ps[0].Hint != "did you mean OPENAI_API_KEY?" || ps[1].Msg != "no provider reads what is set here" {
		t.Errorf("%v", err)
	}
}

// That of a project is nobody's own: not beside --config, and not in a directory
// that a relative path names.
func TestTheEnvFileOfAProject(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".env": "OPENAI_API_KEY=sk-of-the-project\n", "cookoff.toml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(Options{Path: filepath.Join(dir, "cookoff.toml"), Env: vars(), Home: t.TempDir()})
	if err != nil || c.KeyFile != "" || len(c.Secrets()) != 0 {
		t.Errorf("%v, from %q: %v", c.Secrets(), c.KeyFile, err)
	}
	t.Chdir(dir)
	if c, err = Load(Options{Env: vars("XDG_CONFIG_HOME", "."), Home: t.TempDir()}); err != nil ||
		len(c.Secrets()) != 0 {
		t.Errorf("%v: %v", c.Secrets(), err)
	}
}

func FuzzEnvFile(f *testing.F) {
	f.Add("A=1\nexport B='x y'\n# c\nD=\"q\"")
	f.Fuzz(func(t *testing.T, text string) {
		keys, problems := parseEnv(".env", text)
		for name, value := range keys.values {
			if value == "" || !envWord.MatchString(name) {
				t.Errorf("%q is %q", name, value)
			}
		}
		for _, p := range problems {
			if p.Pos.Line < 1 || p.Msg == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}
