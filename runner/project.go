package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/sandbox"
)

// harmlessEnv are the files named .env… that hold no secret: templates.
var harmlessEnv = []string{".env.example", ".env.sample", ".env.template", ".env.dist"}

// largestScanned is the size in bytes up to which a project's file is searched
// for the values of keys.
const largestScanned = 1 << 20

// snapshot copies the project once, so that every trial starts with the same
// content whatever the user does meanwhile, and no trial sees what it must
// not: earlier runs, the recipe with its answers, files that people keep
// secrets in. done removes the copy.
func (r *Runner) snapshot(ctx context.Context) (at *Runner, done func(), err error) {
	if r.project == "" {
		return r, func() {}, r.lay()
	}
	exclude, err := r.leaveOut()
	if err != nil {
		return nil, nil, err
	}
	dir, done, err := sandbox.TempDir()
	if err != nil {
		return nil, nil, err
	}
	clone := *r
	clone.project = filepath.Join(dir, "p")
	if err = sandbox.Snapshot(ctx, r.project, clone.project, exclude); err == nil {
		err = errors.Join(r.refuseKeys(clone.project), r.refuseKeysIn())
	}
	if err == nil {
		err = clone.lay()
	}
	if err == nil {
		err = r.sayCopied(clone.project, exclude)
	}
	if err == nil {
		clone.digest, err = clone.projectDigest()
	}
	if err == nil {
		clone.files, err = count(clone.project)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return &clone, done, nil
}

// leaveOut gives the globs of what stays out of every view.
func (r *Runner) leaveOut() ([]string, error) {
	out := []string{".cookoff"}
	for _, file := range slices.Concat(r.recipe.LocalFiles(), r.judgeDirs(), r.env.Hidden, r.outputs()) {
		abs, err := filepath.Abs(file)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			continue // it is gone
		}
		if rel, err := filepath.Rel(r.project, abs); err == nil && filepath.IsLocal(rel) && rel != "." {
			out = append(out, escapeGlob(rel))
		}
	}
	err := filepath.WalkDir(r.project, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && path != r.project {
			return nil // the copy names it
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if (name == ".env" || strings.HasPrefix(name, ".env.")) && !slices.Contains(harmlessEnv, name) {
			rel, _ := filepath.Rel(r.project, path) // path lies below it
			out = append(out, escapeGlob(rel))
		}
		return nil
	})
	return out, err
}

// outputs are the files that the run writes for its user, in any of its parts.
func (r *Runner) outputs() []string {
	out := slices.Clone(r.env.Outputs)
	if p := r.env.Past; p != nil {
		for _, name := range p.Run.Outputs {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// escapeGlob makes a glob that matches path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(filepath.ToSlash(path))
}

// refuseKeys looks for the value of a key in what models would see.
func (r *Runner) refuseKeys(project string) error {
	if len(r.env.Secrets) == 0 {
		return nil
	}
	return filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if st, err := d.Info(); err != nil || st.Size() > largestScanned {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for name, value := range r.env.Secrets {
			if len(value) >= 8 && bytes.Contains(text, []byte(value)) {
				rel, _ := filepath.Rel(project, path)
				return fmt.Errorf("the project holds the value of %s in %q: every model would see it\n  hint: take it out of the project; nothing was run", name, rel)
			}
		}
		return nil
	})
}

// environment gives the variables of a recipe and, over them, those of a task.
func environment(recipe, task []string) []string {
	out := slices.Clone(recipe)
	for _, e := range task {
		name, _, _ := strings.Cut(e, "=")
		out = slices.DeleteFunc(out, func(o string) bool { return strings.HasPrefix(o, name+"=") })
		out = append(out, e)
	}
	return out
}

// refuseKeysIn looks for the value of a key in the variables that worlds get.
func (r *Runner) refuseKeysIn() error {
	look := func(where string, vars []string) error {
		for name, value := range r.env.Secrets {
			for _, e := range vars {
				if set, held, _ := strings.Cut(e, "="); len(value) >= 8 && strings.Contains(held, value) {
					return fmt.Errorf("%s sets %s to the value of %s: every model would see it\n  hint: variables are no place for keys; nothing was run", where, set, name)
				}
			}
		}
		return nil
	}
	if err := look("## Sandbox env", r.recipe.Sandbox.Env); err != nil {
		return err
	}
	for _, t := range r.recipe.Tasks {
		vars := slices.Concat(t.Env, t.JudgeEnv)
		for _, c := range slices.Concat(t.After, t.Guard) {
			vars = append(vars, c.Env...)
		}
		if err := look(fmt.Sprintf("task %q", t.Name()), vars); err != nil {
			return err
		}
	}
	return nil
}
