package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/glob"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Misfit is a setting of a task that the files of its project don't go with.
type Misfit struct {
	Key, Msg, Hint string // Key is that of the task, as "hidden[0]"
	Warning        bool
}

// Misfits gives what of a task's settings does not go with the files of a project, at dir, as they are
// before anything is staged; dir "" is no project.
func Misfits(dir string, r *recipe.Recipe, t recipe.Task) (out []Misfit) {
	items, err := JudgeFiles(r, t)
	if err != nil {
		items = nil // it is said of the key
	}
	out = append(fitting(dir, t, items), mounted(dir, r, t)...)
	if dir == "" {
		return out
	}
	for i, g := range t.Hidden {
		if p, err := tree.Glob(g); err == nil && !anything(dir, p) {
			out = append(out, unmatched("hidden", i, g))
		}
	}
	if isMade(r, t) {
		return out
	}
	for i, g := range t.Protect {
		file, _, _ := strings.Cut(g, "#")
		p, err := tree.Glob(file)
		of := func(it sandbox.Item) bool { return glob.Match(p, it.Path) }
		if err != nil || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, "**") || anything(dir, p) ||
			slices.ContainsFunc(items, of) || spokenOf(t, strings.TrimRight(p, "*/")) {
			continue
		}
		one := unmatched("protect", i, g)
		one.Warning = true
		out = append(out, one)
	}
	for i, d := range t.Path {
		if path.IsAbs(d) || strings.HasPrefix(d, "~") || spokenOf(t, d) {
			continue
		}
		if st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(d))); err != nil || !st.IsDir() {
			out = append(out, Misfit{Key: fmt.Sprintf("path[%d]", i), Msg: fmt.Sprintf("the project has no directory %q", d),
				Hint: "directories are relative to the project, to HOME with ~/, or absolute", Warning: true})
		}
	}
	return out
}

// isMade tells whether a task's worlds begin with more than the files of the project.
func isMade(r *recipe.Recipe, t recipe.Task) bool {
	s := r.Sandbox
	said := cmp.Or(t.Setup, t.Repair, t.Root, s.Root, t.Image, s.Image, t.Prepare, s.Prepare)
	return said != "" || len(t.Services) > 0 || len(Mounts(r, t)) > 0
}

// spokenOf tells whether a solution speaks of a path: it may make it.
func spokenOf(t recipe.Task, path string) bool {
	return path == "" || strings.Contains(strings.Join(append(slices.Clone(t.Others), t.Solution), "\n"), path)
}

// unmatched says of a glob that no file of the project is called so.
func unmatched(key string, i int, g string) Misfit {
	return Misfit{Key: fmt.Sprintf("%s[%d]", key, i), Msg: fmt.Sprintf("%s: %q matches nothing in the project", key, g),
		Hint: "globs are relative to the project; ** crosses directories"}
}

// anything tells whether something below a directory matches a glob.
func anything(dir, g string) bool {
	root, err := os.OpenRoot(dir) // a link that leads out of the project leads nowhere
	if err != nil {
		return true // it is said elsewhere
	}
	defer root.Close()
	errFound := errors.New("found")
	err = doublestar.GlobWalk(root.FS(), g, func(string, fs.DirEntry) error { return errFound })
	return errors.Is(err, errFound)
}

// fitting wants each file of the judge to have a place in the project, at dir: where that has
// none or a file, below directories.
func fitting(dir string, t recipe.Task, beside []sandbox.Item) (out []Misfit) {
	if dir == "" || len(beside) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return []Misfit{{Key: "judge_files", Msg: "judge_files: " + err.Error()}}
	}
	defer root.Close()
	for _, it := range beside {
		st, err := root.Lstat(filepath.FromSlash(it.Path))
		if err != nil || st.IsDir() == it.Mode.IsDir() || st.Mode()&fs.ModeSymlink != 0 {
			continue
		}
		what := "a file in the project, and a directory"
		if st.IsDir() {
			what = "a directory in the project, and a file"
		}
		out = append(out, Misfit{Key: "judge_files",
			Msg:  fmt.Sprintf("judge_files: %q is %s in %q", it.Path, what, t.JudgeFiles),
			Hint: "files of the judge lie where the project has a file or nothing"})
	}
	return out
}

// placed is the error that misfits of a task are, each at its place; nil for none.
func placed(r *recipe.Recipe, t recipe.Task, list []Misfit) error {
	var errs []error
	for _, m := range list {
		key, _, _ := strings.Cut(m.Key, "[")
		errs = append(errs, fmt.Errorf("%s: task %q: %s\n  hint: %s", placeOf(r, t, key), t.Name(), m.Msg, m.Hint))
	}
	return errors.Join(errs...)
}
