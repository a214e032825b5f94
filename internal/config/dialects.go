package config

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/contestant/agents"
	"cookoff/model/wire"
)

// dialects are those that a provider speaks: the first is ours, the others are
// for agents. None named: chat completions.
type dialects []wire.Dialect

// knownDialects are the dialects that a file may name.
var knownDialects = []wire.Dialect{wire.Chat, wire.Responses, wire.Messages, wire.Gemini}

// ours are the dialects that models are asked in by ourselves.
var ours = []wire.Dialect{wire.Chat, wire.Responses, wire.Messages}

// UnmarshalTOML takes one name, or a list of them.
func (d *dialects) UnmarshalTOML(v any) error {
	var given agents.Names
	if err := given.UnmarshalTOML(v); err != nil {
		return fmt.Errorf("dialect: %w; want names as %q", err, wire.Chat)
	}
	*d = dialects{}
	for _, name := range given {
		*d = append(*d, wire.Dialect(name))
	}
	return nil
}

func (d dialects) check(at []string, add adder) {
	if d != nil && len(d) == 0 {
		add("", at, "dialect is empty, want one of %s, or several", names(knownDialects))
	}
	for i, name := range d {
		switch {
		case !slices.Contains(knownDialects, name):
			add(near(string(name), strings.Split(names(knownDialects), ", ")), at,
				"dialect is %q, want one of %s, or several", name, names(knownDialects))
		case slices.Contains(d[:i], name):
			add("", at, "dialect names %q twice", name)
		case i == 0 && !slices.Contains(ours, name):
			add("put it behind one of them, for agents alone", at,
				"dialect begins with %q, in which cookoff itself asks no model: want one of %s", name, names(ours))
		}
	}
}

func names(ds []wire.Dialect) string {
	var out []string
	for _, d := range ds {
		out = append(out, string(d))
	}
	return strings.Join(out, ", ")
}

func (d dialects) orChat() []wire.Dialect {
	if len(d) == 0 {
		return []wire.Dialect{wire.Chat}
	}
	return d
}
