package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/model/wire"
)

// load writes text as the user's file and reads it with the variables given
// as pairs.
func load(t *testing.T, text string, env ...string) (*Config, error) {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, ".config", "cookoff", "cookoff.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(Options{Env: vars(env...), Home: home})
}

func must(t *testing.T, text string, env ...string) *Config {
	t.Helper()
	c, err := load(t, text, env...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func vars(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func ask(t *testing.T, c *Config, id string) (*model.Reply, error) {
	t.Helper()
	chat, err := c.Chat(id)
	if err != nil {
		t.Fatal(err)
	}
	limit := 7
	return chat.Generate(t.Context(), &model.Request{Messages: []model.Message{{Role: model.User, Content: "hi"}},
		Params: model.Params{MaxTokens: &limit}})
}

// server answers everything, and tells what it was asked.
func server(t *testing.T) *openaitest.Server {
	s := openaitest.NewFunc(func(int, *openaitest.Request) openaitest.Step { return openaitest.Text("hello") })
	t.Cleanup(s.Close)
	return s
}

func TestBuiltinProviders(t *testing.T) {
	c := must(t, "", "GROQ_API_KEY", "gsk-0123456789")
	byName := map[string]Provider{}
	for _, p := range c.Providers() {
		byName[p.Name] = p
	}
	want := []Provider{
		{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY", HasKey: true, Ready: true,
			Builtin: true, Slots: 8},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Ready: true, Builtin: true, Slots: 2, Local: true},
		{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY",
			Why: "the variable OPENAI_API_KEY is not set", Unset: true, Builtin: true, Slots: 8},
	}
	for _, w := range want {
		if d := cmp.Diff(w, byName[w.Name]); d != "" {
			t.Errorf("provider (-want +got):\n%s", d)
		}
	}
	if d := cmp.Diff(map[string]string{"GROQ_API_KEY": "gsk-0123456789"}, c.Secrets()); d != "" {
		t.Errorf("secrets (-want +got):\n%s", d)
	}
	for _, id := range []string{"groq/llama", "openrouter/meta/llama-3:free", "ollama/qwen"} {
		_, err := c.Chat(id)
		if auth := new(model.AuthError); id[0] == 'o' && id[1] == 'p' != errors.As(err, &auth) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestAsksWhereItShould: the model's own name, the key and the headers reach
// the provider's server as set up.
func TestAsksWhereItShould(t *testing.T) {
	s := server(t)
	c := must(t, `
[providers.acme]
base_url = "`+s.URL+`"
api_key_env = "ACME_KEY"
stream = true
stream_usage = false
max_tokens_field = "max_completion_tokens"
headers = { X-Title = "mine" }
timeout = 30
idle_timeout = "5s"
`, "ACME_KEY", " acme-0123456789\n")
	if _, err := ask(t, c, "acme/a/b:c"); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if want := oneline.Of(`{"model":"a/b:c","messages":[{"role":"user","content":"hi"}],
		"max_completion_tokens":7,"stream":true}`); string(r.Body) != want {
		t.Errorf("asked %s", r.Body)
	}
	if r.Header.Get("Authorization") != "Bearer acme-0123456789" || r.Header.Get("X-Title") != "mine" {
		t.Errorf("headers %v", r.Header)
	}
}

func TestBaseURLOfTheEnvironment(t *testing.T) {
	s := server(t)
	c := must(t, "[providers.openai]\nstream = true", "OPENAI_BASE_URL", s.URL)
	r, err := ask(t, c, "openai/gpt-4o") // on this machine: no key is needed
	if err != nil || r.Message.Content != "hello" {
		t.Fatalf("%+v, %v", r, err)
	}
	req := s.Requests()[0]
	if want := oneline.Of(`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"max_tokens":7,
		"stream":true,"stream_options":{"include_usage":true}}`); string(req.Body) != want {
		t.Errorf("asked %s", req.Body)
	}
	if req.Header.Values("Authorization") != nil {
		t.Errorf("sent %v", req.Header)
	}
	c = must(t, "", "OPENAI_BASE_URL", s.URL, "OPENAI_API_KEY", "sk-0123456789")
	if _, err := ask(t, c, "openai/gpt-4o"); err != nil ||
		s.Requests()[1].Header.Get("Authorization") != "Bearer sk-0123456789" {
		t.Errorf("sent %v: %v", s.Requests()[1].Header, err)
	}
	// A server that the user's own file names is not moved by the environment.
	c = must(t, "[providers.openai]\nbase_url = \""+s.URL+"\"", "OPENAI_BASE_URL", "https://elsewhere.example")
	if _, err := ask(t, c, "openai/gpt-4o"); err != nil || len(s.Requests()) != 3 {
		t.Errorf("%d requests: %v", len(s.Requests()), err)
	}
}

func TestChatErrors(t *testing.T) {
	check := func(id, want string, env ...string) {
		t.Helper()
		c := must(t, "[providers.acme]\nbase_url = \"https://acme.example/v1\"\napi_key_env = \"ACME_KEY\"", env...)
		_, err := c.Chat(id)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", id, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "sk-0123456789") {
			t.Errorf("error holds the key: %v", err)
		}
	}
	check("gpt-4o", "model \"gpt-4o\" is no provider/model\nhint: name the provider first")
	check("openai/", "is no provider/model")
	check("/gpt", "is no provider/model")
	check("openai/ gpt", "holds blanks")
	check("openai/gpt\x1b[31m", `model "openai/gpt\x1b[31m" holds blanks or control characters`)
	check("opnai/gpt-4o",
		"no provider is called \"opnai\"\nhint: did you mean \"openai/gpt-4o\"? known: baseline, acme, anthropic,")
	check("nothinglikeit/x", "others go as [providers.nothinglikeit] into ~/.config/cookoff/cookoff.toml")
	check("baseline/oracel", "is a baseline")
	check("acme/x",
		"model \"acme/x\": the variable ACME_KEY is not set\n"+
			"hint: set it to your key, in the environment or in .env beside your cookoff.toml, or name another "+
			"variable as api_key_env of [providers.acme]")
	check("acme/x", "the variable ACME_KEY is not set", "ACME_KEY", " \n")
	check("openai/x", "the variable OPENAI_BASE_URL: base_url \"http://10.0.0.1/v1\" is not https", "OPENAI_BASE_URL",
		"http://10.0.0.1/v1", "OPENAI_API_KEY", "sk-0123456789")
	check("openai/x", "the variable OPENAI_BASE_URL: base_url holds a user", "OPENAI_BASE_URL",
		"https://u:sk-0123456789@h/v1", "OPENAI_API_KEY", "k")
	check("openai/x", "is no http or https URL", "OPENAI_BASE_URL", "api.example/v1", "OPENAI_API_KEY", "sk-0123456789")
}

func TestWhereTheFileIs(t *testing.T) {
	home, xdg := t.TempDir(), t.TempDir()
	write := func(path, provider string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[providers."+provider+"]\nbase_url = \"https://x.example\""),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	atHome, atXDG, named := filepath.Join(home, ".config/cookoff/cookoff.toml"), filepath.Join(xdg,
		"cookoff/cookoff.toml"), filepath.Join(home, "my.toml")
	write(atHome, "athome")
	write(atXDG, "atxdg")
	write(named, "named")
	t.Chdir(home) // a project: its file is nobody's configuration
	write(filepath.Join(home, "cookoff.toml"), "project")
	write(filepath.Join(home, "cookoff", "cookoff.toml"), "project")
	check := func(o Options, path, provider string) {
		t.Helper()
		c, err := Load(o)
		if err != nil {
			t.Fatal(err)
		}
		var own []string
		for _, p := range c.Providers() {
			if !p.Builtin {
				own = append(own, p.Name)
			}
		}
		if c.Path != path || strings.Join(own, " ") != provider {
			t.Errorf("read %q with %q, want %q with %q", c.Path, own, path, provider)
		}
	}
	check(Options{Env: vars(), Home: home}, atHome, "athome")
	check(Options{Env: vars("XDG_CONFIG_HOME", xdg), Home: home}, atXDG, "atxdg")
	check(Options{Env: vars("XDG_CONFIG_HOME", "."), Home: home}, atHome, "athome")
	check(Options{Env: vars("XDG_CONFIG_HOME", xdg), Home: home, Path: named}, named, "named")
	check(Options{Env: vars(), Home: xdg}, "", "")
	check(Options{Env: vars()}, "", "")
	if _, err := Load(Options{Env: vars(), Home: home, Path: "none.toml"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestAddressFromTheEnvironment: a provider without an address of its own says
// which variable has it, and then is like any other.
func TestAddressFromTheEnvironment(t *testing.T) {
	azure := func(env func(string) string) (Provider, error) {
		t.Helper()
		c, err := Load(Options{Env: env, Home: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Chat("azure/gpt-5")
		for _, p := range c.Providers() {
			if p.Name == "azure" {
				return p, err
			}
		}
		t.Fatal("no azure")
		return Provider{}, nil
	}
	if p, err := azure(vars()); err == nil || p.Ready || p.Why != "the variable AZURE_OPENAI_BASE_URL is not set" {
		t.Errorf("nothing set: %+v, %v", p, err)
	}
	where := "https://mine.openai.azure.com/openai/v1"
	if p, err := azure(vars("AZURE_OPENAI_BASE_URL", where)); err == nil || p.Ready ||
		p.Why != "the variable AZURE_OPENAI_API_KEY is not set" {
		t.Errorf("no key: %+v, %v", p, err)
	}
	if p, err := azure(vars("AZURE_OPENAI_BASE_URL", where, "AZURE_OPENAI_API_KEY", "0123456789")); err != nil ||
		!p.Ready || p.BaseURL != where {
		t.Errorf("both: %+v, %v", p, err)
	}
	if p, err := azure(vars("AZURE_OPENAI_BASE_URL", "http://elsewhere.example", "AZURE_OPENAI_API_KEY",
		"0123456789")); err == nil || !strings.Contains(p.Why, "is not https") {
		t.Errorf("in the clear: %+v, %v", p, err)
	}
}

// TestSlots: a number of the file's own, one of the built-in table, and the
// default; what is no number of requests is refused.
func TestSlots(t *testing.T) {
	c := must(t, "[providers.groq]\nconcurrency = 3\n[providers.mine]\nbase_url = \"http://127.0.0.1:9/v1\"")
	for name, want := range map[string]int{"groq": 3, "mine": 8, "openai": 8, "llamacpp": 1, "unheard": 0} {
		if got := c.Slots(name); got != want {
			t.Errorf("%s: %d slots, want %d", name, got, want)
		}
	}
	for _, n := range []string{"0", "-1", "28001"} {
		_, err := load(t, "[providers.groq]\nconcurrency = "+n)
		if err == nil || !strings.Contains(err.Error(), "cookoff.toml:2:1: concurrency is "+n+", want 1 to 28000") {
			t.Errorf("concurrency %s: %v", n, err)
		}
	}
}

func TestToolPathsAndPrices(t *testing.T) {
	c := must(t, `
[sandbox]
tool_paths = ["/opt/tools/", "~/bin"]
image = "golang:1"
guest = "~/bin/../guest"
[prices."openai/gpt-4o"]
input = 1
output = 2.5
`)
	if d := cmp.Diff([]string{"/opt/tools", filepath.Join(c.home, "bin")}, c.ToolPaths); d != "" {
		t.Errorf("tool paths (-want +got):\n%s", d)
	}
	if want := filepath.Join(c.home, "guest"); c.Image != "golang:1" || c.Guest != want {
		t.Errorf("image %q, guest %q, want golang:1 and %q", c.Image, c.Guest, want)
	}
	if _, err := load(t, "[sandbox]\nguest = \"guest\""); err == nil || !strings.HasSuffix(err.Error(),
		`cookoff.toml:2:1: guest is "guest", want a file from / or ~/`) {
		t.Error(err)
	}
	if usd, ok := c.Prices().Cost("openai/gpt-4o", model.Usage{Input: 1e6, Output: 1e6, Known: true}); !ok ||
		usd != 3.5 {
		t.Errorf("costs %v %v", usd, ok)
	}
}

// TestProblems: everything wrong with a file is told at once, with its place,
// and nothing that may be a key is repeated.
func TestProblems(t *testing.T) {
	text := `# mine
[provider.acme]
base_url = "https://acme.example"

[providers.a]
base_url = "http://10.1.2.3/v1"
api_key_env = "sk-0123456789"
max_tokens_field = "tokens"
headers = {
  "X-Api-Key" = "sk-0123456789",
}
sream = true

[providers.b]
api_key = "sk-0123456789"
timeout = "-5s"

[providers."c/d"]
base_url = "https://x.example/v1/chat/completions"

[sandbox]
tool_paths = ["/ok", "bin", "/tmp/", "/", "/tmp/ok"]
tools = []

[prices."x/y"]
input = 1
`
	_, err := load(t, text)
	if err == nil {
		t.Fatal("no error")
	}
	const keys = "base_url, base_url_env, api_key_env, stream, stream_usage, max_tokens_field, timeout, idle_timeout, " +
		"insecure, headers, idempotency_header, concurrency, dialect"
	const sections = "providers, sandbox, prices, models, agents, recipes, hosts, confirm_above_usd"
	const inIt = "name the directory in it that holds the programs"
	const want = `cookoff.toml:2:2: unknown key provider, allowed: ` + sections + `
  hint: did you mean "providers"?
cookoff.toml:6:1: base_url "http://10.1.2.3/v1" is not https
  hint: key and conversation would go over the network in the clear; insecure = true beside base_url in your own cookoff.toml allows it
cookoff.toml:7:1: api_key_env is not the name of a variable
  hint: a key itself stands in the environment alone
cookoff.toml:8:1: max_tokens_field is "tokens", want max_tokens or max_completion_tokens
cookoff.toml:9:1: the header "X-Api-Key" looks like a key
  hint: name the variable of a key as api_key_env: a key in a file is not kept out of records
cookoff.toml:12:1: unknown key sream, allowed: ` + keys + `
  hint: did you mean "stream"?
cookoff.toml:14:12: base_url is missing
cookoff.toml:15:1: unknown key api_key, allowed: ` + keys + `
  hint: name the variable that holds the key as api_key_env
cookoff.toml:16:1: timeout is -5s, want 0 or more
cookoff.toml:18:13: no provider can be called "c/d"
  hint: a name has no / and no space in it, and is not baseline
cookoff.toml:19:1: base_url "https://x.example/v1/chat/completions" goes too far
  hint: leave out /chat/completions
cookoff.toml:22:1: tool_paths holds "bin", want a directory from / or ~/
cookoff.toml:22:1: tool_paths holds "/tmp/", which would hide the sandbox's own /tmp: ` + inIt + `
cookoff.toml:22:1: tool_paths holds "/", which would hide the sandbox's own /etc: ` + inIt + `
cookoff.toml:23:1: unknown key tools, allowed: tool_paths, backend, image, guest
cookoff.toml:25:10: the price of "x/y" lacks output`
	var got strings.Builder
	for line := range strings.Lines(err.Error()) {
		if i := strings.Index(line, "cookoff.toml:"); i >= 0 && strings.HasPrefix(line, "/") {
			line = line[i:]
		}
		got.WriteString(line)
	}
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
}

func TestBrokenFiles(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := load(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	check("[providers.a\nbase_url=1", "cookoff.toml:2:13: expected")
	check("[providers.a]\nbase_url = 1",
		"cookoff.toml:2:1: providers.a.base_url wants a text in quotes, found a whole number")
	check("[providers.a]\nbase_url = [1]", "base_url wants a text in quotes, found a list in [ ]")
	check("[providers.a]\nstream = \"yes\"", "stream wants true or false, found a text in quotes")
	check("[providers.a]\nconcurrency = \"9\"", "concurrency wants a whole number, found a text in quotes")
	check("providers = 3", "cookoff.toml:1:1: providers wants a table, found a whole number")
	check("prices = []", "prices wants a table, found a list in [ ]")
	check("[providers]\na = 3", "providers.a wants a table, found a whole number")
	check("[providers.a]\nbase_url = \"https://a.example\"\nheaders = \"x\"",
		"headers wants a table, found a text in quotes")
	check("sandbox = true", "sandbox wants a table, found true or false")
	check("[providers.a]\nbase_url = \"https://a.example\"\ntimeout = \"soon\"", "no duration")
	check("[providers.a]\nbase_url = \"https://a.example\"\ntimeout = 1.5", "no duration")
	check("[providers.a]\nbase_url = \"https://a.example\"\ntimeout = -1", "out of range")
	check("[providers.a]\nbase_url = \"https://a.example\"\n[providers.a]\n", "cookoff.toml:3:")
	check("[prices.\"a/b\"]\ninput = -1\noutput = 1", `cookoff.toml:1:2: the price of "a/b" holds -1`)
	check("\x00", "cookoff.toml:1:")
}

func TestInsecureIsTheUsersOwnWord(t *testing.T) {
	c := must(t, "[providers.lan]\nbase_url = \"http://10.1.2.3:8000/v1\"\ninsecure = true")
	if _, err := c.Chat("lan/x"); err != nil {
		t.Error(err)
	}
}

// FuzzLoad: any file is read or refused, and what is refused has a place.
func FuzzLoad(f *testing.F) {
	f.Add("[providers.a]\nbase_url = \"https://a.example\"\nheaders = { a = \"b\" }")
	f.Add("[a.b.c]\nd = 1\n[providers]\nx = {}\n[prices]\n\"\" = {}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		file, problems := decode("f", []byte(text), file{})
		for _, p := range problems {
			if p.Pos.Line == 0 {
				t.Errorf("%q: no place for %v", text, p)
			}
		}
		if len(problems) == 0 && file.Providers == nil {
			t.Error("no map of providers")
		}
	})
}

// TestDialects: a provider's dialect decides what its models are asked with; a
// server that is another than the built-in one is asked by chat.
func TestDialects(t *testing.T) {
	kind := func(text, id string) string {
		t.Helper()
		c := must(t, text)
		chat, err := c.Chat(id)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := wire.UpstreamOf(chat)
		return fmt.Sprintf("%T %v", chat, u.Dialects)
	}
	check := func(text, id, want string) {
		t.Helper()
		if got := kind(text, id); got != want {
			t.Errorf("%s with %q: %s, want %s", id, text, got, want)
		}
	}
	const local = "base_url = \"http://127.0.0.1:9/v1\"\n"
	check("[providers.mine]\n"+local, "mine/m", "*openai.Chat [chat]")
	check("[providers.mine]\n"+local+`dialect = "messages"`, "mine/m", "*messages.Chat [messages]")
	check("[providers.mine]\n"+local+`dialect = ["responses", "chat", "gemini"]`, "mine/m",
		"*responses.Chat [responses chat gemini]")
	check("[providers.anthropic]\n"+local, "anthropic/m", "*openai.Chat [chat]")
	check("[providers.anthropic]\n"+local+`dialect = ["messages", "chat"]`, "anthropic/m",
		"*messages.Chat [messages chat]")
	for text, want := range map[string]string{
		`"mesages"`:        `dialect is "mesages", want one of chat, responses, messages, gemini, or several`,
		`[]`:               "dialect is empty",
		`["chat", "chat"]`: `dialect names "chat" twice`,
		`"gemini"`:         `dialect begins with "gemini", in which cookoff itself asks no model`,
		`7`:                "dialect: 7 is no name, and no list of names; want names as \"chat\"",
	} {
		if _, err := load(t, "[providers.mine]\n"+local+"dialect = "+text); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
