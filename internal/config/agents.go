package config

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/contestant/agents"
	"cookoff/internal/hint"
	"cookoff/internal/nearest"
)

// overAgents puts the agents of a file over those that are known: field by field, and
// variables and files one by one. All that is wrong with those of the file is added.
func overAgents(meta toml.MetaData, own, known map[string]agents.Agent, add adder) map[string]agents.Agent {
	out := maps.Clone(known)
	if out == nil {
		out = map[string]agents.Agent{}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if !meta.IsDefined("agents", name) {
			continue // of a table that is spelled another way, and reported
		}
		a, from := own[name], known[name]
		mine, theirs := reflect.ValueOf(&a).Elem(), reflect.ValueOf(from)
		for i := range mine.NumField() {
			if key := mine.Type().Field(i).Tag.Get("toml"); key == "-" || !meta.IsDefined("agents", name, key) {
				mine.Field(i).Set(theirs.Field(i))
			}
		}
		a.Env, a.Files = overMap(from.Env, a.Env), overMap(from.Files, a.Files)
		a.Name = name
		for _, w := range a.Check() {
			key := []string{"agents", name}
			if w.Key != "" && meta.IsDefined("agents", name, w.Key) {
				key = append(key, w.Key)
			}
			add("cookoff help docs/agents.md says what an agent needs", key, "%s", w.Text)
		}
		out[name] = a
	}
	return out
}

func overMap(known, own map[string]string) map[string]string {
	out := maps.Clone(known)
	if out == nil {
		return own
	}
	maps.Copy(out, own)
	return out
}

// place is where the user's agents are.
func (o Options) place() agents.Place {
	p := agents.Place{Home: o.Home, Path: o.Env("PATH")}
	switch data := o.Env("XDG_DATA_HOME"); {
	case filepath.IsAbs(data):
		p.Dir = filepath.Join(data, "cookoff", "agents")
	case filepath.IsAbs(o.Home):
		p.Dir = filepath.Join(o.Home, ".local", "share", "cookoff", "agents")
	}
	return p
}

// Agents gives the agents that are known, by name.
func (c *Config) Agents() []agents.Agent {
	var out []agents.Agent
	for _, name := range slices.Sorted(maps.Keys(c.agents)) {
		out = append(out, c.agents[name])
	}
	return out
}

// Agent finds an agent on this machine.
func (c *Config) Agent(ctx context.Context, name string) (agents.Installed, error) {
	a, ok := c.agents[name]
	if !ok {
		names := slices.Sorted(maps.Keys(c.agents))
		next := fmt.Sprintf("known: %s; others go as [agents.NAME] into %s: cookoff help docs/agents.md",
			strings.Join(names, ", "),
			c.file())
		if near := nearest.Name(name, names); near != "" {
			next = fmt.Sprintf("did you mean %q? %s", near, next)
		}
		return agents.Installed{}, hint.New(next, "there is no agent %q", name)
	}
	return c.place.Find(ctx, a)
}

// agentMeant says how a contestant is written, where a model's id begins with the name of
// an agent; nil: it does not.
func (c *Config) agentMeant(id string) error {
	name, model := id, ""
	if i := strings.IndexAny(id, " /"); i >= 0 {
		name, model = id[:i], strings.Trim(id[i:], " /")
	}
	if _, ok := c.agents[name]; !ok {
		return nil
	}
	return hint.New(fmt.Sprintf("write agent: provider/model, as in %q", name+": "+cmp.Or(model, "openai/gpt-5-mini")),
		"%q is no model: %s is an agent", id, name)
}
