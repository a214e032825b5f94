package tasks

import (
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// files reads the files below a directory of the task, in order.
func (r *reading) files(below string) []file { return r.filesBut(below, nil) }

// filesBut is files without those of environment/ that a build leaves out.
func (r *reading) filesBut(below string, left ignored) []file {
	root, err := os.OpenRoot(filepath.Join(r.dir))
	if err != nil {
		r.refused = append(r.refused, err)
		return nil
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
			if r.size += int64(len(data)) + 100; r.size > maxFiles {
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
	if err != nil {
		r.refused = append(r.refused, err)
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
