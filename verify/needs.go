package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/internal/propose"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lint"
	"cookoff/verify/printed"
	"cookoff/verify/testrun"
)

// need is something that a check can't run without.
type need struct {
	name string // of a program or module
	what string // how it is shown
	test string // shell that succeeds where it is there
	said string // what one says that misses it
}

// needs are the programs that a script calls by name, the modules that it
// starts with python -m, and the packages' programs that it starts with npx.
func needs(src string) []need {
	f, err := shell.Parse(src)
	if err != nil {
		return nil
	}
	spared := optional(f)
	var list []need
	for _, name := range shell.Programs(src) {
		if q, err := syntax.Quote(name, syntax.LangBash); err == nil && !spared[name] {
			list = append(list, need{name, fmt.Sprintf("no program %q", name), "type -t -- " + q, name + ": not found"})
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is {
			return true
		}
		var argv []string
		for _, w := range shell.CommandWords(call) {
			argv = append(argv, shell.Text(w))
		}
		if len(argv) > 1 {
			list = append(list, needsOf(argv)...)
		}
		return true
	})
	return list
}

// optional are the programs that a script can do without: it asks for them, or
// does something else where they fail.
func optional(f *syntax.File) map[string]bool {
	out := map[string]bool{}
	spare := func(n syntax.Node) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if call, is := n.(*syntax.CallExpr); is {
				out[shell.CommandName(call)] = true
			}
			return true
		})
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if n.Negated {
				spare(n)
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.OrStmt {
				spare(n)
			}
		case *syntax.IfClause:
			spare(n)
		case *syntax.CallExpr:
			if len(n.Args) > 1 && slices.Contains([]string{"command", "type", "which", "hash"}, shell.Text(n.Args[0])) {
				for _, w := range n.Args[1:] {
					out[shell.Text(w)] = true
				}
			}
		}
		return true
	})
	return out
}

// moduleName is one that python or npx can look for.
var moduleName = pattern.New(`^[A-Za-z_][\w-]*`)

func needsOf(argv []string) []need {
	prog, args := argv[0], argv[1:]
	switch {
	case strings.HasPrefix(path.Base(prog), "python"):
		if at := testrun.PythonModule(args); at < len(args) {
			if m := moduleName.FindString(args[at]); m != "" {
				return []need{{m, fmt.Sprintf("no module %q of %s", m, prog),
					prog + " -c 'import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)' " + m,
					"No module named " + m}}
			}
		}
	case path.Base(prog) == "npx":
		for _, a := range args {
			if strings.HasPrefix(a, "-") {
				continue
			}
			if m := moduleName.FindString(a); m == a && m != "" {
				return []need{{m, fmt.Sprintf("no program %q for npx", m), "test -x node_modules/.bin/" + m + " || type -t " + m,
					m + ": not found"}}
			}
			break
		}
	}
	return nil
}

// lacking gives those of the needs of scripts that a world does not meet, but
// for names that a file of the world has: to put it in its place may be the task.
func lacking(ctx context.Context, sb sandbox.Sandbox, scripts []string, files sandbox.Manifest) ([]need, error) {
	var list []need
	for _, src := range scripts {
		for _, n := range needs(src) {
			if !slices.Contains(list, n) && !hasFile(files, n.name) {
				list = append(list, n)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	var b strings.Builder
	for i, n := range list {
		fmt.Fprintf(&b, "( %s ) > /dev/null 2>&1 || echo %d\n", n.test, i)
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: b.String() + "true", Timeout: checks.DefaultTimeout})
	if err != nil {
		return nil, err
	}
	if !res.OK() {
		return nil, errors.Join(sandbox.ErrUnavailable, fmt.Errorf("looking for what checks need: %s", printed.Ended(res)))
	}
	var out []need
	for _, at := range strings.Fields(string(res.Stdout)) {
		for i, n := range list {
			if fmt.Sprint(i) == at {
				out = append(out, n)
			}
		}
	}
	return out, nil
}

// hasFile reports whether a file or directory has a name, or is a module of it. What
// is installed for a Python is no such file: who uses another one does not have it.
func hasFile(files sandbox.Manifest, name string) bool {
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

// unmet says which things are lacking, and what adds the first.
func unmet(list []need, files sandbox.Manifest) string {
	var what []string
	for _, n := range list {
		what = append(what, n.what)
	}
	return fmt.Sprintf("the sandbox has %s; %s", strings.Join(what, ", "), remedyFor(files, list[0].name, list[0].said))
}

// remedyOf is what adds a program or module to a sandbox, or where it is already.
func remedyOf(files sandbox.Manifest, name string) string {
	for _, f := range files {
		if at := installed.FindStringIndex(f.Path); at != nil && path.Dir(f.Path[at[1]:]) == "." &&
			path.Base(path.Dir(f.Path)) == "bin" && path.Base(f.Path) == name {
			return fmt.Sprintf("the project has it: call it as %s", f.Path)
		}
	}
	if python := environment(files, name); python != "" {
		return fmt.Sprintf("the project's own environment has it: call it by %s in place of python3", python)
	}
	return remedy
}

// remedyFor is remedyOf, or what gets the thing that a check missed by its output.
func remedyFor(files sandbox.Manifest, name, output string) string {
	add := remedyOf(files, name)
	if get := fetching(files, output); get != "" && add == remedy {
		return get + "; or prove with a solution that the task can be mended"
	}
	return add
}

// fetching is what gets what a check missed by its output, as the project names it: ""
// where nothing does. What a program prepares may be there and hold no such thing.
func fetching(files sandbox.Manifest, output string) string {
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

// complaint is what a check said that failed; "" where it did not.
func complaint(ev *trial.Evidence) string {
	if ev == nil || ev.Exit == 0 {
		return ""
	}
	return ev.Tail + "\n" + ev.Stderr
}

// missedIn gives the program or module that a check's output says is not there.
func missedIn(ev *trial.Evidence, files sandbox.Manifest) (name string, module bool) {
	for _, one := range missed {
		if m := one.says.FindStringSubmatch(complaint(ev)); m != nil && !hasFile(files, m[1]) {
			return m[1], one.module
		}
	}
	return "", false
}

// Runnable demands of a task that no solution proves that what its checks need
// is there on the broken state, and that none ends for want of something.
func (a *Admission) Runnable(ctx context.Context, w sandbox.Sandbox, s *Start) error {
	if len(a.Solutions) > 0 {
		return nil
	}
	list, err := lacking(ctx, w, a.Texts(), s.Files)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		return &BrokenStep{"checks", "can't hold here: " + unmet(list, s.Files)}
	}
	return nil
}

// Startable is runnable of what the checks said on the broken state.
func (a *Admission) Startable(ctx context.Context, out Sealed) error {
	if len(a.Solutions) > 0 {
		return nil
	}
	for _, v := range out.Verdicts {
		output := complaint(v.Evidence)
		if output == "" || v.Status == trial.Held {
			continue
		}
		if unfetched.MatchString(output) {
			if get := fetching(out.start.Files, output); get != "" {
				return &BrokenStep{Phase(&v), fmt.Sprintf("can't hold here: no module cache: %s; %s", Sentence(&v), get)}
			}
		}
		name, module := missedIn(v.Evidence, out.start.Files)
		if name == "" {
			continue
		}
		there, err := a.has(ctx, name, module)
		if err != nil {
			return err
		}
		if !there {
			return &BrokenStep{Phase(&v), fmt.Sprintf("can't hold here: there is no %q: %s; %s", name, Sentence(&v),
				remedyFor(out.start.Files, name, output))}
		}
	}
	return nil
}

// unfetched is what Go says of modules that a project needs and a world does not have.
var unfetched = pattern.New(`module lookup disabled by GOPROXY=off`)

// has reports whether the task's clean start has a program, or Python a module,
// of a name. A module that the project does not name, nor is one that runs tests, is
// taken to be there: its name may be what is wrong.
func (a *Admission) has(ctx context.Context, name string, module bool) (there bool, err error) {
	w, err := a.Open(ctx, nil, sandbox.Agent)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	q, err := syntax.Quote(name, syntax.LangBash)
	if err != nil {
		return false, nil
	}
	script := "type -t -- " + q +
		" || python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)' " + q
	if module && !slices.Contains(testRunners, name) {
		script += " || ! cat " + naming + " 2> /dev/null | tr _ - | grep -qiwF -- \"$(printf %s " + q + " | tr _ -)\""
	}
	res, err := w.Exec(ctx, sandbox.Cmd{Script: script})
	return res.OK(), err
}

// testRunners are modules that run tests, which no project misses by a slip.
var testRunners = []string{"pytest", "nose", "tox", "nox", "unittest2", "hypothesis", "jest", "mocha", "vitest", "ava", "tap"}

// naming are the files that name what a project needs.
const naming = "requirements*.txt *requirements.txt requirements/*.txt pyproject.toml setup.py setup.cfg Pipfile environment.yml package.json"

// Lacking says what the checks of a task need and the sandbox does not have, by
// looking: no command of the task is run. What setup or the solution speak of
// may be made there.
func (c *Case) Lacking(ctx context.Context, open Opening) (list []lint.Finding, err error) {
	w, err := open(ctx, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := w.FS().Manifest(ctx, nil)
	if err != nil {
		return nil, err
	}
	var fs lint.Findings
	for _, s := range c.Named() {
		lacks, err := lacking(ctx, w, []string{s.Text}, files)
		if err != nil {
			return nil, err
		}
		lacks = slices.DeleteFunc(lacks, func(n need) bool {
			return strings.Contains(c.Setup+" "+strings.Join(c.Solutions,
				" "), n.name)
		})
		if len(lacks) > 0 {
			fs.Warn(Key(s.Name), remedyFor(files, lacks[0].name, lacks[0].said), "the sandbox has %s", lacks[0].what)
		}
	}
	return fs.List, nil
}

// Key is where a check stands in its task.
func Key(name string) string {
	if name == "after" || name == "guard" {
		return name + "[0]"
	}
	return name
}
