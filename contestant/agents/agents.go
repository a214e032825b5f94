// Package agents is the table of agent programs: what each is, where it is found on
// this machine, and how it is pointed at a model. What a program is stands in the
// program's own table and in the user's; a recipe only names it.
package agents

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/contestant"
	"cookoff/sandbox"
)

//go:embed agents.toml
var shipped string

// Protocols that agents speak.
const (
	ACP  = "acp"  // the Agent Client Protocol, on standard streams
	Exec = "exec" // one command: what it leaves behind is the result
)

// What becomes of requests for a model of another name.
const (
	AnyModel = "any" // the trial's model answers them
	OwnModel = "own" // they are refused
)

// Agent is a table [agents.NAME]. Texts may hold placeholders, see Values.
type Agent struct {
	Name    string `toml:"-"`
	Shipped bool   `toml:"-"`

	About   string   `toml:"about"`
	Package string   `toml:"package"` // directory on this machine; "": where install puts it
	Program Names    `toml:"program"` // below the package: the first that is there
	Node    int      `toml:"node"`    // the program is JavaScript, for node from this version on; 0: it is none
	Args    []string `toml:"args"`
	Version string   `toml:"version"` // package.json or *.dist-info/METADATA below the package, which says its version
	Install string   `toml:"install"` // how it gets there

	Protocol string            `toml:"protocol"`
	Dialect  string            `toml:"dialect"`
	Models   string            `toml:"models"` // "" is AnyModel
	Mode     string            `toml:"mode"`   // of the session: it need not ask; "": as it is
	Stdin    string            `toml:"stdin"`  // what an exec command reads
	Env      map[string]string `toml:"env"`
	Files    map[string]string `toml:"files"` // by their paths in the world
	// State are the agent's own files, which are none of its changes: below HOME, or in the
	// project, where they are its own unless they were there before.
	State []string `toml:"state"`
	// Notes are the files with instructions that it reads by itself, in the project and in
	// its own directory; nil: nobody knows.
	Notes []string `toml:"notes"`
	MCP   string   `toml:"mcp"` // which servers it can be handed: "all", "command", "none"; "" is all
}

// Names are some names; TOML may give one alone.
type Names []string

// UnmarshalTOML takes a string or a list of them.
func (n *Names) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*n = Names{v}
		return nil
	case []any:
		*n = Names{}
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return fmt.Errorf("%v is no name", e)
			}
			*n = append(*n, s)
		}
		return nil
	}
	return fmt.Errorf("%v is no name, and no list of names", v)
}

// Dialects are those that an agent may speak.
func Dialects() []string { return []string{"chat", "responses", "messages", "gemini"} }

// Shipped gives the agents that the program knows.
func Shipped() (map[string]Agent, error) {
	var f struct {
		Agents map[string]Agent `toml:"agents"`
	}
	meta, err := toml.Decode(shipped, &f)
	if err != nil {
		return nil, fmt.Errorf("reading the table of agents: %w", err)
	}
	if u := meta.Undecoded(); len(u) > 0 {
		return nil, fmt.Errorf("the table of agents has unknown keys: %v", u)
	}
	for name, a := range f.Agents {
		a.Name, a.Shipped = name, true
		if wrong := a.Check(); len(wrong) > 0 {
			return nil, fmt.Errorf("the table of agents: %s: %s", name, wrong[0].Text)
		}
		f.Agents[name] = a
	}
	return f.Agents, nil
}

// Wrong is something that can't be meant: the key that says it, and why.
type Wrong struct{ Key, Text string }

// Check says all that is wrong with an agent.
func (a Agent) Check() (wrong []Wrong) {
	add := func(key, format string, args ...any) {
		wrong = append(wrong, Wrong{key, fmt.Sprintf(format, args...)})
	}
	if !contestant.IsAgentName(a.Name) {
		add("", "no agent can be called %q: letters, digits, - and _, a letter first", a.Name)
	}
	if len(a.Program) == 0 {
		add("program", "program is missing: the file that is run, below package")
	}
	for _, p := range a.Program {
		if p == "" || strings.HasPrefix(p, "/") || slices.Contains(strings.Split(p, "/"), "..") {
			add("program", "program %q is no path below package", p)
		}
	}
	if !slices.Contains([]string{ACP, Exec}, a.Protocol) {
		add("protocol", "protocol is %q, want %s or %s", a.Protocol, ACP, Exec)
	}
	if !slices.Contains(Dialects(), a.Dialect) {
		add("dialect", "dialect is %q, want one of %s", a.Dialect, strings.Join(Dialects(), ", "))
	}
	if !slices.Contains([]string{"", AnyModel, OwnModel}, a.Models) {
		add("models", "models is %q, want %s or %s", a.Models, AnyModel, OwnModel)
	}
	if !slices.Contains([]string{"", "all", "command", "none"}, a.MCP) {
		add("mcp", "mcp is %q, want all, command or none", a.MCP)
	}
	if a.Protocol == Exec && (a.Mode != "" || a.MCP != "" && a.MCP != "none") {
		add("protocol", "mode and mcp are for protocol = %q", ACP)
	}
	if a.Node < 0 {
		add("node", "node is %d, want the number of a version", a.Node)
	}
	a.checkPaths(add)
	a.checkTexts(add)
	return wrong
}

func (a Agent) checkPaths(add func(key, format string, args ...any)) {
	for _, p := range a.State {
		below, home := strings.CutPrefix(p, "~/")
		if !home {
			below, home = strings.CutPrefix(p, "{work}/")
		}
		if !home || strings.Trim(below, "/.") == "" || slices.Contains(strings.Split(p, "/"), "..") ||
			strings.ContainsAny(below, "*?[{") {
			add("state", "state holds %q, want a path of its own below ~/ or {work}/", p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(a.Files)) {
		if !strings.HasPrefix(p, "{dir}/") && !strings.HasPrefix(p, "~/") ||
			slices.Contains(strings.Split(p, "/"), "..") {
			add("files", "files holds %q, want a path below {dir}/ or ~/", p)
		}
	}
	if p := a.Package; p != "" && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") {
		add("package", "package is %q, want a directory from / or ~/", p)
	}
}

// checkTexts looks for placeholders that mean nothing.
func (a Agent) checkTexts(add func(key, format string, args ...any)) {
	look := func(key, text string) {
		for _, word := range placeholders(text) {
			if !slices.Contains(known, word) {
				add(key, "%s holds %s, want one of %s", key, word, strings.Join(known, " "))
			}
		}
	}
	for _, s := range a.Args {
		look("args", s)
	}
	for _, k := range slices.Sorted(maps.Keys(a.Env)) {
		if k == "" || strings.ContainsAny(k, "=\x00 ") {
			add("env", "env holds %q, which is no name of a variable", k)
		}
		look("env", a.Env[k])
	}
	for _, k := range slices.Sorted(maps.Keys(a.Files)) {
		look("files", a.Files[k])
	}
	look("stdin", a.Stdin)
	if !a.prompted() {
		add("args", "an agent with protocol = %q gets its task as {prompt} in args or stdin, and neither holds it",
			Exec)
	}
}

// prompted reports whether the task reaches the agent.
func (a Agent) prompted() bool {
	return a.Protocol != Exec || strings.Contains(a.Stdin, "{prompt}") || slices.ContainsFunc(a.Args,
		func(s string) bool { return strings.Contains(s, "{prompt}") })
}

// Where things of agents are in a world.
const (
	inside   = "/opt/agents"
	nodeFile = inside + "/.node/node"
	// ScratchDir is the agent's own directory, which is no part of what it leaves.
	ScratchDir = "/tmp/.agent"
)

// BaseURL is where the gateway is, as an agent sees it.
const BaseURL = "http://" + sandbox.GatewayAddr
