package cookoff

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	"cookoff/contestant"
	"cookoff/internal/ceilings"
	"cookoff/model/baseline"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/traffic"
	"cookoff/sandbox"
)

// atOnce says how many trials are under way at once: as many as their providers take
// requests, where nobody asks for a number, and no more than this machine can hold.
// As many as there are cores work; who asks for more gets up to two a core, since
// half of what a trial does is waiting for the disk and for other processes.
func (o *Options) atOnce(r *recipe.Recipe, p runner.Providers) (parallel, cores int) {
	cores = runtime.GOMAXPROCS(0)
	parallel = o.Parallel
	if parallel == 0 {
		parallel = max(places(r, p), min(cores, 8))
	} else {
		cores = max(cores, min(parallel, 2*cores))
	}
	if low, known := ceilings.Lowest(ceilings.Find(os.TempDir(), o.waiting(r))); known && low.Trials < parallel {
		if o.Parallel > 0 {
			o.Notify(Notice{Text: fmt.Sprintf("this machine can hold %v trials at once; %d were asked for",
				low, parallel), Warning: true})
		}
		parallel = low.Trials
	}
	return parallel, cores
}

// waiting is what a trial takes while it waits for its model: where a process of the
// contestant's lives all the time, or the sandbox is none that can do without, its whole world.
func (o *Options) waiting(r *recipe.Recipe) ceilings.Trial {
	native := func(backend string) bool { return slices.Contains([]string{"", "auto", "native"}, backend) }
	lives := len(r.MCPServers) > 0 || r.Sandbox.Filesystem == string(sandbox.Unrestricted) ||
		r.Sandbox.Image != "" || !native(r.Sandbox.Backend) || !native(o.Sandbox) ||
		slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return len(t.Services) > 0 || t.Image != "" }) ||
		slices.ContainsFunc(r.Contestants, func(c recipe.ContestantConfig) bool { return len(c.MCP) > 0 }) ||
		slices.ContainsFunc(r.Names(), func(name string) bool {
			agent, _ := contestant.Split(r.Behind(name))
			return agent != ""
		})
	if lives {
		return ceilings.Living()
	}
	return ceilings.Hibernating()
}

// places is how many requests the providers of a recipe's models take at once.
// Where one takes any number, nothing is known.
func places(r *recipe.Recipe, p runner.Providers) (n int) {
	if p.Slots == nil {
		return 0
	}
	seen := map[string]bool{}
	for _, name := range r.Names() {
		id := r.Behind(name)
		provider := traffic.Provider(id)
		if !seen[provider] && !baseline.Is(id) {
			n += p.Slots(provider)
		}
		seen[provider] = true
	}
	return n
}
