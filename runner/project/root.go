package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/internal/cachedir"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/sandbox"
	"cookoff/sandbox/roots"
	"cookoff/sandbox/users"
)

// rootPath gives what a task's worlds have for their root, "" where that is this
// machine's. It lies beside the recipe, and no link leads out of there.
func rootPath(r *recipe.Recipe, t recipe.Task) (string, error) {
	switch {
	case r.RootAt(t) != "":
		return r.RootAt(t), nil
	case t.Root != "":
		return beside(r, named{key: "root", section: "tasks", path: t.Root})
	case r.Sandbox.Root != "":
		return beside(r, named{key: "root", section: "sandbox", path: r.Sandbox.Root})
	}
	return "", nil
}

// userOf is whom the commands of a task's worlds run as.
func userOf(r *recipe.Recipe, t recipe.Task) sandbox.User {
	return sandbox.User(cmp.Or(t.User, r.Sandbox.User))
}

// CheckRoot refuses a root or user that a task's worlds can't have.
func CheckRoot(r *recipe.Recipe, t recipe.Task) error {
	_, err := rootPath(r, t)
	what := "root"
	if t.Root == "" && r.Sandbox.Root == "" {
		what = "user: " + string(userOf(r, t))
		if userOf(r, t) == sandbox.AgentUser {
			return nil
		}
	}
	switch {
	case !slices.Contains([]string{"", "auto", "native"}, r.Sandbox.Backend) || r.Sandbox.Isolation != "" ||
		cmp.Or(t.Image, r.Sandbox.Image) != "":
		err = errors.Join(err, fmt.Errorf("%s: only the native backend has it: "+
			"a task with it has no image, and another backend is not asked for", what))
	case r.Sandbox.Filesystem == string(sandbox.Unrestricted):
		err = errors.Join(err, fmt.Errorf("%s: not with filesystem: unrestricted, which shows this machine's own",
			what))
	}
	return err
}

// Root opens what a task's worlds have for their root. It is unpacked into the user's
// cache the first time.
func Root(ctx context.Context, r *recipe.Recipe, t recipe.Task) (sandbox.Root, error) {
	path, err := rootPath(r, t)
	if path == "" || err != nil {
		return sandbox.Root{}, err
	}
	dir, err := cachedir.Path("roots")
	if err != nil {
		return sandbox.Root{}, fmt.Errorf("root: there is no place to unpack it: %w", err)
	}
	store := roots.Store{Dir: dir, Limits: roots.DefaultLimits()}
	if userOf(r, t).Many() { // a machine without several users has no world for the task, and says so when it opens one
		_, none := users.Spanned()
		store.Several = none == nil
	}
	root, err := store.Open(ctx, path)
	if err != nil {
		return sandbox.Root{}, fmt.Errorf("%s: task %q: %w", placeOf(r, t, "root"), t.Name(), err)
	}
	return root, nil
}

// rootKey says what a task's root holds.
func rootKey(r *recipe.Recipe, t recipe.Task) (string, error) {
	path, err := rootPath(r, t)
	if path == "" || err != nil {
		return "", err
	}
	key, err := roots.Key(path)
	if err != nil {
		return "", fmt.Errorf("%s: task %q: root: %s: %w", placeOf(r, t, "root"), t.Name(), path, err)
	}
	return fmt.Sprintf("%s root %s\n", t.Name(), key), nil
}

// placeOf is where a key of a task stands; where the task has none, that of the section Sandbox.
func placeOf(r *recipe.Recipe, t recipe.Task, key string) problem.Pos {
	i := slices.IndexFunc(r.Tasks, func(o recipe.Task) bool { return o.Name() == t.Name() })
	own := fmt.Sprintf("tasks[%d].%s", i, key)
	if i < 0 || key == "root" && r.Tasks[i].Root == "" || key == "mounts" && len(r.Tasks[i].Mounts) == 0 {
		own = "sandbox." + key
	}
	return r.Place(own)
}
