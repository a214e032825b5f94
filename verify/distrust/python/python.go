// Package python is how the referee distrusts Python.
package python

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/verify/distrust"
)

// Tool is Python. A check is hijacked through modules of the project and of HOME
// that stand in for Python's own, through sitecustomize, .pth and old bytecode.
type Tool struct{ distrust.None }

// Live has Python take no module from where it runs, nor from HOME, and no compiled one:
// in the trial's own world a contestant may write wherever there is a directory, so
// that Python is to look below a file.
func (Tool) Live() []string {
	return []string{"PYTHONSAFEPATH=1", "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPYCACHEPREFIX=/dev/null/pycache"}
}

// Over has Python find the modules of a project behind all others.
func (Tool) Over(final sandbox.Manifest) distrust.Answer {
	if !slices.ContainsFunc(final, func(f sandbox.File) bool { return path.Ext(f.Path) == ".py" }) {
		return distrust.Answer{}
	}
	return distrust.Answer{Env: env, Script: script, Files: map[string]string{siteDir + "/sitecustomize.py": site}}
}

// siteDir is where the referee's worlds have what site is.
const siteDir = "/tmp/.referee-python"

// site lets Python, which in the referee's worlds looks into no directory of the
// project by itself (PYTHONSAFEPATH), find the project's modules there after all
// others: the directory in which it was started, and that of the script. A file
// of the project never stands in for one of Python's own, and adds no plug-in to
// a program that looks for them on sys.path.
const site = `import importlib.machinery, os, sys

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

// searchPath is the variable that names where Python looks for modules.
const searchPath = "PYTHONPATH"

// env is what makes Python read site, beside what a check says of where modules
// are.
func env(said []string) []string {
	dirs := siteDir
	for _, kv := range said { // the last one counts
		if own, is := strings.CutPrefix(kv, searchPath+"="); is {
			dirs = siteDir + ":" + own
		}
	}
	return []string{searchPath + "=" + dirs}
}

// script is a script in which what it sets PYTHONPATH to has site, too.
func script(text string) string {
	if !strings.Contains(text, searchPath) {
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
			if n.Name != nil && n.Name.Value == searchPath && n.Value != nil && !n.Append {
				at = append(at, n.Value.Pos().Offset())
			}
		case *syntax.CallExpr:
			for _, w := range n.Args[:max(0, len(n.Args)-len(shell.CommandWords(n)))] { // env PYTHONPATH=src python3
				if len(w.Parts) > 0 && strings.HasPrefix(text[w.Pos().Offset():], searchPath+"=") {
					at = append(at, w.Pos().Offset()+uint(len(searchPath)+1))
				}
			}
		}
		return true
	})
	slices.Sort(at)
	for _, i := range slices.Backward(at) {
		text = text[:i] + siteDir + ":" + text[i:]
	}
	return text
}
