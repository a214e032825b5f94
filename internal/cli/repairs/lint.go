package repairs

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/tools/repair"
	"cookoff/verify/lint"
)

func newLint(c *cli.Common, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Find everything that is wrong with repairs",
		Long: `Reads the repairs of DIR, or the program's own library, and prints all that is
wrong at once, as file:line:col, the scripts of tests included. Nothing is run;
"test" does that. A fix without
a test, or whose test rejects no wrong repair, is a warning. Exits 1 when there
is an error.`,
		Example: `  cookoff repair lint
  cookoff repair lint ./repairs --format json`,
		Args: cli.Positional(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.OneOf("format", f.format, "text", "json", "sarif"); err != nil {
				return err
			}
			ps, n, err := lintRepairs(strings.Join(args, ""), f.dir)
			if err != nil {
				return err
			}
			return printLint(c, ps, n, f.format)
		},
	}
	f.formats(cmd, "text, json or sarif")
	return cmd
}

// lintRepairs gives what is wrong with the repairs of dir, the library's for
// "", and how many there are.
func lintRepairs(dir, more string) (problem.List, int, error) {
	load := func() (*repair.Library, error) { return repairdirs.Load(repairdirs.At(more)) }
	if dir != "" {
		load = func() (*repair.Library, error) { return repair.Load(os.DirFS(dir), dir) }
	}
	lib, err := load()
	var ps problem.List
	switch {
	case errors.As(err, &ps):
		return ps, 0, nil
	case err != nil:
		return nil, 0, cli.Fail(cli.ExitUsage, err)
	}
	if ps, err = repairdirs.Unsupplied(lib); err != nil {
		return nil, 0, cli.Fail(cli.ExitInfra, err)
	}
	if dir != "" {
		same, err := taken(lib)
		if err != nil {
			return nil, 0, cli.Fail(cli.ExitInfra, err)
		}
		ps = append(ps, same...)
	}
	for _, r := range lib.Repairs() {
		tasks, err := r.Tasks()
		if err != nil {
			return nil, 0, cli.Fail(cli.ExitUsage, err)
		}
		for _, f := range r.Fixes {
			if f.Test == nil {
				ps = append(ps, problem.Problem{Pos: f.Pos, Warning: true,
					Msg: fmt.Sprintf("fix %q has no test: nothing proves it, and it makes no task", f.ID)})
				continue
			}
			ps = append(ps, lintContract(f, tasks[0])...)
			tasks = tasks[1:]
		}
	}
	ps.Sort()
	return ps, len(lib.Repairs()), nil
}

// lintContract gives what is wrong with the test of a fix, which makes task.
func lintContract(f *repair.Fix, task recipe.Task) problem.List {
	var ps problem.List
	say := func(found lint.Finding, key string) {
		at := f.Test.At[key]
		if at.Line == 0 { // the fix's own command is the solution
			at = f.Pos
		}
		ps = append(ps, problem.Problem{Pos: at, Msg: found.Key + ": " + found.Msg, Hint: found.Hint,
			Warning: found.Warning})
	}
	for _, found := range lint.Task(task) {
		key, _, _ := strings.Cut(found.Key, ".")
		if base, _, _ := strings.Cut(key, "["); base == "after" || base == "guard" {
			key = base // a test has one of each
		}
		say(found, key)
	}
	for i, s := range f.Test.Shortcuts {
		for _, found := range lint.Task(recipe.Task{Setup: s.Command}) {
			if found.Key == "setup" && !found.Warning {
				found.Key = "shortcut " + s.ID
				say(found, fmt.Sprintf("shortcuts[%d]", i))
			}
		}
	}
	if f.Test.After == "" && len(f.Test.Verify) == 0 {
		ps = append(ps, problem.Problem{Pos: f.Test.At[""],
			Msg: fmt.Sprintf("the test of fix %q has no after and no verify: nothing tells that the fix worked", f.ID)})
	}
	if len(f.Test.Shortcuts) == 0 {
		ps = append(ps, problem.Problem{Pos: f.Pos, Warning: true,
			Msg: fmt.Sprintf("the test of fix %q has no shortcuts: nothing shows that it rejects a wrong repair",
				f.ID)})
	}
	return ps
}

// taken gives the repairs whose id one of the program's own library has, but
// for these themselves, of which a directory may be the source.
func taken(lib *repair.Library) (problem.List, error) {
	ours, err := repair.Default()
	if err != nil {
		return nil, err
	}
	var ps problem.List
	for _, r := range lib.Repairs() {
		for _, o := range ours.Repairs() {
			mine, theirs := viewOf(r), viewOf(o)
			mine.File, theirs.File = "", ""
			if r.ID == o.ID && !reflect.DeepEqual(mine, theirs) {
				ps = append(ps, problem.Problem{Pos: r.Pos,
					Msg: fmt.Sprintf("repair %q is already one of the program's own, at %s",
						r.ID, o.Pos), Hint: "ids are unique: cookoff repair list names those that are taken"})
			}
		}
	}
	return ps, nil
}

func printLint(c *cli.Common, ps problem.List, n int, format string) error {
	if err := c.PrintFound(format, ps, c.Err); err != nil {
		return err
	}
	if len(ps) == 0 && format == "text" {
		c.Say("%s: nothing is wrong", text.Count(n, "repair"))
	}
	if len(ps.Errors()) > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	return nil
}
