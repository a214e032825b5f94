// Package config reads the user's own cookoff.toml, and makes models of it:
// which providers there are, where a key is sent, and what tokens cost. It
// reads no file of a project: whoever wrote a recipe has no say in where a key
// goes.
package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/contestant/agents"
	"cookoff/internal/hint"
	"cookoff/internal/nearest"
	"cookoff/internal/places"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/messages"
	"cookoff/model/openai"
	"cookoff/model/responses"
	"cookoff/model/wire"
	"cookoff/recipe/problem"
	"cookoff/sandbox/native"
)

//go:embed providers.toml
var builtin []byte

// Options say where the configuration comes from. All of them are inputs: the
// package reads no environment of its own.
type Options struct {
	Path string              // of --config; "" looks in the user's configuration directory
	Env  func(string) string // the environment; required
	Home string              // the user's home, for ~/ and ~/.config
}

// Config is what the user set up. It never changes.
type Config struct {
	Path      string   // the file that was read, "" when there is none
	KeyFile   string   // the user's .env, "" when there is none
	ToolPaths []string // directories with programs that every sandbox may use, absolute
	Backend   string   // of sandboxes: a name that native.Choose knows; "": none is set
	Image     string   // of containers that nobody names one for; "": none
	Guest     string   // cookoff for Linux, which containers start, absolute; "": the one that is found
	Confirm   *float64 // what a run may cost in USD before the user wants to be asked; nil: anything

	home      string
	where     string // the file that would be read, for hints
	providers map[string]provider
	prices    *model.Prices
	// traits are the user's [models], builtinTraits those of the program.
	traits, builtinTraits map[string]traits
	granted               map[string]granted // the user's [recipes]
	agents                map[string]agents.Agent
	hosts                 map[string]Host
	place                 agents.Place

	client *http.Client
}

// Provider is one line about a provider: whether it can be asked. It holds no
// key.
type Provider struct {
	Name    string
	BaseURL string
	KeyEnv  string // the variable of its key, "" when it needs none
	HasKey  bool
	Ready   bool   // a model of it can be asked, as far as the configuration goes
	Why     string // why not
	Unset   bool   // a variable that it needs is not set: Why names it
	Builtin bool   // known without a configuration, though perhaps changed by it
	Slots   int    // requests at once, at most
	Local   bool   // a server on this machine
}

// provider is a table [providers.NAME].
type provider struct {
	BaseURL        string            `toml:"base_url"`
	BaseURLEnv     string            `toml:"base_url_env"`
	KeyEnv         string            `toml:"api_key_env"`
	Stream         bool              `toml:"stream"`
	StreamUsage    bool              `toml:"stream_usage"`
	MaxTokensField string            `toml:"max_tokens_field"`
	Timeout        duration          `toml:"timeout"`
	IdleTimeout    duration          `toml:"idle_timeout"`
	Insecure       bool              `toml:"insecure"`
	Headers        map[string]string `toml:"headers"`
	KeyHeader      string            `toml:"idempotency_header"`
	Concurrency    int               `toml:"concurrency"`
	Dialects       dialects          `toml:"dialect"`

	key     string
	fromEnv bool // BaseURL is the value of BaseURLEnv
	builtin bool
}

// Load reads the configuration: the built-in providers, the user's file over
// them, the environment, and the variables of .env beside the user's own file that
// the environment does not set. A file that is not there is none, unless Path
// names it. Its error is problem.List with all that is wrong in the files.
func Load(o Options) (*Config, error) {
	c := &Config{home: o.Home, client: &http.Client{Transport: openai.NewTransport()}}
	known, problems := decode("builtin:providers.toml", builtin, file{})
	if len(problems) > 0 {
		return nil, problems
	}
	for name, p := range known.Providers {
		p.builtin = true
		known.Providers[name] = p
	}
	about, problems := decode("builtin:models.toml", builtinModels, file{})
	if len(problems) > 0 {
		return nil, problems
	}
	c.builtinTraits = about.Models
	var err error
	if known.Agents, err = agents.Shipped(); err != nil {
		return nil, err
	}
	text, err := c.read(o)
	if err != nil {
		return nil, err
	}
	f, problems := decode(c.Path, text, known)
	problems = append(problems, c.sandboxes(f)...)
	problems = append(problems, c.hostsOf(f)...)
	c.Confirm = f.Confirm
	prices, err := model.LoadPrices(nil)
	if err != nil {
		return nil, err
	}
	if c.prices, err = prices.With(f.Prices); err != nil {
		problems = append(problems, problem.Problem{Pos: f.at("prices"), Msg: err.Error()})
	}
	keys, wrong, err := readEnvFile(c.ownDir(o))
	if err != nil {
		return nil, err
	}
	problems = append(problems, wrong...)
	if len(problems) == 0 {
		problems = keys.unread(f.Providers)
	}
	if len(problems) > 0 {
		problems.Sort()
		return nil, problems
	}
	c.KeyFile = keys.path
	c.traits, c.granted = f.Models, f.Recipes
	c.agents, c.place = f.Agents, o.place()
	c.providers = map[string]provider{}
	for name, p := range f.Providers {
		c.providers[name] = p.resolve(keys.lookup(o.Env))
	}
	return c, nil
}

// read finds and reads the user's file.
func (c *Config) read(o Options) ([]byte, error) {
	c.where = o.Path
	if c.where == "" {
		dir := o.Env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) { // the specification says to ignore it then
			dir = filepath.Join(o.Home, ".config")
		}
		c.where = filepath.Join(dir, "cookoff", "cookoff.toml")
		if !filepath.IsAbs(c.where) { // no home: whatever lies here is not the user's own
			c.where = ""
			return nil, nil
		}
	}
	text, err := os.ReadFile(c.where)
	if o.Path == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	c.Path = c.where
	return text, nil
}

// ownDir is the directory of the user's own configuration; "" where another is
// named: what lies beside that may be a project's.
func (c *Config) ownDir(o Options) string {
	if o.Path != "" || c.where == "" {
		return ""
	}
	return filepath.Dir(c.where)
}

// sandboxes takes what the file says of sandboxes.
func (c *Config) sandboxes(f file) (problems problem.List) {
	if c.Backend = f.Sandbox.Backend; c.Backend != "" && !slices.Contains(native.Names(), c.Backend) {
		problems = append(problems, problem.Problem{Pos: f.at("sandbox", "backend"),
			Msg: fmt.Sprintf("backend is %q, want one of %s", c.Backend, strings.Join(native.Names(), ", "))})
	}
	c.Image = f.Sandbox.Image
	if f.Sandbox.Guest != "" {
		if c.Guest = c.fromHome(f.Sandbox.Guest); c.Guest == "" {
			problems = append(problems, problem.Problem{Pos: f.at("sandbox", "guest"),
				Msg: fmt.Sprintf("guest is %q, want a file from / or ~/", f.Sandbox.Guest)})
		}
	}
	for _, dir := range f.Sandbox.ToolPaths {
		full, why := c.toolPath(dir)
		if why != "" {
			problems = append(problems, problem.Problem{Pos: f.at("sandbox", "tool_paths"), Msg: why})
			continue
		}
		c.ToolPaths = append(c.ToolPaths, full)
	}
	return problems
}

// toolPath gives a directory of programs that sandboxes show, or why they can't.
func (c *Config) toolPath(dir string) (full, why string) {
	if full = c.fromHome(dir); full == "" {
		return "", fmt.Sprintf("tool_paths holds %q, want a directory from / or ~/", dir)
	}
	if own := places.Own(full); own != "" {
		return "", fmt.Sprintf("tool_paths holds %q, which would hide the sandbox's own %s: "+
			"name the directory in it that holds the programs",
			dir, own)
	}
	return full, ""
}

// fromHome makes a path from / or ~/ absolute; "" is neither.
func (c *Config) fromHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(c.home, rest)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// resolve takes what the environment says of a provider.
func (p provider) resolve(env func(string) string) provider {
	if p.KeyEnv != "" {
		p.key = strings.TrimSpace(env(p.KeyEnv))
	}
	if p.BaseURLEnv == "" {
		return p
	}
	if url := strings.TrimSpace(env(p.BaseURLEnv)); url != "" && url != p.BaseURL {
		if p.BaseURL != "" { // what every other server knows
			p.MaxTokensField, p.Dialects = openai.MaxTokens, nil
		}
		p.BaseURL, p.fromEnv = url, true
	}
	return p
}

// elsewhere reports that the address can only come from the environment, and
// has not.
func (p provider) elsewhere() bool { return p.BaseURL == "" && p.BaseURLEnv != "" }

// unsetError names a variable without which a provider can't be asked.
type unsetError string

func (e unsetError) Error() string { return fmt.Sprintf("the variable %s is not set", string(e)) }

// ready says why a provider can't be asked, or nothing.
func (p provider) ready() error {
	if p.elsewhere() {
		return unsetError(p.BaseURLEnv)
	}
	if err := checkURL(p.BaseURL, p.Insecure); err != nil {
		if p.fromEnv {
			return fmt.Errorf("the variable %s: %w", p.BaseURLEnv, err)
		}
		return err
	}
	if p.KeyEnv != "" && p.key == "" && !loopback(p.BaseURL) {
		return &model.AuthError{Env: p.KeyEnv, Err: unsetError(p.KeyEnv)}
	}
	return nil
}

// Chat makes the model that id names, provider/model; the model's own name may
// hold slashes. It asks nothing of the provider. A missing key is a
// *model.AuthError.
func (c *Config) Chat(id string) (model.Chat, error) {
	name, rest, ok := strings.Cut(id, "/")
	if _, known := c.providers[name]; !known {
		if err := c.agentMeant(id); err != nil {
			return nil, err
		}
	}
	if !ok || name == "" || strings.TrimSpace(rest) == "" {
		return nil, hint.New("name the provider first, as in openai/gpt-4o-mini; known: "+c.names(),
			"model %q is no provider/model", id)
	}
	if strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, fmt.Errorf("model %q holds blanks or control characters", id)
	}
	p, ok := c.providers[name]
	if !ok && name == "baseline" {
		return nil, fmt.Errorf("model %q is a baseline: no provider has it", id)
	}
	if !ok {
		meant := ""
		if near := nearest.Name(name, slices.Sorted(maps.Keys(c.providers))); near != "" {
			meant = fmt.Sprintf("did you mean %q? ", near+"/"+rest)
		}
		next := fmt.Sprintf("%sknown: %s; others go as [providers.%s] into %s", meant, c.names(), tomlKey(name), c.file())
		return nil, hint.New(next, "model %q: no provider is called %q", id, name)
	}
	if err := p.ready(); err != nil {
		if auth := new(model.AuthError); errors.As(err, &auth) {
			next := fmt.Sprintf("set it to your key, in the environment or in .env beside your cookoff.toml, "+
				"or name another variable as api_key_env of [providers.%s] in %s", tomlKey(name), c.file())
			return nil, &model.AuthError{Env: auth.Env, Err: hint.New(next, "model %q: %w", id, auth.Err)}
		}
		return nil, fmt.Errorf("model %q: %w", id, err)
	}
	at, speaks := p.endpoint(name, rest, c.client), p.Dialects.orChat()
	known := c.traitsIn(speaks[0], id)
	switch speaks[0] {
	case wire.Messages:
		return messages.New(endpoint.Config{Endpoint: at, Dialects: speaks, Traits: known}), nil
	case wire.Responses:
		return responses.New(endpoint.Config{Endpoint: at, Dialects: speaks, Traits: known}), nil
	}
	cfg := p.chat(name, rest, c.client)
	t, _ := c.traitsOf(id)
	cfg.Traits, cfg.EchoReasoning = known, t.EchoReasoning
	return openai.New(cfg), nil
}

// endpoint is where a model is asked in another dialect than chat.
func (p provider) endpoint(name, id string, client *http.Client) endpoint.Endpoint {
	return endpoint.Endpoint{
		Name: name, BaseURL: p.BaseURL, Key: p.key, KeyEnv: p.KeyEnv, NoKey: loopback(p.BaseURL), Model: id,
		Headers: maps.Clone(p.Headers), KeyHeader: p.KeyHeader, Client: endpoint.NewClient(client),
		Timeout: cmp.Or(time.Duration(p.Timeout), openai.DefaultTimeout), Idle: cmp.Or(time.Duration(p.IdleTimeout),
			openai.DefaultIdle),
	}
}

func (p provider) chat(name, id string, client *http.Client) openai.Config {
	return openai.Config{
		Name: name, BaseURL: p.BaseURL, Key: p.key, KeyEnv: p.KeyEnv, NoKey: loopback(p.BaseURL), Model: id,
		Stream: p.Stream, NoStreamUsage: !p.StreamUsage, MaxTokensField: p.MaxTokensField,
		Headers: maps.Clone(p.Headers), KeyHeader: p.KeyHeader,
		Timeout: time.Duration(p.Timeout), Idle: time.Duration(p.IdleTimeout), HTTPClient: client,
		Dialects: p.Dialects.orChat(),
	}
}

// Providers lists what is known of every provider, by name.
func (c *Config) Providers() []Provider {
	var out []Provider
	for _, name := range slices.Sorted(maps.Keys(c.providers)) {
		p := c.providers[name]
		line := Provider{Name: name, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv, HasKey: p.key != "", Ready: true,
			Builtin: p.builtin, Slots: p.Concurrency, Local: loopback(p.BaseURL)}
		if err := p.ready(); err != nil {
			_, line.Unset = errors.AsType[unsetError](err)
			line.Ready, line.Why = false, err.Error()
		}
		out = append(out, line)
	}
	return out
}

// Slots gives how many requests may be under way at once to the provider of
// that name, 0 for one that is not known.
func (c *Config) Slots(provider string) int { return c.providers[provider].Concurrency }

// Secrets gives the value of every key that is set, by the name of its
// variable: what must not stand in a record.
func (c *Config) Secrets() map[string]string {
	out := map[string]string{}
	for _, p := range c.providers {
		if p.key != "" {
			out[p.KeyEnv] = p.key
		}
	}
	return out
}

// Prices gives what models cost, the user's own prices over the built-in.
func (c *Config) Prices() *model.Prices { return c.prices }

func (c *Config) names() string {
	return strings.Join(append([]string{"baseline"}, slices.Sorted(maps.Keys(c.providers))...), ", ")
}

// file names the user's file for a hint.
func (c *Config) file() string {
	if c.where == "" {
		return "your cookoff.toml (--config)"
	}
	if rest, ok := strings.CutPrefix(c.where, c.home+"/"); ok && c.home != "" {
		return "~/" + rest
	}
	return c.where
}
