package native

import (
	"os"
	"path/filepath"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// pythonCache tells Python where its compiled files are.
const pythonCache = "PYTHONPYCACHEPREFIX=" + plan.CacheDir + "/" + sandbox.PythonCache

// cachesOf are the variables by which programs find the build caches of a world;
// none where it has none.
func cachesOf(p plan.Plan, spec sandbox.Spec) (env []string) {
	if p.Caches == nil {
		return nil
	}
	env = []string{"GOCACHE=" + plan.CacheDir}
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
