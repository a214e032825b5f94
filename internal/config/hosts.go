package config

import (
	"fmt"
	"maps"
	"slices"

	"cookoff/hosts/engine"
	"cookoff/hosts/program"
	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
)

// Host is a table [hosts.NAME]: another machine that sandboxes are opened on.
type Host struct {
	// Command gives the standard input and output of "cookoff hand" there.
	Command argv `toml:"command"`
	// Engine is what machines an engine gives, as slurm:123 or kubernetes:app=hands;
	// "": the host is one machine. Command is then that of a hand there; nil: "cookoff hand".
	Engine string `toml:"engine"`
	// CopySelf has the machine run this very program, which is sent there.
	CopySelf bool `toml:"copy_self"`
	// Slots is how many trials run there at once; 0: as many as it has processors.
	Slots int `toml:"slots"`
	// Kind is what machines that are alike have in common; "": it is like no other.
	Kind string `toml:"kind"`
	// ToolPaths are directories with programs there, absolute or from ~/.
	ToolPaths []string `toml:"tool_paths"`
}

// argv is a program and its arguments.
type argv []string

// UnmarshalTOML takes a list of strings. One string is refused: no shell takes it apart.
func (a *argv) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	for _, e := range list {
		s, is := e.(string)
		*a, ok = append(*a, s), ok && is
	}
	if !ok {
		return fmt.Errorf("command is %#v, want a list of strings: [\"ssh\", \"NAME\", \"cookoff\", \"hand\"]", v)
	}
	return nil
}

// maxSlots bounds what a file may say.
const maxSlots = 4096

// hostName is what a host may be called.
var hostName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// NamesHost reports whether a host can be called so.
func NamesHost(name string) bool { return hostName.MatchString(name) && name != "local" }

// Hosts are the machines of the configuration, by their names.
func (c *Config) Hosts() map[string]Host { return maps.Clone(c.hosts) }

// hostsOf takes what the file says of hosts.
func (c *Config) hostsOf(f file) (problems problem.List) {
	c.hosts = f.Hosts
	for _, name := range slices.Sorted(maps.Keys(f.Hosts)) {
		h := f.Hosts[name]
		wrong := func(key, format string, args ...any) {
			at := []string{"hosts", name}
			if key != "" {
				at = append(at, key)
			}
			problems = append(problems, problem.Problem{Pos: f.at(at...), Msg: fmt.Sprintf(format, args...)})
		}
		if !NamesHost(name) {
			wrong("", "no host can be called %q: local is this machine, and a name has letters, digits, . _ and -",
				name)
		}
		if _, _, ok := engine.Cut(h.Engine); h.Engine != "" && !ok {
			wrong("engine", "engine is %q, want slurm:JOB, slurm:OPTIONS of an allocation, or kubernetes:SELECTOR",
				h.Engine)
		}
		if len(h.Command) == 0 && h.Engine == "" {
			wrong("", "the host %q has no command: command = [\"ssh\", \"%s\", \"cookoff\", \"hand\"]", name, name)
		}
		if err := h.copied(); err != nil {
			wrong("copy_self", "copy_self: %v", err)
		}
		if h.Slots < 0 || h.Slots > maxSlots {
			wrong("slots", "slots is %d, want 1 to %d, or 0 for the machine's processors", h.Slots, maxSlots)
		}
		for _, dir := range h.ToolPaths {
			if _, why := c.toolPath(dir); why != "" {
				wrong("tool_paths", "%s", why)
			}
		}
	}
	return problems
}

// copied is what is wrong with sending the program where it is to be sent.
func (h Host) copied() error {
	if !h.CopySelf || len(h.Command) == 0 {
		return nil
	}
	_, err := program.Shell(h.Command)
	return err
}
