package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/shell"
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

// pythonPath is the variable that names where Python looks for modules.
const pythonPath = "PYTHONPATH"

// pythons reports whether pythonSite is for this place: it is the referee's, and
// the state has Python.
func (p place) pythons() bool {
	python := func(f sandbox.File) bool { return path.Ext(f.Path) == ".py" }
	return p.who == trial.Referee && p.world == nil && slices.ContainsFunc(p.final, python)
}

// pythonEnv is what makes Python read pythonSite, beside what the task says of
// where modules are.
func (p place) pythonEnv() []string {
	if !p.pythons() {
		return nil
	}
	dirs := pythonDir
	for _, kv := range p.env { // the last one counts
		if said, is := strings.CutPrefix(kv, pythonPath+"="); is {
			dirs = pythonDir + ":" + said
		}
	}
	return []string{pythonPath + "=" + dirs}
}

// pythonScript is a script in which what it sets PYTHONPATH to has pythonSite, too.
func (p place) pythonScript(text string) string {
	if !p.pythons() || !strings.Contains(text, pythonPath) {
		return text
	}
	f := shell.Parsed(text)
	if f == nil {
		return text
	}
	var at []uint
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Name.Value == pythonPath && n.Value != nil && !n.Append {
				at = append(at, n.Value.Pos().Offset())
			}
		case *syntax.CallExpr:
			for _, w := range n.Args[:max(0, len(n.Args)-len(shell.CommandWords(n)))] { // env PYTHONPATH=src python3
				if len(w.Parts) > 0 && strings.HasPrefix(text[w.Pos().Offset():], pythonPath+"=") {
					at = append(at, w.Pos().Offset()+uint(len(pythonPath)+1))
				}
			}
		}
		return true
	})
	slices.Sort(at)
	for _, i := range slices.Backward(at) {
		text = text[:i] + pythonDir + ":" + text[i:]
	}
	return text
}

// readyPython puts pythonSite where pythonEnv says. Errors are the sandbox's.
func (p place) readyPython(ctx context.Context, sb sandbox.Sandbox) error {
	if !p.pythons() {
		return nil
	}
	return sb.FS().Write(ctx, pythonDir+"/sitecustomize.py", []byte(pythonSite))
}
