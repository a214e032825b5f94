package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// maxCounted is how many files a journal lists.
const maxCounted = 20_000

// Counted are the files of a project that make a comparison what it is, and a sum of
// each. Files that editors leave and what git writes for itself are none: who looks
// at a project changes those.
type Counted map[string]string

// editorFile is a file that an editor leaves beside the one that it edits.
var editorFile = pattern.New(`(^|/)(\..*\.sw[a-p]|[^/]*~|#[^/]*#|\.#[^/]*|4913|\.DS_Store)$`)

// Count lists the files of a project; nil where they are too many.
func Count(project string) (Counted, error) {
	if project == "" {
		return nil, nil
	}
	out := Counted{}
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(project, path) // path lies below it
		rel = filepath.ToSlash(rel)
		if d.IsDir() && d.Name() == ".git" {
			if err := out.repository(path, rel); err != nil {
				return err
			}
			return fs.SkipDir
		}
		if d.IsDir() || editorFile.MatchString(rel) {
			return nil
		}
		if len(out) > maxCounted {
			return fs.SkipAll
		}
		return out.add(path, rel)
	})
	if len(out) > maxCounted {
		return nil, err
	}
	return out, err
}

// add takes a file in.
func (c Counted) add(path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", info.Mode())
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(path)
		if err != nil {
			return err
		}
		fmt.Fprint(h, link)
	case info.Mode().IsRegular():
		if err := hashFile(h, path); err != nil {
			return err
		}
	}
	c[name] = hex.EncodeToString(h.Sum(nil)[:8])
	return nil
}

// SumOf is the sum that Count has of a file; "": there is none.
func SumOf(project, name string) (string, error) {
	one := Counted{}
	err := one.add(filepath.Join(project, filepath.FromSlash(name)), name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return one[name], err
}

// hashFile writes a file's content to h, a piece at a time: it may be larger than memory.
func hashFile(h io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(h, f)
	return errors.Join(err, f.Close())
}

// repository takes in what of a repository is no bookkeeping: where its names point,
// its configuration and its hooks. Objects are what those name; how they are packed,
// the index and the logs change by looking.
func (c Counted) repository(dir, name string) error {
	for _, file := range []string{"HEAD", "config", "info/attributes", "info/exclude", "info/sparse-checkout"} {
		path := filepath.Join(dir, file)
		if _, err := os.Lstat(path); err == nil {
			if err := c.add(path, name+"/"+file); err != nil {
				return err
			}
		}
	}
	hooks, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "hooks", "*")) // the pattern is well-formed
	for _, path := range hooks {
		if err := c.add(path, name+"/hooks/"+filepath.Base(path)); err != nil {
			return err
		}
	}
	packed, _ := os.ReadFile(filepath.Join(dir, "packed-refs"))
	for line := range bytes.Lines(packed) {
		if sum, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && !strings.HasPrefix(sum, "#") {
			c[name+"/"+ref] = sum
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path) // path lies below it
		c[name+"/"+filepath.ToSlash(rel)] = strings.TrimSpace(string(text))
		return err
	})
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Changes names what differs from what was counted before; told is false where one
// of both was not counted.
func (c Counted) Changes(before map[string]string) (what []string, told bool) {
	if c == nil || before == nil {
		return nil, false
	}
	for name, sum := range c {
		switch was, ok := before[name]; {
		case !ok:
			what = append(what, name+" (new)")
		case was != sum:
			what = append(what, name)
		}
	}
	for name := range before {
		if _, ok := c[name]; !ok {
			what = append(what, name+" (gone)")
		}
	}
	slices.Sort(what)
	return what, true
}

// Listed writes the first of some files.
func Listed(files []string) string {
	const most = 8
	if len(files) == 0 {
		return ""
	}
	more := ""
	if len(files) > most {
		more, files = fmt.Sprintf(" and %d more", len(files)-most), files[:most]
	}
	return ": " + strings.Join(files, ", ") + more
}
