package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/recipe"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// besideRecipe is the directory beside a recipe whose repairs are its own.
const besideRecipe = "repairs"

// repairDir is a directory of repairs, and what messages call it.
type repairDir struct {
	files fs.FS
	path  string // "": not on disk
	name  string
}

// dirs gives directories of repairs by their paths, without empty ones.
func dirs(paths ...string) (out []repairDir) {
	for _, p := range paths {
		if p != "" {
			out = append(out, repairDir{os.DirFS(p), p, p})
		}
	}
	return out
}

// paths gives the directories that lie on disk.
func paths(in []repairDir) (out []string) {
	for _, dir := range in {
		if dir.path != "" {
			out = append(out, dir.path)
		}
	}
	return out
}

// repairsBeside gives the repairs that are a recipe's own.
func (a *app) repairsBeside(r *recipe.Recipe) ([]repairDir, error) {
	var out []repairDir
	for _, f := range r.LocalFiles() {
		own, err := a.repairsOf(f)
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
	}
	return out, nil
}

// repairsOf gives the repairs that lie beside a recipe's file or, where that
// is a bundle, in it.
func (a *app) repairsOf(file string) ([]repairDir, error) {
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		return nil, nil // gone, or a pipe
	}
	inside, err := recipe.BundleFiles(file, besideRecipe)
	dir := filepath.Join(filepath.Dir(file), besideRecipe)
	switch {
	case err != nil:
		return nil, cli.Fail(cli.ExitUsage, err)
	case len(inside) > 0:
		return []repairDir{{files: inMemory(inside), name: a.Rel(file) + "/" + besideRecipe}}, nil
	case inside == nil && files.IsDir(dir):
		return []repairDir{{os.DirFS(dir), dir, a.Rel(dir)}}, nil
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

// repairFiles gives the files of directories of repairs, as a bundle holds
// them.
func repairFiles(in []repairDir) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, dir := range in {
		for _, pattern := range []string{"*.yaml", "*.yml"} {
			names, _ := fs.Glob(dir.files, pattern) // the patterns are sound
			for _, name := range names {
				content, err := fs.ReadFile(dir.files, name)
				if err != nil {
					return nil, fmt.Errorf("reading repairs of %s: %w", dir.name, err)
				}
				if _, twice := out[name]; twice {
					return nil, fmt.Errorf("reading repairs of %s: two directories of this recipe have a file %s\n  hint: rename one of them", dir.name, name)
				}
				out[name] = content
			}
		}
	}
	return out, nil
}

// loadRepairs gives the repairs of the program and those of more, each
// directory once. What takes a value that its probe never says is wrong too:
// nothing could call it.
func loadRepairs(more []repairDir) (*repair.Library, error) {
	lib, err := repair.Default()
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
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
		own, err := repair.Load(dir.files, dir.name)
		if err == nil {
			err = lib.Add(own)
		}
		if err != nil {
			return nil, cli.Fail(cli.ExitUsage, err)
		}
	}
	ps, err := unsupplied(lib)
	if err == nil && len(ps) > 0 {
		err = ps
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	return lib, nil
}

// unsupplied holds the values that repairs take against what the probes say.
func unsupplied(lib *repair.Library) (recipe.Problems, error) {
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
