package needs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/internal/propose"
	"cookoff/sandbox"
	"cookoff/trial"
)

// HasFile reports whether a file or directory has a name, or is a module of it. What
// is installed for a Python is no such file: who uses another one does not have it.
func HasFile(files sandbox.Manifest, name string) bool {
	return slices.ContainsFunc(files, func(f sandbox.File) bool {
		base := path.Base(f.Path)
		ext := path.Ext(base)
		return (base == name || strings.TrimSuffix(base, ext) == name && !slices.Contains(settings, ext)) &&
			!installed.MatchString(f.Path)
	})
}

// settings are the endings of files that speak of a program, and are none: yarn.lock,
// pytest.ini.
var settings = []string{".lock", ".ini", ".toml", ".json", ".yaml", ".yml", ".cfg", ".conf", ".md", ".txt"}

// installed is what lies in an environment of Python: its modules and programs.
var installed = pattern.New(`(^|/)(lib/python[^/]*/(site|dist)-packages|\.?venv/bin)/`)

// environment gives the interpreter of the project's own environment of Python that
// has a module, "" where none has.
func environment(files sandbox.Manifest, module string) string {
	for _, f := range files {
		lib, rest, found := strings.Cut(f.Path, "/site-packages/")
		first, _, _ := strings.Cut(rest, "/")
		if found && strings.TrimSuffix(first, path.Ext(first)) == module && !strings.HasPrefix(f.Path, "~") {
			return path.Join(path.Dir(path.Dir(lib)), "bin", "python")
		}
	}
	return ""
}

// remedy is what adds a program to a sandbox.
const remedy = `put tool_paths = ["DIR"] below [sandbox] in the configuration (a directory of this machine that has it), ` +
	`or make it in setup and name its directory with path: DIR; or prove with a solution that the task can be mended`

// Unmet says which things are lacking, and what adds the first.
func Unmet(list []Need, files sandbox.Manifest) string {
	var what []string
	for _, n := range list {
		what = append(what, n.What)
	}
	return fmt.Sprintf("the sandbox has %s; %s", strings.Join(what, ", "),
		RemedyFor(files, list[0].Name, list[0].Message, list[0].test))
}

// remedyOf is what adds a program or module to a sandbox, or where it is already.
func remedyOf(files sandbox.Manifest, name string) string {
	for _, f := range files {
		if at := installed.FindStringIndex(f.Path); at != nil && path.Dir(f.Path[at[1]:]) == "." &&
			path.Base(path.Dir(f.Path)) == "bin" && path.Base(f.Path) == name {
			return fmt.Sprintf("the project has it: call it as %s", f.Path)
		}
	}
	if ownBin.MatchString(name) {
		return "cookoff doctor, called in the project, says where its interpreter leads and what adds that; or prove with " +
			"a solution that the task can be mended"
	}
	if python := environment(files, name); python != "" {
		return fmt.Sprintf("the project's own environment has it: call it by %s in place of python3", python)
	}
	return remedy
}

// RemedyFor is remedyOf, or what gets the thing that one of scripts missed by its output.
func RemedyFor(files sandbox.Manifest, name, output string, scripts ...string) string {
	add := remedyOf(files, name)
	if add != remedy {
		return add
	}
	get := Fetching(files, output)
	if own := Installing(name, output, scripts...); own != "" {
		get = own + " puts it into the project's own environment"
	}
	if get == "" {
		return add
	}
	return get + "; or prove with a solution that the task can be mended"
}

// Installing is the command that installs a module of Python that one of scripts missed by its output, where the
// script is run by the project's own environment: "" where it is not, or no module of Python is missed.
func Installing(name, output string, scripts ...string) string {
	python := ownPython(scripts)
	if python == "" || !noModule.MatchString(output) {
		return ""
	}
	return fmt.Sprintf("%s -m pip install %s", python, name)
}

// ownPython calls the interpreter of the project's own environment by which one of scripts runs, from the directory of
// a part of the project that the script goes to first: "" where none does.
func ownPython(scripts []string) string {
	for _, src := range scripts {
		if m := ownBin.FindStringSubmatch(src); m != nil {
			python := m[1] + "python"
			if into := intoPart.FindStringSubmatch(src); into != nil {
				python = into[1] + python
			}
			return python
		}
	}
	return ""
}

// noModule is what Python says of a module that is not there.
var noModule = pattern.New(`No module named '?[A-Za-z_]`)

// intoPart is how a script goes to a directory before all else.
var intoPart = pattern.New(`^\(?(cd [\w./@-]+ && )`)

// ownBin is the directory of programs of a project's own environment of Python.
var ownBin = pattern.New(`(?:^|[\s;&|(=])((?:[\w.@-]+/)*\.?v?env/bin/)\w`)

// Fetching is what gets what a check missed by its output, as the project names it: ""
// where nothing does. What a program prepares may be there and hold no such thing.
func Fetching(files sandbox.Manifest, output string) string {
	have := func(name string) bool {
		return slices.ContainsFunc(files, func(f sandbox.File) bool {
			return f.Path == name ||
				strings.HasPrefix(f.Path, name+"/")
		})
	}
	modules := func(f sandbox.File) bool {
		at, below := strings.CutPrefix(f.Path, "~/go/pkg/mod/")
		return below && !strings.HasPrefix(at, "cache/") && at != "cache" // a failed download leaves a lock there
	}
	if slices.ContainsFunc(prepared, have) || slices.ContainsFunc(files, modules) {
		return ""
	}
	p := propose.PrepareFor(output, have, func(string) string { return "" })
	switch {
	case p.Command == "":
		return ""
	case p.Dir != "":
		return fmt.Sprintf("prepare: %s gets it, with checks that call %s/python", p.Command, p.Dir)
	}
	return fmt.Sprintf("prepare: %s gets it", p.Command)
}

// prepared are directories that a preparation fills.
var prepared = []string{"node_modules", ".venv", "vendor/modules.txt"}

// missed are programs and modules, as those who miss them name them. A program under
// repair may say much of this itself: a shell's words are known by their beginning.
var missed = []struct {
	says   *pattern.Pattern
	module bool // it may be one that is wrongly named, which is for the contestant to mend
}{
	{pattern.New(`(?m)(?:^[^\s:]*sh: |: )(?:line )?\d+: ([\w@+-][\w.@+-]*): (?:command )?not found$`), false},
	{pattern.New(`(?m)^[^\s:]*sh: ([\w@+-][\w.@+-]*): (?:command )?not found$`), false},
	{pattern.New(`(?m)^(?:g?make(?:\[\d+\])?): ([\w.@+-]+): No such file or directory$`), false},
	{pattern.New(`No module named '?([A-Za-z_]\w*)`), true},
	{pattern.New(`Cannot find (?:module|package) '([^'./][^']*)'`), true},
	{pattern.New(`exec: "([^"/]+)": executable file not found`), false},
	{pattern.New(`env: .?([\w.+-]+).?: No such file or directory`), false},
	{pattern.New(`error: no such command: .([\w-]+).`), false},
}

// FailureText is what a check said that failed; "" where it did not.
func FailureText(ev *trial.Evidence) string {
	if ev == nil || ev.Exit == 0 {
		return ""
	}
	return ev.Tail + "\n" + ev.Stderr
}

// MissedIn gives the program or module that the output of a command that failed says is not there.
func MissedIn(output string, files sandbox.Manifest) (name string, module bool) {
	for _, one := range missed {
		if m := one.says.FindStringSubmatch(output); m != nil && !HasFile(files, m[1]) {
			return m[1], one.module
		}
	}
	return "", false
}

// Unfetched is what Go says of modules that a project needs and a world does not have.
var Unfetched = pattern.New(`module lookup disabled by GOPROXY=off`)

// probe is a script that succeeds where there is a program, or for the Python of scripts a module, of
// a name; not ok: no shell can say the name. A module that the project does not name, nor
// is one that runs tests, is taken to be there: its name may be what is wrong.
func probe(name string, module bool, scripts []string) (script string, ok bool) {
	q, err := syntax.Quote(name, syntax.LangBash)
	if err != nil {
		return "", false
	}
	python := ownPython(scripts)
	if python == "" || !module {
		script = "type -t -- " + q + " || "
	}
	if python == "" {
		python = "python3"
	}
	script += python + " -c 'import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)' " + q
	if module && !slices.Contains(testRunners, name) {
		script += " || ! cat " + naming + " 2> /dev/null | " + others + " | tr _ - | grep -qiwF -- \"$(printf %s " +
			q + " | tr _ -)\""
	}
	return script, true
}

// Has reports whether a world has a program, or the Python that one of scripts runs by a module, of a name, or may
// have it: a module that the project does not name may be wrongly named.
func Has(ctx context.Context, sb sandbox.Sandbox, name string, module bool, scripts ...string) (bool, error) {
	script, ok := probe(name, module, scripts)
	if !ok {
		return false, nil
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: script})
	return res.OK(), err
}

// testRunners are modules that run tests, which no project misses by a slip.
var testRunners = []string{"pytest", "nose", "tox", "nox", "unittest2", "hypothesis", "jest", "mocha", "vitest", "ava",
	"tap"}

// others leaves out how a project calls itself: it is no package that it needs.
const others = `grep -vE '^[[:space:]]*"?name"?[[:space:]]*[:=]'`

// naming are the files that name what a project needs.
const naming = "requirements*.txt *requirements.txt " +
	"requirements/*.txt pyproject.toml setup.py setup.cfg Pipfile environment.yml package.json"
