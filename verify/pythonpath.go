package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
)

// pythonDir is where the referee's worlds have what pythonSite is.
const pythonDir = "/tmp/.referee-python"

// pythonSite lets Python, which in the referee's worlds looks into no directory
// of the project by itself (PYTHONSAFEPATH), find the project's modules there
// after all others: the directory in which it was started, and that of the
// script. A file of the project never stands in for one of Python's own, and
// adds no plug-in to a program that looks for them on sys.path.
const pythonSite = `import importlib.machinery, os, sys

class Project:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None:
            return None
        dirs = []
        script = getattr(sys.modules.get("__main__"), "__file__", None)
        if script and not getattr(sys.modules["__main__"], "__spec__", None):
            dirs.append(os.path.dirname(os.path.abspath(script)))
        try:
            dirs.append(os.getcwd())
        except OSError:
            pass
        return importlib.machinery.PathFinder.find_spec(name, dirs)

if sys.flags.safe_path:
    sys.meta_path.append(Project)
`

// pythonEnv is what makes Python read pythonSite; nil where the place is not the
// referee's, the state has no Python, or the task says itself where modules are.
func (p place) pythonEnv() []string {
	python := func(f sandbox.File) bool { return path.Ext(f.Path) == ".py" }
	said := func(kv string) bool { return strings.HasPrefix(kv, "PYTHONPATH=") }
	if p.who != trial.Referee || p.world != nil || slices.ContainsFunc(p.env, said) || !slices.ContainsFunc(p.final, python) {
		return nil
	}
	return []string{"PYTHONPATH=" + pythonDir}
}

// readyPython puts pythonSite where pythonEnv says. Errors are the sandbox's.
func (p place) readyPython(ctx context.Context, sb sandbox.Sandbox) error {
	if p.pythonEnv() == nil {
		return nil
	}
	return sb.FS().Write(ctx, pythonDir+"/sitecustomize.py", []byte(pythonSite))
}
