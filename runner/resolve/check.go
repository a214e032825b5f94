package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe/problem"
)

// checker resolves every name of a recipe, and gathers all that is wrong.
type checker struct {
	report
	given Given
	out   *Values
}

func (c *checker) check() problem.List {
	c.servers()
	(&toolChecker{c}).all()
	(&hookChecker{c}).all()
	(&sandboxChecker{c}).all()
	c.projectRoot()
	(&taskChecker{checker: c}).all()
	models := &modelChecker{c}
	models.all()
	models.subAgents()
	models.profiles()
	c.context()
	(&reminderChecker{c}).all()
	(&hookChecker{c}).matchers()
	models.costs()
	c.problems = append(c.problems, c.recipe.Dropped()...)
	c.problems.Sort()
	return c.problems
}

// may reports whether the user lets a recipe do something.
func (c *checker) may(p problem.Permission) bool { return slices.Contains(c.given.Allow, string(p)) }

// needs says what a recipe may only have when the user lets it.
func (c *checker) needs(key, what string, permission problem.Permission) {
	if !c.may(permission) {
		c.at(key, fmt.Sprintf("run it with --allow %s if you trust it", permission), "%s needs your permission", what)
		c.problems[len(c.problems)-1].Needs = permission
	}
}

// projectRoot finds the directory whose content trials start with. The tasks
// of a built-in recipe bring their own world: they start with nothing.
func (c *checker) projectRoot() {
	if strings.HasPrefix(c.recipe.SectionSource("tasks"), "builtin:") {
		return
	}
	key, root := "constraints.project_root", c.recipe.Constraints.ProjectRoot
	if root == "" {
		key, root = "metadata.project_root", c.recipe.Metadata.ProjectRoot
	}
	dir, err := filepath.EvalSymlinks(c.given.Dir)
	if err != nil {
		c.at(key, "", "the working directory can't be used: %v", err)
		return
	}
	if root == "" {
		c.out.Dir, c.out.Root = dir, "."
		return
	}
	c.out.Dir, c.out.Root = c.below(key, dir, root)
}

// below gives the directory root in dir, and its path relative to dir: it must lie
// there, by whatever links. key, or what follows its last point, says what names it.
func (c *checker) below(key, dir, root string) (real, rel string) {
	what := key[strings.LastIndex(key, ".")+1:]
	real, err := filepath.EvalSymlinks(filepath.Join(dir, root))
	rel, relErr := filepath.Rel(dir, real)
	switch {
	case filepath.IsAbs(root) || strings.HasPrefix(root, "~") || (err == nil &&
		(relErr != nil || rel == ".." || strings.HasPrefix(rel, "../"))):
		c.at(key, "give a path below the directory you stand in", "%s %q lies outside %s", what, root, dir)
	case errors.Is(err, fs.ErrNotExist):
		c.at(key, "", "%s %q: there is no such directory", what, root)
	case err != nil:
		c.at(key, "", "%s: %v", what, err)
	case !isDir(real):
		c.at(key, "", "%s %q is no directory", what, root)
	}
	return real, rel
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// keyOf is where a contestant stands in the recipe.
func (c *checker) keyOf(name string) string {
	if c.recipe.Named(name) != nil {
		return c.recipe.ContestantKey(name)
	}
	return fmt.Sprintf("models[%d]", slices.Index(c.recipe.Models, name))
}
