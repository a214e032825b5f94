package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/runner/copies"
	"cookoff/sandbox"
)

// keyError says that files of a project hold the values of keys.
type keyError struct {
	Found []heldKey
}

// heldKey is a file that holds the value of a key.
type heldKey struct {
	Name string // of the key's variable
	Path string // relative to the project
}

func (e *keyError) Error() string {
	list := make([]string, len(e.Found))
	for i, f := range e.Found {
		list[i] = fmt.Sprintf("the project holds the value of %s in %q, which git keeps: every model would see it", f.Name,
			f.Path)
	}
	return strings.Join(list, "\n") + "\nhint: take it out of the project; nothing was run"
}

// largestScanned is the size in bytes up to which a project's file is searched
// for the values of keys.
const largestScanned = 1 << 20

// refuseKeys looks for the values of keys in what models would see. The error is a *keyError, or of reading.
func (s Source) refuseKeys(project string) error {
	if len(s.Secrets) == 0 {
		return nil
	}
	var found []heldKey
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
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
		for name, value := range s.Secrets {
			if len(value) >= 8 && bytes.Contains(text, []byte(value)) {
				rel, err := filepath.Rel(project, path)
				if err != nil {
					return err
				}
				found = append(found, heldKey{name, rel})
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	slices.SortFunc(found, func(a, b heldKey) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	return &keyError{found}
}

// withheld gives the paths of the project that an error says no model may have, but for those that are left out
// already: those that its user may not read, and those that hold a key. What a service has put there under another
// user, as a database its files, no test has read that this user runs; a file with a key that no commit has is
// the user's own, as .env is.
func (s Source) withheld(err error) (paths []string) {
	if kept, is := errors.AsType[*copies.UnreadableError](err); is {
		paths = kept.Paths
	} else if all, is := errors.AsType[*sandbox.UnreadableError](err); is {
		paths = all.Paths
	} else if keys, is := errors.AsType[*keyError](err); is {
		for _, f := range keys.Found {
			paths = append(paths, f.Path)
		}
	}
	paths = slices.Compact(slices.Clone(paths))
	return slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(s.without, p) })
}

// missing is what a copy can't do without, and can't have.
type missing struct {
	closed []string // paths that the user may not read
	keys   []heldKey
}

// add adds those of the paths that such an error is of.
func (m *missing) add(err error, paths []string) {
	keys, is := errors.AsType[*keyError](err)
	if !is {
		m.closed = append(m.closed, paths...)
		return
	}
	for _, f := range keys.Found {
		if slices.Contains(paths, f.Path) {
			m.keys = append(m.keys, f)
		}
	}
}

// err says what is missing of the project in dir; nil: nothing is.
func (m *missing) err(dir string) error {
	var closed, keys error
	if len(m.closed) > 0 {
		closed = &sandbox.UnreadableError{Dir: dir, Paths: m.closed}
	}
	if len(m.keys) > 0 {
		keys = &keyError{m.keys}
	}
	return errors.Join(closed, keys)
}

// trackedOf are those of the paths in a project that a repository keeps, or that it needs itself: a copy without them
// would be another project. Where git does not say, as of a repository of somebody else's, they all may be.
func trackedOf(ctx context.Context, dir string, paths []string) (out []string, err error) {
	repo, err := history.Open(ctx, dir)
	switch {
	case errors.Is(err, history.ErrNone):
	case err != nil:
		return paths, ctx.Err()
	}
	for _, path := range paths {
		needed := slices.Contains(strings.Split(path, "/"), ".git")
		if !needed && repo != nil {
			if needed, err = repo.Tracks(ctx, path); err != nil {
				return nil, err
			}
		}
		if needed {
			out = append(out, path)
		}
	}
	return out, nil
}

// refuseKeysIn looks for the value of a key in the variables that worlds get.
func (s Source) refuseKeysIn() error {
	look := func(where string, vars []string) error {
		for name, value := range s.Secrets {
			for _, e := range vars {
				if set, held, _ := strings.Cut(e, "="); len(value) >= 8 && strings.Contains(held, value) {
					return fmt.Errorf("%s sets %s to the value of %s: every model would see it\n"+
						"  hint: variables are no place for keys; nothing was run", where, set, name)
				}
			}
		}
		return nil
	}
	if err := look("## Sandbox env", s.Recipe.Sandbox.Env); err != nil {
		return err
	}
	for _, t := range s.Recipe.Tasks {
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
