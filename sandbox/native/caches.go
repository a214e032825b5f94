package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
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

// KeepCaches copies what the newest world wrote to its build caches.
func (s *state) KeepCaches(dir string) error {
	from := filepath.Join(s.dir, plan.TopCaches)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // it had none
	}
	c := trees.Copier{UID: -1, GID: -1}
	if isRoot() {
		c.UID, c.GID = 0, 0
	}
	if err := c.Copy(from, dir); err != nil {
		return fmt.Errorf("keeping build caches: %w", err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		case d.Type().IsRegular():
			return nil
		}
		return os.Remove(path) // a link, or what says that a file is gone
	})
}
