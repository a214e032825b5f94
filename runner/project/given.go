package project

import (
	"bytes"
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
	"cookoff/sandbox"
)

// Bounds of what one contestant is given.
const (
	maxGiven      = 2000     // files and directories
	maxGivenBytes = 32 << 20 // together
)

// GivenFile gives what an item of a contestant's files means: a file or a directory
// beside the recipe, as it is put into worlds. Nothing is reached through a link, and
// nothing is given that no model may see: the recipe, its answers, what holds secrets.
func GivenFile(r *recipe.Recipe, item string) ([]sandbox.Item, error) {
	from, at := recipe.FileAt(item)
	real, err := givenPath(r, from)
	if err != nil {
		return nil, err
	}
	if file := kept(r, real); file != "" {
		return nil, fmt.Errorf("files: %q is, or holds, what no model may see: %s", from, file)
	}
	root, err := os.OpenRoot(filepath.Dir(real))
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	defer root.Close()
	base := filepath.Base(real)
	items, err := gather(root.FS(), base, false)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	for i := range items {
		if name := path.Base(items[i].Path); secret(name) || name == ".git" || name == ".cookoff" {
			return nil, fmt.Errorf("files: %q may hold secrets, and is not given", items[i].Path)
		}
		items[i].Path = at + strings.TrimPrefix(items[i].Path, base)
		items[i].Mode &= fs.ModeType | 0o777
	}
	if !slices.ContainsFunc(items, func(it sandbox.Item) bool { return it.Mode.IsRegular() }) {
		return nil, fmt.Errorf("files: no file lies in %q", from)
	}
	return items, nil
}

// givenPath is where an item lies on this machine.
func givenPath(r *recipe.Recipe, from string) (string, error) {
	real, err := beside(r, named{key: "files", section: "contestants", path: from})
	if err != nil {
		return "", err
	}
	if dir, err := filepath.EvalSymlinks(besideDir(r, "contestants")); err != nil || filepath.Join(dir, from) != real {
		return "", fmt.Errorf("files: a link leads to %q: name the file itself, as FILE:PLACE", from)
	}
	for part := range strings.SplitSeq(from, "/") {
		if secret(part) || part == ".git" || part == ".cookoff" {
			return "", fmt.Errorf("files: %q may hold secrets, and is not given", from)
		}
	}
	return real, nil
}

// kept names a file that no model may see and that lies at or below a path, or the path
// in it; "": none does.
func kept(r *recipe.Recipe, real string) string {
	hidden := slices.Concat(r.LocalFiles(), JudgeDirs(r))
	for _, file := range r.LocalFiles() {
		hidden = append(hidden, filepath.Join(filepath.Dir(file), "repairs"))
	}
	for _, t := range r.Tasks {
		if dir := besideDir(r, "tasks"); t.Harbor != "" && dir != "" {
			hidden = append(hidden, filepath.Join(dir, t.Harbor))
		}
	}
	for _, file := range hidden {
		abs, err := filepath.Abs(file)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			continue
		}
		for _, pair := range [][2]string{{real, abs}, {abs, real}} {
			if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
				return filepath.Base(abs)
			}
		}
	}
	return ""
}

// Given gives all that a contestant is given, each place once, directories first; the
// errors are those of its items, in their order, nil where there is none.
func Given(r *recipe.Recipe, c *recipe.ContestantConfig) (items []sandbox.Item, errs []error) {
	errs = make([]error, len(c.Files))
	size := int64(0)
	for i, item := range c.Files {
		var one []sandbox.Item
		if one, errs[i] = GivenFile(r, item); errs[i] != nil {
			continue
		}
		for _, it := range one {
			if j := slices.IndexFunc(items, func(o sandbox.Item) bool { return o.Path == it.Path }); j >= 0 &&
				!(it.Mode.IsDir() && items[j].Mode.IsDir()) {
				errs[i] = fmt.Errorf("files: %q is given twice", it.Path)
			}
			size += it.Size
		}
		if items = over(items, one); len(items) > maxGiven || size > maxGivenBytes {
			errs[i] = fmt.Errorf("files: a contestant is given at most %d files and %d MiB", maxGiven,
				maxGivenBytes>>20)
			return items, errs
		}
	}
	return items, errs
}

// GivenSum is the SHA-256 of what a contestant is given.
func GivenSum(items []sandbox.Item) string {
	h := sha256.New()
	for _, it := range items {
		fmt.Fprintf(h, "%q %s %x\n", it.Path, it.Mode, sha256.Sum256(it.Data))
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// GivenFiles are the files that contestants are given, on this machine: no world
// shows them to anybody else.
func GivenFiles(r *recipe.Recipe) []string {
	var out []string
	for _, c := range r.AllContestants() {
		out = append(out, givenFiles(r, c)...)
	}
	return out
}

// givenFiles are those of one contestant.
func givenFiles(r *recipe.Recipe, c recipe.ContestantConfig) (out []string) {
	for _, item := range c.Files {
		from, _ := recipe.FileAt(item)
		if real, err := givenPath(r, from); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// RefuseKeys looks for the value of a key in what a contestant is given.
func RefuseKeys(name string, items []sandbox.Item, secrets map[string]string) error {
	var errs []error
	for _, it := range items {
		for key, value := range secrets {
			if len(value) >= 8 && bytes.Contains(it.Data, []byte(value)) {
				errs = append(errs, fmt.Errorf("contestant %q is given the value of %s in %q: its model would see it\n"+
					"  hint: take it out of the file; nothing was run", name, key, it.Path))
			}
		}
	}
	return errors.Join(errs...)
}
