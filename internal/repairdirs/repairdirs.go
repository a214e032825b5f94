// Package repairdirs reads the repairs that lie in directories and beside recipes.
package repairdirs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	"cookoff/internal/files"
	"cookoff/recipe"
	"cookoff/recipe/lookup"
	"cookoff/recipe/problem"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// Name is the directory beside a recipe whose repairs are its own.
const Name = "repairs"

// Dir is a directory of repairs, and what messages call it.
type Dir struct {
	files fs.FS
	path  string // "": not on disk
	Name  string
}

// At gives directories of repairs by their paths, without empty ones.
func At(paths ...string) (out []Dir) {
	for _, p := range paths {
		if p != "" {
			out = append(out, Dir{os.DirFS(p), p, p})
		}
	}
	return out
}

// Paths gives the directories that lie on disk.
func Paths(in []Dir) (out []string) {
	for _, dir := range in {
		if dir.path != "" {
			out = append(out, dir.path)
		}
	}
	return out
}

// Beside gives the repairs that are a recipe's own.
func Beside(rel func(string) string, r *recipe.Recipe) ([]Dir, error) {
	var out []Dir
	for _, f := range r.LocalFiles() {
		own, err := Of(rel, f)
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
	}
	return out, nil
}

// Of gives the repairs that lie beside a recipe's file or, where that
// is a bundle, in it.
func Of(rel func(string) string, file string) ([]Dir, error) {
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		return nil, nil // gone, or a pipe
	}
	inside, err := lookup.BundleFiles(file, Name)
	dir := filepath.Join(filepath.Dir(file), Name)
	switch {
	case err != nil:
		return nil, err
	case len(inside) > 0:
		return []Dir{{files: inMemory(inside), Name: rel(file) + "/" + Name}}, nil
	case inside == nil && files.IsDir(dir):
		return []Dir{{os.DirFS(dir), dir, rel(dir)}}, nil
	}
	return nil, nil
}

// inMemory gives files as a file system.
func inMemory(files map[string][]byte) fs.FS {
	out := fstest.MapFS{} // the one that the standard library has
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: content, Mode: 0o644}
	}
	return out
}

// Files gives the files of directories of repairs, as a bundle holds
// them.
func Files(in []Dir) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, dir := range in {
		for _, pattern := range []string{"*.yaml", "*.yml"} {
			names, _ := fs.Glob(dir.files, pattern) // the patterns are sound
			for _, name := range names {
				content, err := fs.ReadFile(dir.files, name)
				if err != nil {
					return nil, fmt.Errorf("reading repairs of %s: %w", dir.Name, err)
				}
				if _, twice := out[name]; twice {
					return nil, fmt.Errorf("reading repairs of %s: two directories of this recipe have a file %s\n"+
						"  hint: rename one of them", dir.Name, name)
				}
				out[name] = content
			}
		}
	}
	return out, nil
}

// Load gives the repairs of the program and those of more, each
// directory once. What takes a value that its probe never says is wrong too:
// nothing could call it.
func Load(more []Dir) (*repair.Library, error) {
	lib, err := repair.Default()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, dir := range more {
		abs := dir.path
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs, _ = filepath.Abs(real)
		}
		if seen[abs] && abs != "" {
			continue
		}
		seen[abs] = true
		own, err := repair.Load(dir.files, dir.Name)
		if err == nil {
			err = lib.Add(own)
		}
		if err != nil {
			return nil, err
		}
	}
	ps, err := Unsupplied(lib)
	if err == nil && len(ps) > 0 {
		err = ps
	}
	if err != nil {
		return nil, err
	}
	return lib, nil
}

// Unsupplied holds the values that repairs take against what the probes say.
func Unsupplied(lib *repair.Library) (problem.List, error) {
	all, err := probe.All()
	if err != nil {
		return nil, err
	}
	says := map[string][]string{}
	for _, p := range all {
		says[p.ID] = p.Params
	}
	return lib.Unsupplied(says), nil
}
