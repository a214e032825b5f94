package needs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/verify/checks"
	"cookoff/verify/printed"
	"cookoff/verify/testrun"
)

// Need is something that a check can't run without.
type Need struct {
	Name    string // of a program or module
	What    string // how it is shown
	test    string // shell that succeeds where it is there
	Message string // what one says that misses it
	by      string // the path of the program that has the module, and may itself not run; "": PATH finds it
}

// scriptNeeds are the programs that a script calls by name, the modules that it
// starts with python -m, and the packages' programs that it starts with npx.
func scriptNeeds(src string) []Need {
	f, err := shell.Parse(src)
	if err != nil {
		return nil
	}
	spared := optional(f)
	var list []Need
	for _, name := range shell.Programs(src) {
		if q, err := syntax.Quote(name, syntax.LangBash); err == nil && !spared[name] {
			list = append(list, Need{name, fmt.Sprintf("no program %q", name), "type -t -- " + q, name + ": not found", ""})
		}
	}
	for _, call := range shell.Calls(src) {
		argv := call.Words
		if len(argv) > 1 && argv[0] == "exec" { // in the shell's place, as services are run
			argv = argv[1:]
			if q, err := syntax.Quote(argv[0], syntax.LangBash); err == nil && plainName.MatchString(argv[0]) {
				list = append(list, Need{argv[0], fmt.Sprintf("no program %q", argv[0]),
					"type -t -- " + q, argv[0] + ": not found", ""})
			}
		}
		if len(argv) > 1 {
			list = append(list, commandNeeds(argv, call.Dir)...)
		}
	}
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

// plainName is that of a program that is looked for on PATH.
var plainName = pattern.New(`^[A-Za-z0-9_][\w.+-]*$`)

// moduleName is one that python or npx can look for.
var moduleName = pattern.New(`^[A-Za-z_][\w-]*`)

// commandNeeds gives what a command can not run without beside its program: the module that it starts, as with
// python -m or npx. dir is where it does its work; "": not known, so that nothing can be said of what is looked
// for from there.
func commandNeeds(argv []string, dir string) []Need {
	prog, args := argv[0], argv[1:]
	switch {
	case strings.HasPrefix(path.Base(prog), "python"):
		if at := testrun.PythonModule(args); at < len(args) {
			if m := moduleName.FindString(args[at]); m != "" {
				by := ""
				switch {
				case path.IsAbs(prog):
					by = prog
				case strings.Contains(prog, "/") && dir == "":
					return nil
				case strings.Contains(prog, "/"):
					by = path.Join(dir, prog)
				}
				return []Need{{m, fmt.Sprintf("no module %q of %s", m, prog),
					in(dir, prog+" -c 'import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)' "+m),
					"No module named " + m, by}}
			}
		}
	case path.Base(prog) == "npx":
		for _, a := range args {
			if strings.HasPrefix(a, "-") {
				continue
			}
			if m := moduleName.FindString(a); m == a && m != "" {
				return []Need{{m, fmt.Sprintf("no program %q for npx", m),
					in(dir, "test -x node_modules/.bin/"+m+" || type -t "+m), m + ": not found", ""}}
			}
			break
		}
	}
	return nil
}

// in is a command that is called in a directory of the project; "": where nobody knows.
func in(dir, command string) string {
	if quoted, err := syntax.Quote(dir, syntax.LangBash); dir != "" && dir != "." && err == nil {
		return "cd " + quoted + " && { " + command + "\n}"
	}
	return command
}

// Lacking gives those of the needs of scripts that a world does not meet, but
// for names that a file of the world has: to put it in its place may be the task.
func Lacking(ctx context.Context, sb sandbox.Sandbox, scripts []string, files sandbox.Manifest) ([]Need, error) {
	var list []Need
	for _, src := range scripts {
		for _, n := range scriptNeeds(src) {
			if !slices.Contains(list, n) && !HasFile(files, n.Name) {
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
		if n.by != "" {
			quoted, err := syntax.Quote(n.by, syntax.LangBash)
			if err != nil {
				continue
			}
			fmt.Fprintf(&b, "( test -x %s ) || echo by%d\n", quoted, i)
		}
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: b.String() + "true", Timeout: checks.DefaultTimeout})
	if err != nil {
		return nil, err
	}
	if !res.OK() {
		return nil, sandbox.OfKinds("looking for what checks need: "+printed.Ended(res), sandbox.ErrUnavailable)
	}
	var out []Need
	said := strings.Fields(string(res.Stdout))
	for i, n := range list {
		switch {
		case !slices.Contains(said, fmt.Sprint(i)):
		case slices.Contains(said, fmt.Sprintf("by%d", i)): // nothing can be said of its modules
			out = append(out, Need{Name: n.by, What: fmt.Sprintf("no program %q that runs", n.by), test: n.test})
		default:
			out = append(out, n)
		}
	}
	return out, nil
}

// Missing gives those of names that a shell of the sandbox does not know.
func Missing(ctx context.Context, sb sandbox.Sandbox, names, env []string) ([]string, error) {
	var quoted []string
	for _, n := range names {
		if q, err := syntax.Quote(n, syntax.LangBash); err == nil {
			quoted = append(quoted, q)
		}
	}
	if quoted == nil {
		return nil, nil
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{
		Script: "for n in " + strings.Join(quoted, " ") + `; do type -t -- "$n" >/dev/null || printf '%s\n' "$n"; done`,
		Env:    env})
	if err != nil {
		return nil, err
	}
	if !res.OK() {
		return nil, sandbox.OfKinds("looking for the tools of checks: "+printed.Ended(res), sandbox.ErrUnavailable)
	}
	return strings.Fields(string(res.Stdout)), nil
}
