package native

import (
	"os"
	"path/filepath"
	"slices"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// goCache tells Go where its build cache is.
const goCache = "GOCACHE=" + plan.CacheDir

// pythonCache tells Python where its compiled files are.
const pythonCache = "PYTHONPYCACHEPREFIX=" + plan.CacheDir + "/" + sandbox.PythonCache

// caches are the variables by which programs find the build caches of a world; none
// where it has none.
func (w *world) caches(p plan.Plan) []string {
	if p.Caches == nil {
		return nil
	}
	env, spec := cachesOf(w.spec), w.spec
	if spec.Caches != "" || w.b.store.GoCache != "" && spec.Root.Dir == "" {
		env = append(env, goCache)
	}
	if w.b.store.Python(spec) != "" && !slices.Contains(env, pythonCache) {
		env = append(env, pythonCache)
	}
	return env
}

// cachesOf are the variables for what was kept for the task of a world.
func cachesOf(spec sandbox.Spec) (env []string) {
	for _, c := range []struct{ dir, said string }{
		{sandbox.PythonCache, pythonCache},
		{sandbox.NodeCache, "NODE_COMPILE_CACHE=" + plan.CacheDir + "/" + sandbox.NodeCache},
		{sandbox.CargoCache, "CARGO_BUILD_BUILD_DIR=" + plan.CacheDir + "/" + sandbox.CargoCache},
		{sandbox.CCache, "CCACHE_DIR=" + plan.CacheDir + "/" + sandbox.CCache},
	} {
		if st, err := os.Stat(filepath.Join(spec.Caches, c.dir)); spec.Caches != "" && err == nil && st.IsDir() {
			env = append(env, c.said)
		}
	}
	return env
}
