package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/files"
	"cookoff/internal/temporary"
	"cookoff/sandbox"
)

// maxCompiled bounds the compiled files that are linked to.
const maxCompiled = 30000

// pythonCache gives a directory with links to what the Pythons of tool chains and of the system have compiled
// of their own modules, as PYTHONPYCACHEPREFIX wants it; "": there is none. The referee
// looks there for compiled files, since those of a project may lie, and without
// it each start of Python there compiles its own library anew: 0.2 seconds of a
// processor. Nothing runs for it, and what is linked to is held against its source by
// Python itself.
func pythonCache(tools []string) string {
	cache, err := cachedir.Path("python")
	if err != nil || !OnLinux {
		return ""
	}
	dir, err := PythonCache(cache, append([]string{"/usr", "/usr/local"}, tools...))
	if err != nil {
		return "" // each start compiles, as before
	}
	return dir
}

// PythonCache gives the directory below base with the links for Pythons that are
// installed in the directories of from, and makes it where it is not there; "" is for no Python.
func PythonCache(base string, from []string) (string, error) {
	var libraries []string
	sum := sha256.New()
	for _, dir := range from {
		found, _ := filepath.Glob(filepath.Join(dir, "lib", "python3*"))
		for _, at := range found {
			if !files.IsDir(at) || slices.Contains(libraries, at) {
				continue
			}
			libraries = append(libraries, at)
			fmt.Fprintf(sum, "1 %q", at)
			for _, part := range []string{"", "__pycache__", "site-packages", "dist-packages"} {
				if st, err := os.Stat(filepath.Join(at, part)); err == nil {
					fmt.Fprintf(sum, " %d", st.ModTime().UnixNano())
				}
			}
		}
	}
	if libraries == nil {
		return "", nil
	}
	dir := filepath.Join(base, hex.EncodeToString(sum.Sum(nil)[:8]))
	if files.IsDir(dir) {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // it only says that it is used
		return dir, nil
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	tmp, err := temporary.Dir(base, "new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	left := maxCompiled
	for _, at := range libraries {
		if err := linkCompiled(at, filepath.Join(tmp, sandbox.PythonCache), &left); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// linkCompiled links to the compiled files below a library of Python: DIR/__pycache__/X
// is PREFIX/DIR/X. Of left, what is linked to is taken.
func linkCompiled(library, prefix string, left *int) error {
	return filepath.WalkDir(library, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil || d.IsDir() && (name == "test" || name == "tests" || name == "idlelib"):
			return fs.SkipDir
		case !d.IsDir() || name != "__pycache__":
			return nil
		}
		compiled, err := os.ReadDir(path)
		if err != nil {
			return fs.SkipDir
		}
		to := filepath.Join(prefix, filepath.Dir(path))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		for _, f := range compiled {
			if !f.Type().IsRegular() || !strings.HasSuffix(f.Name(), ".pyc") || *left == 0 {
				continue
			}
			*left--
			if err := os.Symlink(filepath.Join(path, f.Name()), filepath.Join(to, f.Name())); err != nil {
				return err
			}
		}
		return fs.SkipDir
	})
}
