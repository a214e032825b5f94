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
	"cookoff/internal/propose"
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
		if p, err := tree.Glob(g); err == nil && !anything(dir, p, leftOut(dir, r)...) {
			out = append(out, unmatched("hidden", i, g))
		}
	}
	out = append(out, nothingLeft(dir, r, t)...)
	out = append(out, ofTheJudge(t, items)...)
	if isMade(r, t) {
		return out
	}
	return slices.Concat(out, matchless(dir, t, items), thereAlready(dir, t), noDirectories(dir, t))
}

// ofTheJudge are the globs of may_change that name a file which the judge lays.
func ofTheJudge(t recipe.Task, items []sandbox.Item) (out []Misfit) {
	for i, g := range t.MayChange {
		of := func(it sandbox.Item) bool { return it.Path == g }
		if slices.ContainsFunc(items, of) {
			out = append(out, Misfit{Key: fmt.Sprintf("may_change[%d]", i), Warning: true,
				Msg:  fmt.Sprintf("may_change: %q is a file of the judge, which is there again when checks run", g),
				Hint: "leave it out, or leave it out of judge_files"})
		}
	}
	return out
}

// matchless are the globs of what is protected, or may change, that match nothing: no file of the project, none
// of the judge's, none that a solution speaks of.
func matchless(dir string, t recipe.Task, items []sandbox.Item) (out []Misfit) {
	usual := usualOf(dir, t)
	for _, k := range []struct {
		key  string
		list []string
	}{{"protect", t.Protect}, {"may_change", t.MayChange}} {
		for i, g := range k.list {
			if usual(g) {
				continue
			}
			file, _, _ := strings.Cut(g, "#")
			p, err := tree.Glob(file)
			of := func(it sandbox.Item) bool { return glob.Match(p, it.Path) }
			if err != nil || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, "**") || anything(dir, p) ||
				slices.ContainsFunc(items, of) || spokenOf(t, strings.TrimRight(p, "*/")) {
				continue
			}
			one := unmatched(k.key, i, g)
			one.Warning = true
			out = append(out, one)
		}
	}
	return out
}

// thereAlready are the files that may be added, and are there.
func thereAlready(dir string, t recipe.Task) (out []Misfit) {
	for i, g := range t.MayAdd {
		if p, err := tree.Glob(g); err == nil && !strings.ContainsAny(p, "*?[{#") && !strings.HasPrefix(p, "~/") &&
			anything(dir, p) {
			out = append(out, Misfit{Key: fmt.Sprintf("may_add[%d]", i), Warning: true,
				Msg:  fmt.Sprintf("may_add: %q is there already, and can't be new", g),
				Hint: "may_change lets a repair change what is there"})
		}
	}
	return out
}

// noDirectories are the entries of a task's path in the project that are no directories of it.
func noDirectories(dir string, t recipe.Task) (out []Misfit) {
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

// usualOf tells of a glob whether it names, at the top of a project or in a package of it, what projects protect whose
// tests run as those of the task do: it means what a repair might add, where there is nothing yet.
func usualOf(dir string, t recipe.Task) func(g string) bool {
	var checks []string
	for _, c := range t.After {
		checks = append(checks, c.Script)
	}
	list := propose.Decides(dir, strings.Join(checks, "\n"))
	return func(g string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return g == w || strings.HasSuffix(g, "/"+w) })
	}
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

// leftOut are the files of a project, at dir, that no world of a recipe has.
func leftOut(dir string, r *recipe.Recipe) (list []string) {
	file, err := filepath.Abs(r.SectionPath("tasks"))
	if err != nil || r.SectionPath("tasks") == "" {
		return nil
	}
	if in, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(in) {
		list = append(list, filepath.ToSlash(in))
	}
	return list
}

// mostLooked is how many files of a project are looked through for one that is not hidden.
const mostLooked = 100_000

// nothingLeft wants one file of a project, at dir, that a task does not hide.
func nothingLeft(dir string, r *recipe.Recipe, t recipe.Task) []Misfit {
	var globs []string
	for _, g := range t.Hidden {
		p, err := tree.Glob(g)
		if err != nil || glob.Covers(p, "any") && glob.Covers(p, "other/path.x") {
			return nil // it is said of the glob
		}
		globs = append(globs, p)
	}
	root, err := os.OpenRoot(dir)
	if err != nil || len(globs) == 0 {
		return nil
	}
	defer root.Close()
	out, hidden, looked, errFound := leftOut(dir, r), 0, 0, errors.New("found")
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch looked++; {
		case err != nil || looked > mostLooked:
			return errFound
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".cookoff" || p == t.JudgeFiles):
			return fs.SkipDir
		case d.IsDir() || slices.Contains(out, p):
			return nil
		case !slices.ContainsFunc(globs, func(g string) bool { return glob.Covers(g, p) }):
			return errFound
		}
		hidden++
		return nil
	})
	if err != nil || hidden == 0 {
		return nil
	}
	return []Misfit{{Key: "hidden[0]", Msg: fmt.Sprintf("hidden: together these hide all %d files of the project", hidden),
		Hint: "leave models what they need; with \"project: none\" a task starts with nothing"}}
}

// anything tells whether something below a directory matches a glob, beside files that are left out.
func anything(dir, g string, but ...string) bool {
	root, err := os.OpenRoot(dir) // a link that leads out of the project leads nowhere
	if err != nil {
		return true // it is said elsewhere
	}
	defer root.Close()
	errFound := errors.New("found")
	err = doublestar.GlobWalk(root.FS(), g, func(p string, _ fs.DirEntry) error {
		if slices.Contains(but, p) {
			return nil
		}
		return errFound
	})
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
