package main

import (
	"os"
	"path/filepath"

	"cookoff/recipe"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// besideRecipe is the directory beside a recipe whose repairs are its own.
const besideRecipe = "repairs"

// repairsBeside gives the directories of repairs that lie beside the files a
// recipe was read from.
func repairsBeside(r *recipe.Recipe) []string {
	var dirs []string
	for _, f := range r.Files() {
		if st, err := os.Stat(f); err != nil || !st.Mode().IsRegular() {
			continue // builtin:NAME, or of git
		}
		dir := filepath.Join(filepath.Dir(f), besideRecipe)
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// loadRepairs gives the repairs of the program and those of dirs, each
// directory once, "" for none. What takes a value that its probe never says is
// wrong too: nothing could call it.
func loadRepairs(dirs []string) (*repair.Library, error) {
	lib, err := repair.Default()
	if err != nil {
		return nil, &failure{exitUsage, err}
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		abs := dir
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			abs, _ = filepath.Abs(real)
		}
		if seen[abs] {
			continue
		}
		seen[abs] = true
		own, err := repair.Load(os.DirFS(dir), dir)
		if err == nil {
			err = lib.Add(own)
		}
		if err != nil {
			return nil, &failure{exitUsage, err}
		}
	}
	ps, err := unsupplied(lib)
	if err == nil && len(ps) > 0 {
		err = ps
	}
	if err != nil {
		return nil, &failure{exitUsage, err}
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
