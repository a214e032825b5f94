// Package project copies what trials start with, and says what is in it.
package project

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/recipe"
	"cookoff/runner/copies"
	"cookoff/sandbox"
)

// harmlessEnv are the files named .env… that hold no secret: templates.
var harmlessEnv = []string{".env.example", ".env.sample", ".env.template", ".env.dist"}

// Source is the user's project.
type Source struct {
	Recipe   *recipe.Recipe
	Dir      string            // whose content trials start with
	Base     *Base             // a commit whose files they are, instead of those that lie there; nil: none
	Masked   []string          // with Base: globs of what its own repository lacks, as the task's model does
	Hidden   []string          // paths that models don't see
	Outputs  []string          // files that the run writes for its user
	Prepared []string          // directories, relative to Dir, that what prepares the project makes anew
	Secrets  map[string]string // names and values of keys: a project that holds one is refused
	Kept     string            // directory in which the copy is kept for the next run; "": it is not

	without []string // paths, relative to Dir, that no copy has: its user may not read them, or they hold a key
}

// Copy is the copy of a project, made once, so that every trial starts with the same
// content whatever the user does meanwhile.
type Copy struct {
	Dir    string
	source Source
	left   []string     // globs of what was left out
	sum    string       // of its files; "": not known yet
	kept   *copies.Tree // nil: it is this run's alone
}

// Copy copies a project without what no trial must see: earlier runs, the recipe
// with its answers, files that people keep secrets in, what its user may not read. What
// of that a repository keeps is refused. done removes the copy.
func (s Source) Copy(ctx context.Context) (c *Copy, done func(), err error) {
	var missed missing
	for {
		c, done, err = s.copy(ctx)
		paths := s.withheld(err)
		if len(paths) == 0 {
			break
		}
		needed, failed := trackedOf(ctx, s.Dir, paths)
		if failed != nil {
			return nil, nil, failed
		}
		s.without = append(s.without, paths...)
		missed.add(err, needed)
	}
	if refused := missed.err(s.Dir); err == nil && refused != nil {
		done()
		err = refused
	}
	return c, done, err
}

func (s Source) copy(ctx context.Context) (c *Copy, done func(), err error) {
	if c, done, err := s.keep(ctx); !errors.Is(err, copies.ErrNotKept) || len(s.withheld(err)) > 0 {
		return c, done, err
	}
	linked, err := history.LinkedFrom(ctx, s.Dir)
	if err != nil {
		return nil, nil, err
	}
	c = &Copy{source: s}
	if c.left, err = s.leaveOut(); err != nil {
		return nil, nil, err
	}
	dir, done, err := sandbox.TempDir()
	if err != nil {
		return nil, nil, err
	}
	c.Dir = filepath.Join(dir, "p")
	if s.Base != nil {
		err = s.Base.checkOut(ctx, c, s.Masked)
	} else {
		err = sandbox.Snapshot(ctx, s.Dir, c.Dir, c.left)
	}
	if err == nil && s.Base == nil {
		err = c.bring(ctx, linked)
	}
	if err == nil {
		err = errors.Join(s.refuseKeys(c.Dir), s.refuseKeysIn())
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return c, done, nil
}

// leaveOut gives the globs of what stays out of every view.
func (s Source) leaveOut() ([]string, error) {
	out := s.named()
	err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && path != s.Dir {
			return nil // the copy names it
		}
		if err != nil {
			return err
		}
		if secret(d.Name()) {
			rel, _ := filepath.Rel(s.Dir, path) // path lies below it
			out = append(out, escapeGlob(rel))
		}
		return nil
	})
	return out, err
}

// named gives the globs of what stays out of every view whatever its name is.
func (s Source) named() []string {
	out := []string{".cookoff"}
	given := slices.Concat(s.Recipe.LocalFiles(), JudgeDirs(s.Recipe), GivenFiles(s.Recipe), s.Hidden, s.Outputs)
	for _, rel := range slices.Concat(ownDirs(s.Dir), within(s.Dir, given), s.Prepared, answers(s.Dir), s.without) {
		out = append(out, escapeGlob(rel))
	}
	return out
}

// ownDirs are the directories of the project that .cookoff leads to where it is a link: what
// earlier runs recorded, with every answer, would be in every world.
func ownDirs(dir string) []string {
	own := filepath.Join(dir, ".cookoff")
	list := []string{own}
	for _, name := range []string{"cache", "runs", "sessions"} { // of a link to the project itself
		list = append(list, filepath.Join(own, name))
	}
	return slices.DeleteFunc(within(dir, list),
		func(rel string) bool { return strings.HasPrefix(rel+"/", ".cookoff/") })
}

// escapeGlob makes a glob that matches path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(filepath.ToSlash(path))
}

// Environment gives the variables of a recipe and, over them, those of a task.
func Environment(recipe, task []string) []string {
	out := slices.Clone(recipe)
	for _, e := range task {
		name, _, _ := strings.Cut(e, "=")
		out = slices.DeleteFunc(out, func(o string) bool { return strings.HasPrefix(o, name+"=") })
		out = append(out, e)
	}
	return out
}
