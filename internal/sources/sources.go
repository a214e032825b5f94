// Package sources finds recipes and pins what they extend from git.
package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
	"cookoff/recipe/problem"
)

// Finder finds recipes, and pins the git sources of those that are files.
type Finder struct {
	Dir    string // to look from
	Locked bool   // sources are as recipe.lock has them, or it is an error
	Build  bool   // an engine builds the images of tasks for Harbor
	Notify func(host.Notice)
}

// Find finds and reads a recipe. Its problems come back beside what could
// be read, so that the names in it can be checked as well; any other error
// means that there is nothing to check.
func (f Finder) Find(ctx context.Context, name string) (*recipe.Recipe, problem.List, error) {
	if dirs := f.harborDirs(name); dirs != nil {
		r, ps := f.expand(ctx, recipe.OfHarbor(dirs))
		return r, ps, nil
	}
	r, err := recipe.Finder{Dirs: lookup.Dirs{Dir: f.Dir}, Locked: f.Locked}.DiscoverContext(ctx, name)
	var ps problem.List
	if err != nil && !errors.As(err, &ps) {
		return nil, nil, err
	}
	if err == nil {
		f.pin(r)
	}
	if r != nil {
		var more problem.List
		r, more = f.expand(ctx, r)
		ps = append(ps, more...)
	}
	return r, ps, nil
}

// IsFile tells whether a recipe was read from a file of the user's.
func IsFile(r *recipe.Recipe) bool {
	return !strings.HasPrefix(r.Source(), "builtin:") && !strings.HasPrefix(r.Source(), recipe.HarborPrefix) &&
		!strings.HasPrefix(r.Source(), "git+")
}

// pin writes what was resolved to the lock. Reading goes on where it can't be.
func (f Finder) pin(r *recipe.Recipe) {
	if len(r.Sources()) == 0 || f.Locked || !IsFile(r) {
		return
	}
	if _, err := WriteLock(r, false, f.Notify); err != nil {
		f.Notify(host.Notice{Text: fmt.Sprintf("pinning git sources: %v", err), Warning: true})
	}
}

// WriteLock lays what was resolved over the lock beside a recipe, perhaps
// without what nobody uses any more, and says what changed.
func WriteLock(r *recipe.Recipe, prune bool, notify func(host.Notice)) (changed bool, err error) {
	path := gitsource.LockPath(r.Source())
	lock, err := gitsource.ReadLock(path)
	if err != nil {
		return false, err
	}
	was := map[string]string{}
	for _, s := range lock.Sources() {
		was[s.URL] = s.Commit
	}
	changed = lock.Pin(r.Source(), r.Sources())
	if prune {
		gone, less := lock.Prune(r.Source(), r.Sources())
		for _, url := range gone {
			notify(host.Notice{Text: fmt.Sprintf("%s: %s is no longer used", path, text.Line(url))})
		}
		changed = changed || less
	}
	if !changed {
		return false, nil
	}
	for _, s := range r.Sources() {
		if from := was[s.URL]; from != s.Commit {
			if from != "" {
				from = from[:12] + " → "
			}
			notify(host.Notice{Text: fmt.Sprintf("%s: %s %s%s", path, text.Line(s.URL), from, s.Commit[:12])})
		}
	}
	if len(lock.Sources()) == 0 {
		return true, os.Remove(path)
	}
	return true, files.WriteFile(path, lock.Marshal())
}
