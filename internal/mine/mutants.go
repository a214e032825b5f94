package mine

import (
	"context"

	"cookoff/internal/history"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/sides"
)

// mostMutants is how many faults are planted in a fix, one after another.
const mostMutants = 4

// Mutant is a text with a small fault.
type Mutant struct {
	Line int    // that it changes, from 1
	Name string // file, line and what was done
	Text string
}

// mutants plants faults in the lines that a fix adds, and names those that no test
// misses.
func (a weakness) mutants(ctx context.Context) ([]string, error) {
	if a.Mutants == nil {
		return nil, nil
	}
	var all []part
	for _, ch := range a.c.Fix {
		if ch.Now.ID == "" || ch.Now.Mode == history.ModeLink {
			continue
		}
		text, err := sides.Text(a.world.contents, ch.Now)
		if err != nil {
			return nil, err
		}
		patch, err := a.repo.Patch(ctx, a.c.Parent, a.c.Now(), 0, []string{ch.Path})
		if err != nil {
			return nil, err
		}
		fresh := patches.Added(patches.Hunks(patch))
		for _, x := range a.Mutants(ch.Path, text) {
			if fresh[x.Line] {
				all = append(all, part{name: x.Name, path: ch.Path, without: x.Text})
			}
		}
	}
	return a.survivors(ctx, "tests with a fault in the fix", spread(all, mostMutants))
}

// spread picks n of a list, as far apart as they lie.
func spread(list []part, n int) []part {
	if len(list) <= n {
		return list
	}
	out := make([]part, 0, n)
	for i := range n {
		out = append(out, list[i*len(list)/n])
	}
	return out
}
