package tasks

import (
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFiles is how many bytes the files of a task have at most.
const maxFiles = 4 << 20

// file is a file of a task; name is relative, with slashes.
type file struct {
	name string
	data []byte
	exec bool
}

// readFile reads a regular file of a task; links are not followed.
func readFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, name)
}

func readIn(root *os.Root, name string) ([]byte, error) {
	st, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case st.Size() > maxFiles:
		return nil, fmt.Errorf("%s: %w", name, errLarge)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFiles))
}

// folder is the directory of a task, of which no more than maxFiles is read.
type folder struct {
	dir  string
	size int64 // of what was read
}

// read reads one file.
func (f *folder) read(name string) ([]byte, error) { return readFile(f.dir, name) }

// has reports whether a regular file is there.
func (f *folder) has(name string) bool { return isFile(filepath.Join(f.dir, name)) }

// files reads the files below a directory, in order, without those of environment/ that a
// build leaves out. With an error it gives those that stand before.
func (f *folder) files(below string, left ignored) ([]file, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []file
	err = fs.WalkDir(root.FS(), filepath.ToSlash(filepath.Clean(below)),
		func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if at, ok := strings.CutPrefix(name, "environment/"); ok && d.IsDir() && left.whole(at) {
				return fs.SkipDir
			} else if d.IsDir() || ok && left.out(at) {
				return nil
			}
			data, err := readIn(root, name)
			if err != nil {
				return err
			}
			if f.size += int64(len(data)) + 100; f.size > maxFiles {
				return errLarge
			}
			if !isText(name) || strings.ContainsAny(name, "\n\t") {
				return fmt.Errorf("%q is no plain name", name)
			}
			st, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(filepath.Clean(below), name)
			out = append(out, file{filepath.ToSlash(rel), data, st.Mode()&0o111 != 0})
			return err
		})
	return out, err
}

// globbed gives the names that patterns of a COPY stand for; one that matches nothing stays.
func (f *folder) globbed(words []string) (out []string) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return words
	}
	defer root.Close()
	for _, w := range words {
		at := path.Join("environment", path.Clean("/"+w))
		found, err := fs.Glob(root.FS(), at)
		if !strings.ContainsAny(w, "*?") || err != nil || len(found) == 0 {
			out = append(out, w)
			continue
		}
		for _, name := range found {
			out = append(out, strings.TrimPrefix(name, "environment/"))
		}
	}
	return out
}

// isText reports whether a recipe can hold s as it is.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' ||
			r == 0x7f
	})
}

// quote is a text as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// put gives the lines of a script that write a file to an absolute path.
func put(at string, f file) []string {
	var out []string
	if dir := filepath.Dir(at); dir != "/" {
		out = append(out, "mkdir -p "+quote(dir))
	}
	if text := string(f.data); isText(text) {
		out = append(out, "printf %s "+quote(text)+" > "+quote(at))
	} else {
		out = append(out, "base64 -d > "+quote(at)+" <<< "+base64.StdEncoding.EncodeToString(f.data))
	}
	if f.exec {
		out = append(out, "chmod +x "+quote(at))
	}
	return out
}

// Size is about how many bytes the task has as a recipe's.
func (t Task) Size() int {
	n := len(t.Instruction) + len(t.Test) + len(t.Solution)
	for _, line := range t.Setup {
		n += len(line)
	}
	for _, f := range slices.Concat(t.Tests, t.Solving) {
		n += len(f.data)
	}
	return n
}
