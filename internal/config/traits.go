package config

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/nearest"
	"cookoff/model"
	"cookoff/model/wire"
)

//go:embed models.toml
var builtinModels []byte

// traits is a table [models."GLOB"]: what is known of models before they are
// asked.
type traits struct {
	ToolFormat    string   `toml:"tool_format"`
	Omit          []string `toml:"omit"`
	EchoReasoning bool     `toml:"echo_reasoning"`
}

// toolFormats are the ways to offer tools to a model.
var toolFormats = [...]string{"native", "function_calling", "text_in_prompt"}

func (t traits) known() model.Traits {
	return model.Traits{ToolFormat: t.ToolFormat, Omit: slices.Clone(t.Omit)}
}

// check says what of a table can't be meant.
func (t traits) check(glob string, add adder) {
	at := func(key string) []string { return []string{"models", glob, key} }
	if !doublestar.ValidatePattern(glob) || !strings.Contains(glob, "/") {
		add("write it as provider/model, with * for any part", at("")[:2], "%q matches no model", glob)
	}
	if t.ToolFormat != "" && !slices.Contains(toolFormats[:], t.ToolFormat) {
		add(near(t.ToolFormat, toolFormats[:]), at("tool_format"), "tool_format is %q, want one of %s", t.ToolFormat,
			strings.Join(toolFormats[:], ", "))
	}
	for _, name := range t.Omit {
		if !slices.Contains(model.ParamNames(), name) {
			add(near(name, model.ParamNames()), at("omit"), "omit holds %q, want some of %s", name,
				strings.Join(model.ParamNames(), ", "))
		}
	}
}

func near(name string, names []string) string {
	if n := nearest.Name(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}

// traitsIn is what is known of a model that is asked in a dialect. The built-in
// table is of chats, in which Anthropic's models can't be told how much to think.
func (c *Config) traitsIn(d wire.Dialect, id string) model.Traits {
	t, own := c.traitsOf(id)
	known := t.known()
	if d == wire.Messages && !own {
		known.Omit = slices.DeleteFunc(known.Omit, func(name string) bool { return name == "reasoning_effort" })
	}
	return known
}

// traitsOf gives what is known of a model: the user's own word, else the
// built-in one; the longest glob of each.
func (c *Config) traitsOf(id string) (t traits, own bool) {
	for i, table := range []map[string]traits{c.traits, c.builtinTraits} {
		globs := slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(g string) bool {
			ok, err := doublestar.Match(g, id)
			return err != nil || !ok
		})
		if len(globs) > 0 {
			return table[slices.MaxFunc(globs, func(a, b string) int { return len(a) - len(b) })], i == 0
		}
	}
	return traits{}, false
}
