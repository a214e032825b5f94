package recipes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/interop/harbor/export"
	"cookoff/recipe"
	"cookoff/runner/project"
)

func newExport(c *cli.Common) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write a recipe's tasks for other programs",
		Example: "  cookoff export harbor recipe.md -o tasks",
	}
	var f exportFlags
	harbor := &cobra.Command{
		Use:   "harbor [RECIPE]",
		Short: "Write tasks that Harbor runs",
		Long: `Writes a new directory with a task for Harbor (task.toml 1.4) of each task of a recipe:
an image with the project's files and the setup, the checks as tests of a separate
verifier (a shared one where a check is live), the solution. Each task that Harbor has no words for is said on standard
error, with every reason; the exit status is 1 where none is left. What Harbor does
not hold of the others (protect, the footprint, witnesses) is said as well. Nothing of
the recipe is run.`,
		Example: `  cookoff export harbor recipe.md -o tasks
  cookoff export harbor recipe.md -o tasks --image golang:1.26`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: c.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.harbor(cmd.Context(), c, strings.Join(args, ""))
		},
	}
	harbor.Flags().StringVarP(&f.output, "output", "o", "", "write the tasks into this new `DIR`")
	harbor.Flags().StringVar(&f.image, "image", "debian:12", "begin images with `IMAGE`, where the recipe names none")
	cli.LockedFlag(harbor, &f.locked)
	cmd.AddCommand(harbor)
	return cmd
}

// exportFlags are the flags of "export harbor".
type exportFlags struct {
	output, image string
	locked        bool
}

// harbor writes the tasks of a recipe.
func (f *exportFlags) harbor(ctx context.Context, c *cli.Common, name string) error {
	if f.output == "" {
		return cli.Usage("-o names the directory that the tasks are written into")
	}
	if strings.ContainsFunc(f.image, func(r rune) bool { return r <= ' ' }) || f.image == "" ||
		strings.HasPrefix(f.image, "-") {
		return cli.Usage("--image %q is no name of an image", f.image)
	}
	r, ps, err := c.FindRecipe(ctx, name, f.locked)
	if err != nil {
		return err
	}
	if len(ps.Errors()) > 0 {
		return cli.Fail(cli.ExitUsage, ps)
	}
	r = r.Drawn()
	cfg, err := c.LoadConfig()
	if err != nil {
		return err
	}
	e := &exporting{c: c, image: f.image, recipe: r, secrets: cfg.Secrets(), taken: map[string]bool{}}
	defer e.done()
	err = files.WriteDir(f.output, func(dir string) error { return e.all(ctx, dir) })
	var none *noneError
	switch {
	case errors.As(err, &none):
		return cli.Fail(cli.ExitGate, err)
	case err != nil:
		return cli.Fail(cli.ExitUsage, err)
	}
	c.Say("%d of %s written to %s", e.written, text.Count(len(r.Tasks), "task"), f.output)
	return nil
}

// noneError says that no task could be written.
type noneError struct{}

func (*noneError) Error() string { return "no task can be written for Harbor" }

// exporting is a recipe being written.
type exporting struct {
	c       *cli.Common
	image   string
	recipe  *recipe.Recipe
	secrets map[string]string
	taken   map[string]bool // names of directories
	written int
	copies  map[string]string // of projects, by directory
	undo    []func()
}

func (e *exporting) done() {
	for _, f := range e.undo {
		f()
	}
}

// all writes every task that can be into dir.
func (e *exporting) all(ctx context.Context, dir string) error {
	lost := map[string]bool{}
	for _, t := range e.recipe.Tasks {
		if refused := export.Refused(e.recipe, t); len(refused) > 0 {
			for _, why := range refused {
				fmt.Fprintf(e.c.Err, "%s %s: %s\n", e.c.Err.Paint(screen.Red, "not written:"), text.Line(t.Name()),
					text.Line(why))
			}
			continue
		}
		if what := strings.Join(export.Lost(e.recipe, t), ", "); what != "" && !lost[what] {
			lost[what] = true
			e.c.Say("%s: Harbor does not hold: %s", text.Line(t.Name()), what)
		}
		if err := e.one(ctx, dir, t); err != nil {
			return fmt.Errorf("task %q: %w", t.Name(), err)
		}
		e.written++
	}
	if e.written == 0 {
		return &noneError{}
	}
	return nil
}

// one writes a task.
func (e *exporting) one(ctx context.Context, dir string, t recipe.Task) error {
	name := export.Slug(t.Name())
	for i := 2; e.taken[name]; i++ {
		name = fmt.Sprintf("%s-%d", export.Slug(t.Name()), i)
	}
	e.taken[name] = true
	start, err := e.start(ctx, t)
	if err != nil {
		return err
	}
	hidden, err := project.HiddenFiles(start, e.recipe, t)
	if err != nil {
		return err
	}
	judge, err := project.JudgeOnlyFiles(start, e.recipe, t)
	if err != nil {
		return err
	}
	return export.Task(filepath.Join(dir, name), export.Given{Recipe: e.recipe, Project: start,
		Hidden: hidden, Judge: judge, Image: e.image, Name: export.Slug(e.recipe.Name) + "/" + name}, t)
}

// start gives a copy of what the worlds of a task start with, without what no trial sees;
// "": nothing.
func (e *exporting) start(ctx context.Context, t recipe.Task) (string, error) {
	below := t.Project
	switch {
	case below == recipe.NoProject || below == "" && strings.HasPrefix(e.recipe.SectionSource("tasks"), "builtin:"):
		return "", nil
	case below == "":
		below = e.recipe.Constraints.ProjectRoot
		if below == "" {
			below = e.recipe.Metadata.ProjectRoot
		}
	}
	home, err := filepath.EvalSymlinks(e.c.Dir)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(home, below))
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(home, dir); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q lies outside %s", below, home)
	}
	if to, ok := e.copies[dir]; ok {
		return to, nil
	}
	copied, done, err := project.Source{Recipe: e.recipe, Dir: dir, Secrets: e.secrets}.Copy(ctx)
	if err != nil {
		return "", err
	}
	e.undo = append(e.undo, done)
	if e.copies == nil {
		e.copies = map[string]string{}
	}
	if _, err := os.Lstat(filepath.Join(copied.Dir, ".git")); err == nil {
		e.c.Say("%s: its .git is left out, as its history may hold the recipe and its solutions: "+
			"a setup that needs a repository makes one", text.Line(dir))
	}
	e.copies[dir] = copied.Dir
	return copied.Dir, nil
}
