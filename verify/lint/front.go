package lint

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/tree"
)

// lintFronts warns where a check runs what a task protects, and something that
// nothing protects comes before it.
func lintFronts(fs *Findings, r *recipe.Recipe) {
	var all, scripts []string
	for _, c := range r.SuccessCriteria {
		switch c.Kind {
		case "protected":
			all = append(all, tree.Pattern(c.Text))
		case "run":
			scripts = append(scripts, c.Text)
		}
	}
	for i, t := range r.Tasks {
		own, run := slices.Clone(all), slices.Clone(scripts)
		for _, g := range t.Protect {
			own = append(own, tree.Pattern(g))
		}
		for _, c := range slices.Concat(t.After, t.Guard) {
			run = append(run, c.Script)
		}
		for _, b := range t.Verify {
			run = append(run, b.Command)
		}
		for _, f := range tools.Fronts() {
			if !slices.ContainsFunc(run, f.Runs) {
				continue
			}
			for j, g := range t.Protect {
				if names := f.Open(g, own); names != nil {
					fs.Warn(fmt.Sprintf("tasks[%d].protect[%d]", i, j), "protect: "+strings.Join(names, ", "),
						"%s looks for %s first, which nothing protects", f.Programs[0], strings.Join(names, " and "))
					own = append(own, names...) // said once
				}
			}
		}
	}
}
