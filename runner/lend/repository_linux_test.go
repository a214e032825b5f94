package lend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestRepository: a repository overlooks what is given while it is there, and has what its
// contestant told it afterwards; whatever was made of it, nothing fails.
func TestRepository(t *testing.T) {
	backend := native.New(native.Options{})
	if err := backend.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	project := t.TempDir()
	for name, text := range map[string]string{"AGENTS.md": "ours\n", "gone": "x\n"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	made := exec.Command("sh", "-c", "git init -q && git add -A && rm gone && printf 'theirs' > .git/info/exclude")
	made.Dir = project
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := func(p string) sandbox.Item { return sandbox.Item{Path: p, Mode: 0o600, Data: []byte("given " + p)} }
	const look = "; git status --porcelain; git ls-files -v | grep -v ^H; cat .git/info/exclude; echo"
	for _, c := range []struct{ name, script, want string }{
		{"nothing", ":", "S gone\ntheirs\n"},
		{"a line of its own", "echo own >> .git/info/exclude", "S gone\ntheirs\nown\n\n"},
		{"another first line", "sed -i 1s/theirs/own/ .git/info/exclude", "S gone\nown\n"},
		{"an exclude of its own", "echo own > .git/info/exclude", "S gone\nown\n\n"},
		{"none any more", "rm -r .git/info", "S gone\n\n"},
		{"a link", "rm -r .git/info; ln -s /etc .git/info", "S gone\n\n"},
		{"an index that is none", "echo x > .git/index", "theirs\n"},
		{"another repository", "rm -rf .git; git init -q; rm .git/info/exclude", "?? AGENTS.md\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sb, err := backend.Open(t.Context(), sandbox.Spec{Project: project})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			if err := Unseen(t.Context(), sb, []string{"gone"}); err != nil {
				t.Fatal(err)
			}
			loan, err := Give(t.Context(), sb, []sandbox.Item{file("AGENTS.md"), file("odd [a*] name")})
			if err != nil {
				t.Fatal(err)
			}
			ran := func(script string) string {
				r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
				if err != nil {
					t.Fatal(err)
				}
				return string(r.Stdout)
			}
			if said := ran("git status --porcelain | grep -v '^A  '"); said != "" {
				t.Errorf("git tells of what was given: %s", said)
			}
			ran(c.script)
			if err := loan.TakeBack(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(ran(":"+look), "A  AGENTS.md\nA  gone\n"); got != c.want {
				t.Errorf("it has\n%s, want\n%s", got, c.want)
			}
		})
	}
}
