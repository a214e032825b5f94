package project

import (
	"path/filepath"
	"slices"

	"cookoff/recipe"
)

// within gives those of several files that lie in dir, by their paths in it; what is
// gone is none.
func within(dir string, files []string) (out []string) {
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			continue // it is gone
		}
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) && rel != "." {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// CommittedGiven gives those of several files of dir (names) that a contestant is given.
func CommittedGiven(
	r *recipe.Recipe, t recipe.Task, dir string, c recipe.ContestantConfig, names []string,
) (out []string) {
	if matches(HiddenGlobs(t.Hidden), ".git") {
		return nil
	}
	var globs []string
	for _, rel := range within(dir, givenFiles(r, c)) {
		globs = append(globs, escapeGlob(rel))
	}
	for _, name := range names {
		if matches(globs, name) {
			out = append(out, name)
		}
	}
	return out
}

// Committed gives those of several files of dir (names) that hold what a task keeps from
// models: the recipe, where it has solutions or checks, its judge_files, and what the task
// hides.
func Committed(r *recipe.Recipe, t recipe.Task, dir string, names []string) (out []string) {
	var keep []string
	if slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool {
		return t.Solution != "" || len(t.After)+len(t.Guard) > 0
	}) {
		keep = r.LocalFiles()
	}
	for _, t := range r.Tasks {
		if at, err := judgeDir(r, t); err == nil && at != "" {
			keep = append(keep, at)
		}
	}
	var globs []string
	for _, rel := range within(dir, keep) {
		globs = append(globs, escapeGlob(rel))
	}
	globs = append(globs, HiddenGlobs(t.Hidden)...)
	if matches(HiddenGlobs(t.Hidden), ".git") || len(globs) == 0 {
		return nil
	}
	for _, name := range names {
		if matches(globs, name) {
			out = append(out, name)
		}
	}
	return out
}
