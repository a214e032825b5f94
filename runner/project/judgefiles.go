package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/recipe/lookup"
	"cookoff/sandbox"
	"cookoff/verify/tree"

	"github.com/bmatcuk/doublestar/v4"
)

// judgeDir gives the directory of a task's judge_files, "" where it names none.
// It lies beside the recipe, and no link leads out of it.
func judgeDir(r *recipe.Recipe, t recipe.Task) (string, error) {
	if t.JudgeFiles == "" {
		return "", nil
	}
	return beside(r, named{key: "judge_files", section: "tasks", path: t.JudgeFiles})
}

// named is a file or directory that a recipe names.
type named struct{ key, section, path string }

// beside gives what a recipe names in its own directory; no link leads out of that.
func beside(r *recipe.Recipe, n named) (string, error) {
	dir := besideDir(r, n.section)
	switch {
	case dir == "":
		return "", fmt.Errorf("%s: only a recipe in a file of this machine has a directory beside it", n.key)
	case !filepath.IsLocal(n.path) || filepath.Clean(n.path) == ".":
		return "", fmt.Errorf("%s: %q does not lie in a directory beside the recipe", n.key, n.path)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, n.path))
	if err != nil {
		return "", fmt.Errorf("%s: there is no %q beside the recipe", n.key, n.path)
	}
	if home, err := filepath.EvalSymlinks(dir); err == nil {
		if rel, err := filepath.Rel(home, real); err != nil || !filepath.IsLocal(rel) {
			return "", fmt.Errorf("%s: %q is a link that leads out of the recipe's directory", n.key, n.path)
		}
	}
	return real, nil
}

// besideDir is the directory of the file that a section is of; "": it is of none on
// this machine.
func besideDir(r *recipe.Recipe, section string) string {
	file := r.SectionPath(section)
	if file == "" {
		return ""
	}
	return filepath.Dir(file)
}

// JudgeFiles gives the files of a task's judge_files, by their paths in the
// project: without recipe.JudgeSuffix. A link or a device among them is refused, and two
// files that have one path in the project.
func JudgeFiles(r *recipe.Recipe, t recipe.Task) ([]sandbox.Item, error) {
	fsys, done, err := JudgeTree(r, t)
	if fsys == nil || err != nil {
		return nil, err
	}
	defer done()
	items, err := gather(fsys, ".", false)
	if err == nil && !slices.ContainsFunc(items, func(it sandbox.Item) bool { return it.Mode.IsRegular() }) {
		err = fmt.Errorf("no file lies in %q", t.JudgeFiles)
	}
	for _, it := range items {
		git := slices.ContainsFunc(strings.Split(it.Path, "/"), func(n string) bool { return strings.EqualFold(n, ".git") })
		if err == nil && git {
			err = fmt.Errorf("%q lies in a repository of git, and would take the place of the project's own\n"+
				"  hint: copy its files there without it", path.Join(t.JudgeFiles, it.Path))
		}
	}
	if err == nil {
		err = plainNames(items)
	}
	if err != nil {
		return nil, fmt.Errorf("judge_files: %w", err)
	}
	return items, nil
}

// JudgeTree gives the directory of a task's judge_files as it lies beside the recipe, or in its
// bundle; nil where it names none. done ends its use.
func JudgeTree(r *recipe.Recipe, t recipe.Task) (fsys fs.FS, done func(), err error) {
	if r.SectionPath("tasks") == "" && filepath.IsLocal(t.JudgeFiles) {
		for _, file := range r.LocalFiles() { // a bundle, which is all that there is of its recipe
			fsys, err = lookup.BundleTree(file, path.Join(lookup.BundleBeside, t.JudgeFiles))
			if fsys != nil || err != nil {
				return fsys, func() {}, err
			}
		}
	}
	dir, err := judgeDir(r, t)
	if dir == "" || err != nil {
		return nil, nil, err
	}
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, nil, fmt.Errorf("judge_files: %q is no directory: name the one that has the judge's files, "+
			"each where it lies in the project", t.JudgeFiles)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("judge_files: %w", err)
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// plainNames takes recipe.JudgeSuffix off the names of files.
func plainNames(items []sandbox.Item) error {
	from := map[string]string{} // by the path in the project, that in the directory
	for i := range items {
		at, name := items[i].Path, items[i].Path
		if items[i].Mode.IsRegular() {
			name = strings.TrimSuffix(name, recipe.JudgeSuffix)
		}
		if name == "" || strings.HasSuffix(name, "/") {
			return fmt.Errorf("%q has no name without %s, which is taken off", at, recipe.JudgeSuffix)
		}
		if other, taken := from[name]; taken {
			return fmt.Errorf("%q and %q are both %q in the project: %s is taken off", other, at, name, recipe.JudgeSuffix)
		}
		from[name], items[i].Path = at, name
	}
	return nil
}

// HiddenFiles gives what a task hides of the project.
func HiddenFiles(project string, r *recipe.Recipe, t recipe.Task) ([]sandbox.Item, error) {
	globs := HiddenGlobs(t.Hidden)
	if len(globs) == 0 {
		return nil, nil
	}
	var fsys fs.FS
	if project != "" {
		root, err := os.OpenRoot(project) // a link that leads out of the project leads nowhere
		if err != nil {
			return nil, err
		}
		defer root.Close()
		fsys = root.FS()
	}
	var out []sandbox.Item
	for i, g := range globs {
		var found []string
		if fsys != nil {
			var err error
			if found, err = doublestar.Glob(fsys, g); err != nil {
				return nil, err
			}
		}
		if len(found) == 0 {
			return nil, placed(r, t, []Misfit{unmatched("hidden", i, t.Hidden[i])})
		}
		for _, at := range found {
			items, err := gather(fsys, at, true)
			if err != nil {
				return nil, fmt.Errorf("%s: task %q: hidden: %w", placeOf(r, t, "hidden"), t.Name(), err)
			}
			out = append(out, items...)
		}
	}
	return out, nil
}

// gather reads the files at and below a path of fsys, with the directories that
// lead there.
func gather(fsys fs.FS, at string, links bool) ([]sandbox.Item, error) {
	var out []sandbox.Item
	add := func(p string, d fs.DirEntry) error {
		it, err := item(fsys, p, d, links)
		if err == nil && p != "." {
			out = append(out, it)
		}
		return err
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		info, err := fs.Stat(fsys, dir)
		if err != nil {
			return nil, err
		}
		if err := add(dir, fs.FileInfoToDirEntry(info)); err != nil {
			return nil, err
		}
	}
	slices.Reverse(out)
	err := fs.WalkDir(fsys, at, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return add(p, d)
	})
	return out, err
}

// item reads one file as it is put into worlds.
func item(fsys fs.FS, p string, d fs.DirEntry, links bool) (sandbox.Item, error) {
	info, err := d.Info()
	if err != nil {
		return sandbox.Item{}, err
	}
	it := sandbox.Item{Path: p, Mode: info.Mode(), Size: info.Size(), Time: info.ModTime()}
	switch {
	case d.IsDir():
	case info.Mode()&fs.ModeSymlink != 0 && links:
		it.Link, err = fs.ReadLink(fsys, p)
	case info.Mode().IsRegular() && info.Size() > sandbox.MaxItem:
		err = fmt.Errorf("%q is larger than %d MiB", p, sandbox.MaxItem>>20)
	case info.Mode().IsRegular():
		it.Data, err = fs.ReadFile(fsys, p)
	default:
		err = fmt.Errorf("%q is neither a file nor a directory", p)
	}
	return it, err
}

// JudgeOnlyFiles gives the files that only the judge of a task sees: those that it hides of the
// project, and over them its judge_files.
func JudgeOnlyFiles(dir string, r *recipe.Recipe, t recipe.Task) ([]sandbox.Item, error) {
	own, err := HiddenFiles(dir, r, t)
	beside, err2 := JudgeFiles(r, t)
	return over(own, beside), errors.Join(err, err2, placed(r, t, append(fitting(dir, t, beside), mounted(dir, r, t)...)))
}

// over gives the items of both lists, each path once: the later wins.
func over(lists ...[]sandbox.Item) []sandbox.Item {
	var out []sandbox.Item
	for _, it := range slices.Concat(lists...) {
		if i := slices.IndexFunc(out, func(o sandbox.Item) bool { return o.Path == it.Path }); i >= 0 {
			out[i] = it
			continue
		}
		out = append(out, it)
	}
	return out
}

// JudgeDirs are the directories of all judge_files, and what worlds have for their
// root: no project shows them.
func JudgeDirs(r *recipe.Recipe) []string {
	var out []string
	for _, t := range r.Tasks {
		for _, of := range []func(*recipe.Recipe, recipe.Task) (string, error){judgeDir, rootPath} {
			if dir, err := of(r, t); err == nil && dir != "" && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// judgeDigest says which files the judges of tasks have beside the project's.
func judgeDigest(r *recipe.Recipe) (string, error) {
	var b strings.Builder
	for _, t := range r.Tasks {
		if err := judged(&b, r, t, t.Name()); err != nil {
			return "", err
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String()))), nil
}

// JudgeSum is the digest of what one task's worlds and judge have beside the project's
// files, wherever that lies; "": nothing.
func JudgeSum(r *recipe.Recipe, t recipe.Task) (string, error) {
	var b strings.Builder
	if err := judged(&b, r, t, ""); err != nil || b.Len() == 0 {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String()))), nil
}

// judged writes what the judge of a task has beside the project's files.
func judged(b *strings.Builder, r *recipe.Recipe, t recipe.Task, name string) error {
	items, err := JudgeFiles(r, t)
	if err != nil {
		return err
	}
	for _, it := range items {
		fmt.Fprintf(b, "%s %q %s %x\n", name, it.Path, it.Mode, sha256.Sum256(it.Data))
	}
	root, err := rootKey(r, t)
	b.WriteString(root)
	return err
}

// HiddenGlobs writes what a task hides as the project's files are named.
func HiddenGlobs(list []string) []string {
	var out []string
	for _, g := range list {
		if p, err := tree.Glob(g); err == nil { // else lint refused it
			out = append(out, p)
		}
	}
	return out
}
