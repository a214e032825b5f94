package shoot

import (
	"context"
	"errors"
	"fmt"

	"cookoff"
	"cookoff/internal/cli/door"
	"cookoff/recipe"
	"cookoff/tools"
	"cookoff/trial"
)

// tools says what models may do under a recipe.
func (w *world) tools(r *recipe.Recipe) []string {
	names := tools.Names()
	var out []string
	if r.Tools != nil {
		names = r.Tools.Allowlist
		if len(r.Tools.BashPrefixes) > 0 {
			out = append(out, fmt.Sprintf("bash runs only commands that begin with one of %q", r.Tools.BashPrefixes))
		}
		for _, g := range r.Tools.Repairs {
			out = append(out, "repairs: "+g)
		}
		for _, g := range r.Tools.Probes {
			out = append(out, "probes: "+g)
		}
	}
	for _, n := range names {
		out = append(out, "  "+n)
	}
	for _, s := range r.MCPServers {
		out = append(out, "MCP server "+s.Name+": "+s.Command)
	}
	for _, c := range r.Constraints.AllowClasses {
		out = append(out, "repairs of class "+c+" run unasked")
	}
	return out
}

// verify judges what a run left by the checks that the recipe has for every
// task, and gives a line for each verdict.
func (w *world) verify(ctx context.Context, run, prompt string, r *recipe.Recipe) ([]string, error) {
	if len(r.Verify)+len(r.SuccessCriteria) == 0 {
		return nil, errors.New("the recipe has no check for every task\n" +
			"  hint: sections ## Success Criteria or ## Verify hold them; /config edit writes them")
	}
	k, err := cookoff.FindKept(w.quiet.Dir, run)
	if err != nil {
		return nil, err
	}
	typed := (&recipe.Recipe{Tasks: []recipe.Task{{Prompt: prompt}}}).Over(r)
	o := w.options(w.quiet).ForJudging()
	o.Allow = door.Permissions()
	c, err := cookoff.Check(ctx, typed, nil, o)
	if err != nil {
		return nil, err
	}
	got, err := c.Rejudge(ctx, k, nil, nil)
	if errors.Is(err, cookoff.ErrNoTrials) {
		got, err = &cookoff.Rejudged{}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, g := range got.Trials {
		if g.Why != "" {
			out = append(out, g.Trial.Model+": could not be checked: "+g.Why, "")
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s", g.Trial.Model, g.Is.Status))
		for _, v := range g.Is.Verdicts {
			mark := map[trial.VerdictStatus]string{trial.Held: "✓", trial.NotHeld: "✗", trial.Undecided: "∅"}[v.Status]
			line := "  " + mark + " " + v.Check
			if v.Detail != "" {
				line += ": " + v.Detail
			}
			out = append(out, line)
		}
		out = append(out, "")
	}
	return out, nil
}
