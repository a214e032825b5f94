package resolve

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// probes gives the probes that the recipe offers.
func (c *taskChecker) probes() []*probe.Probe {
	if c.recipe.Tools == nil || len(c.recipe.Tools.Probes) == 0 {
		return nil
	}
	return c.selectProbes("tools.probes", c.recipe.Tools.Probes)
}

func (c *taskChecker) selectProbes(key string, globs []string) []*probe.Probe {
	if len(globs) == 0 {
		return nil
	}
	ps, err := probe.Select(globs)
	if err != nil {
		c.at(key, "", "%v", err)
		return nil
	}
	return ps
}

// MatcherFor is the doctor that goes by rules. It looks with the probes that
// are offered, and calls the repairs that answer what they find. Where no probe
// is offered for the finding that a task names, it takes the task's word.
func MatcherFor(t *Task) model.Chat {
	id, _, _ := repair.ParseProbe(t.Probe) // checked before; "" for none
	named := id != "" && !slices.ContainsFunc(t.Probes, func(p *probe.Probe) bool { return p.ID == id })
	if named || len(t.Probes) == 0 {
		return baseline.Matcher(matcherCalls(t))
	}
	var looks []model.Call
	byTool := map[string]string{}
	for _, p := range t.Probes {
		looks = append(looks, model.Call{Name: p.ToolName(), Arguments: "{}"})
		byTool[p.ToolName()] = p.ID
	}
	return baseline.Doctor(looks, func(look model.Call, result string) [][]model.Call {
		var out [][]model.Call
		for _, values := range probe.Parse(result) {
			if calls := answering(t.Repairs, byTool[look.Name], values); len(calls) > 0 {
				out = append(out, calls)
			}
		}
		return out
	})
}

// answering gives the calls of the repairs that answer a probe, in library
// order, with the values that it says.
func answering(repairs []*repair.Repair, probe string, values map[string]string) []model.Call {
	var calls []model.Call
	for _, rep := range repairs {
		if rep.Probe != probe {
			continue
		}
		args := map[string]string{}
		for _, f := range rep.Fixes {
			for _, name := range f.Vars() {
				if v, ok := values[name]; ok {
					args[name] = v
				}
			}
		}
		text, _ := json.Marshal(args) // a map of strings always marshals
		calls = append(calls, model.Call{ID: "call_" + rep.ID, Name: rep.ToolName(), Arguments: string(text)})
	}
	return calls
}

// ofLibrary reports whether a name in a task's tools stands for functions of
// repairs or probes.
func ofLibrary(name string) bool {
	return strings.HasPrefix(name, "repair_") || strings.HasPrefix(name, "probe_")
}

// narrow leaves a task that lists its tools those repairs and probes that its
// list names, as globs over the names of functions: of what the recipe offers.
func (c *taskChecker) narrow(key string, t *Task) {
	if t.Tools == nil {
		return
	}
	var named []bool
	t.Repairs, t.Probes, named = narrowed(t.Tools, t.Repairs, t.Probes)
	for j, glob := range t.Tools {
		if ofLibrary(glob) && !named[j] {
			c.at(fmt.Sprintf("%s.tools[%d]", key, j), "offer it in the section Tools, with repair(…) or probe(…)",
				"%q names none of the repairs and probes that the recipe offers", glob)
		}
	}
}

// narrowed leaves those repairs and probes that a list of tools names, and says which
// of the list name any.
func narrowed(list []string, repairs []*repair.Repair, probes []*probe.Probe) (rs []*repair.Repair, ps []*probe.Probe,
	named []bool) {
	named = make([]bool, len(list))
	match := func(function string) (any bool) {
		for j, glob := range list {
			if ok, _ := path.Match(glob, function); ok && ofLibrary(glob) {
				any, named[j] = true, true
			}
		}
		return any
	}
	for _, r := range repairs {
		if match(r.ToolName()) {
			rs = append(rs, r)
		}
	}
	for _, p := range probes {
		if match(p.ToolName()) {
			ps = append(ps, p)
		}
	}
	return rs, ps, named
}
