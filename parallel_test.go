package cookoff

import (
	"runtime"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/runner"
)

// TestAtOnce: the providers say how many trials are under way, the cores how many
// work, the machine how many there can be.
func TestAtOnce(t *testing.T) {
	cpus := runtime.GOMAXPROCS(0)
	slots := runner.Providers{Slots: func(provider string) int {
		return map[string]int{"a": 5, "b": 8,
			"wide": 95}[provider]
	}}
	check := func(asked int, models string, wantParallel, wantCores int) {
		t.Helper()
		var said []string
		o := Options{Parallel: asked, Notify: func(n Notice) { said = append(said, n.Text) }}
		parallel, cores := o.atOnce(&recipe.Recipe{Models: strings.Fields(models)}, slots)
		if parallel != wantParallel || cores != wantCores {
			t.Errorf("asked for %d with %s: %d under way and %d at work, want %d and %d", asked, models,
				parallel, cores, wantParallel, wantCores)
		}
		if (asked > 1<<20) != (len(said) > 0) {
			t.Errorf("asked for %d: %q was said", asked, said)
		}
	}
	base := min(cpus, 8)
	check(0, "baseline/noop baseline/oracle", base, cpus)
	check(0, "a/one a/two baseline/noop", max(5, base), cpus)
	check(0, "a/one b/two b/three", max(13, base), cpus)
	check(0, "wide/one a/one", 100, cpus)
	check(1, "a/one b/two", 1, cpus)
	check(40, "a/one", 40, max(cpus, min(40, 2*cpus)))
	o := Options{Parallel: 1 << 21, Notify: func(Notice) {}}
	if parallel, _ := o.atOnce(&recipe.Recipe{}, slots); runtime.GOOS == "linux" && parallel >= 1<<21 {
		t.Errorf("%d trials at once on this machine", parallel)
	}
}
