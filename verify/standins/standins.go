// Package standins finds what was added to a state and is taken before, or beside, what
// decides there: tests, modules and makefiles that nobody asked for. It reads names alone.
package standins

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// tests are how files of tests are called.
var tests = []string{"**/*_test.go", "**/test_*.py", "**/*_test.py", "**/*.{test,spec}.{js,jsx,ts,tsx,mjs,cjs,mts,cts}",
	"**/*_spec.rb", "**/*_test.rb", "**/*{Test,Tests}.{java,cs,kt}", "**/*.t", "**/*.bats",
	"**/*_test.{c,cc,cpp,cxx,rs,sh,bash}", "**/test_*.{c,cc,cpp,cxx,sh,bash}"}

// IsTest reports whether a file of a manifest is called as those are that hold tests.
func IsTest(p string) bool {
	return slices.ContainsFunc(tests, func(g string) bool { return glob.Match(g, p) })
}

// OfTests reports whether a file of a manifest is one that tests may need: it lies where tests do, and is
// nothing that says how they run.
func OfTests(p string) bool {
	name := path.Base(p)
	among := func(dir string) bool { return slices.Contains(places, dir) }
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), among) && !strings.HasPrefix(p, "~/") &&
		!strings.HasPrefix(name, ".") && !strings.Contains("/"+p, "/node_modules/") &&
		!slices.ContainsFunc(running, func(g string) bool { return glob.Match(g, name) })
}

// places are directories in which tests lie, and what they read.
var places = []string{"test", "tests", "testdata", "spec", "specs", "__tests__", "t"}

// running are files by which a runner, a compiler or a shell does otherwise with what lies there.
var running = []string{"conftest.py", "__init__.py", "sitecustomize.py", "usercustomize.py", "package.json",
	"package-lock.json", "*.{ini,cfg,toml,pth,mk,cmake,yml,yaml}", "tsconfig*.json", "*.config.*", "*[Mm]akefile*",
	"go.{mod,work}", "CMakeLists.txt",
	"*_helper.rb", "*setup*", "*preload*", "*.{so,dll,node,pyc}"}

// foreign are directories in which the modules of others lie.
var foreign = []string{"vendor", "vendored", "_vendor", "third_party", "thirdparty", "external", "lib", "libs", "deps",
	"site-packages", "dist-packages"}

// Added gives files and directories of to that are not in from, and that a test runner, make, go, Node or
// Python takes beside or before what from has.
// Tests count only where all that were there still are: else they may be those, moved.
func Added(from, to sandbox.Manifest) (list []string) {
	moved := slices.ContainsFunc(from, func(f sandbox.File) bool { return IsTest(f.Path) && !had(to, f.Path) })
	for _, d := range tree.Differences(from, to) {
		if d.Was != nil || strings.HasPrefix(d.Path, "~/") {
			continue
		}
		s := state{from, to, d.Path}
		if !moved && d.Is.Mode.IsRegular() && (IsTest(d.Path) || OfTests(d.Path)) || s.makefile() || s.goModules() || s.nodeModule() ||
			s.pythonModule() {
			list = append(list, d.Path)
		}
	}
	return list
}

// state is what one new path is looked at in.
type state struct {
	from, to sandbox.Manifest
	path     string
}

func (s state) beside(name string) string { return path.Join(path.Dir(s.path), name) }

func had(m sandbox.Manifest, p string) bool { _, ok := tree.Lookup(m, p); return ok }

// makefile: make takes it before the Makefile that is there.
func (s state) makefile() bool {
	name := path.Base(s.path)
	return (name == "makefile" || name == "GNUmakefile") && (had(s.from, s.beside("Makefile")) ||
		had(s.from, s.beside("makefile")))
}

// goModules: go builds with the workspace, or out of the vendor directory, what go.mod says otherwise.
func (s state) goModules() bool {
	switch path.Base(s.path) {
	case "go.work":
		below := strings.TrimPrefix(path.Dir(s.path)+"/", "./")
		return slices.ContainsFunc(s.from, func(f sandbox.File) bool {
			return path.Base(f.Path) == "go.mod" && strings.HasPrefix(f.Path, below)
		})
	case "vendor":
		return had(s.from, s.beside("go.mod"))
	}
	return false
}

// nodeModule: Node finds it before the module of the same name that lies further up.
func (s state) nodeModule() bool {
	name, at := moduleName(s.path)
	if name == "" || strings.Contains("/"+at+"/", "/node_modules/") { // npm lays them so by itself
		return false
	}
	for dir := at; dir != "."; {
		dir = path.Dir(dir)
		if had(s.from, path.Join(dir, "node_modules", name)) {
			return true
		}
	}
	return false
}

// moduleName takes DIR/node_modules/NAME, or DIR/node_modules/@SCOPE/NAME, apart; "": it is none.
func moduleName(p string) (name, at string) {
	dir, last := path.Split(p)
	dir = path.Clean(dir)
	if scope := path.Base(dir); strings.HasPrefix(scope, "@") {
		last, dir = scope+"/"+last, path.Dir(dir)
	}
	if path.Base(dir) != "node_modules" || strings.HasPrefix(last, "@") && !strings.Contains(last, "/") {
		return "", ""
	}
	return last, path.Dir(dir)
}

// pythonModule: Python finds it, from where it is started, before the module of the same
// name among those of others.
func (s state) pythonModule() bool {
	name, is := strings.CutSuffix(path.Base(s.path), ".py")
	if !is && !had(s.to, s.path+"/__init__.py") || name == "__init__" || had(s.to, s.beside("__init__.py")) {
		return false
	}
	return slices.ContainsFunc(s.from, func(f sandbox.File) bool {
		p := strings.TrimSuffix(f.Path, "/__init__.py")
		return (p != f.Path || path.Ext(p) == ".py") && strings.TrimSuffix(path.Base(p), ".py") == name &&
			slices.Contains(foreign, path.Base(path.Dir(p))) && had(s.to, f.Path)
	})
}
