package runner

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cookoff/model/baseline"
	"cookoff/runner/resolve"
	"cookoff/trial"
)

// givenKeys are the keys of what a contestant may have of its own, in the recipe's order.
var givenKeys = []string{"system_prompt", "tools", "add_tools", "drop_tools", "mcp", "files",
	"temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "parallel_tool_calls"}

// Contestants gives those of a recipe's contestants that have names of their own, and
// what each is given.
func Contestants(v *resolve.Values) (out []trial.Contestant) {
	for _, c := range v.Recipe.Contestants {
		own := v.OwnOf(c.Name)
		d := trial.Contestant{Name: c.Name, Model: c.Model, Agent: c.Agent}
		for _, key := range givenKeys {
			if text := own.Given(key); text != "" {
				d.Given = append(d.Given, trial.Given{Key: key, Text: text})
			}
		}
		block, err := json.Marshal(c)
		if err != nil {
			panic("a contestant that can't be written as JSON: " + err.Error()) // a NaN set by code
		}
		d.Sum = fmt.Sprintf("%x", sha256.Sum256(append(block, own.Sum...)))
		out = append(out, d)
	}
	return out
}

// redefined says which contestants are not what they were.
func redefined(was, now []trial.Contestant) (out []string) {
	for _, w := range was {
		i := slices.IndexFunc(now, func(n trial.Contestant) bool { return n.Name == w.Name })
		switch {
		case i < 0:
			out = append(out, fmt.Sprintf("the contestant %q is not there any more", w.Name))
		case now[i].Sum != w.Sum:
			out = append(out, fmt.Sprintf("the contestant %q was changed since%s", w.Name, changedKeys(w, now[i])))
		}
	}
	return out
}

// changedKeys names what of a contestant was changed.
func changedKeys(was, now trial.Contestant) string {
	var keys []string
	if was.Model != now.Model || was.Agent != now.Agent {
		keys = append(keys, "model")
	}
	text := func(c trial.Contestant, key string) string {
		for _, g := range c.Given {
			if g.Key == key {
				return g.Text
			}
		}
		return ""
	}
	for _, key := range givenKeys {
		if text(was, key) != text(now, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return " (" + strings.Join(keys, ", ") + ")"
}

// paid gives a trial as the budget knows it: one that asks no model by the baseline
// that it is of.
func (r *Runner) paid(t trial.Trial) trial.Trial {
	if id := r.Models[t.Model].ID; baseline.Is(id) {
		t.Model = id
	}
	return t
}
