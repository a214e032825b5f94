package worlds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/runner/prepare"
	"cookoff/runner/project"
	"cookoff/runner/resolve"
)

// root is a copy that worlds of tasks start with. Its zero value is nothing.
type root struct {
	dir    string // "": nothing
	digest string
	copy   *project.Copy
	base   string   // the commit whose files it has; "": none
	masked []string // files that its repository tracks and that are not there
}

// roots are the copies that the worlds of tasks start with, by the names of the tasks.
type roots map[string]*root

// gather copies what the named tasks start with: each project once, and once each of
// its commits. done removes the copies.
func (s *Staging) gather(ctx context.Context, tasks []string) (out roots, done func(), err error) {
	out = roots{}
	byKey := map[string]*root{}
	var undo []func()
	done = func() {
		for _, f := range undo {
			f()
		}
	}
	for _, name := range tasks {
		t := s.TaskOf[name]
		hidden := project.HiddenGlobs(t.Hidden)
		key := t.Start.Key()
		if t.Start.Base != nil { // its own repository lacks what is hidden
			key += "\x00" + strings.Join(hidden, "\x00")
		}
		if byKey[key] == nil {
			r, remove, err := s.copyOf(ctx, t.Start, hidden)
			if err != nil {
				done()
				return nil, nil, err
			}
			undo = append(undo, remove)
			byKey[key] = r
		}
		out[name] = byKey[key]
	}
	return out, done, nil
}

// copyOf copies what worlds start with.
func (s *Staging) copyOf(ctx context.Context, from resolve.Start, hidden []string) (*root, func(), error) {
	if from.Dir == "" {
		return &root{}, func() {}, nil
	}
	source := project.Source{Recipe: s.Recipe, Dir: from.Dir, Hidden: s.project.Hidden, Outputs: s.project.Outputs,
		Secrets: s.project.Secrets, Kept: s.project.Kept}
	r := &root{}
	if from.Base == nil {
		anew, err := s.preparedDirs(ctx, from)
		if err != nil {
			return nil, nil, err
		}
		source.Prepared = anew
	}
	if from.Base != nil {
		source.Base, source.Masked, r.base = &project.Base{Repo: from.Repo, Commit: *from.Base}, hidden, from.Base.ID
	}
	copied, done, err := source.Copy(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.dir, r.copy, r.masked = copied.Dir, copied, copied.Masked()
	if r.digest, err = copied.Digest(); err != nil {
		done()
		return nil, nil, err
	}
	return r, done, nil
}

// preparedDirs gives the directories of a project that every task that starts with it has made anew by what
// prepares it, and of which its repository tracks nothing. Worlds have no copy of what lies there.
func (s *Staging) preparedDirs(ctx context.Context, from resolve.Start) (out []string, err error) {
	first := true
	for _, name := range s.Order {
		t := s.TaskOf[name]
		if t.Start.Key() != from.Key() {
			continue
		}
		anew, err := prepare.MadeBy(cmp.Or(t.Prepare, s.Recipe.Sandbox.Prepare), from.Dir)
		if err != nil {
			return nil, err
		}
		if first {
			out, first = anew, false
		}
		out = slices.DeleteFunc(out, func(dir string) bool { return !slices.Contains(anew, dir) })
	}
	if len(out) == 0 {
		return nil, nil
	}
	repo, err := history.Open(ctx, from.Dir)
	if err != nil {
		return out, nil //nolint:nilerr // no repository tracks anything there
	}
	return slices.DeleteFunc(out, func(dir string) bool {
		tracked, err := repo.Tracks(ctx, dir)
		return err != nil || tracked
	}), nil
}

// filesOf gives the digest of the files that a task starts with; "": there are none.
func (w *Worlds) Files(t *resolve.Task) (string, error) {
	if r := w.roots[t.Name()]; r != nil && r.copy != nil {
		return r.copy.Files()
	}
	return "", nil
}

// each gives every root once, in the order of the tasks.
func (rs roots) each(tasks []string) (out []*root) {
	for _, name := range tasks {
		if r := rs[name]; r != nil && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// masked gives the files that the repository of a copy tracks and that are not there.
func (rs roots) masked(dir string) []string {
	for _, r := range rs {
		if r.dir == dir {
			return r.masked
		}
	}
	return nil
}

// sum is the digest of all that worlds start with.
func (rs roots) sum() string {
	all := map[string]bool{}
	for _, r := range rs {
		all[r.digest] = true
	}
	sums := slices.Sorted(maps.Keys(all))
	if len(sums) == 1 {
		return sums[0]
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(sums, " "))))
}

// counted lists the files of all projects, where there are not too many, and the
// commits of bases.
func (rs roots) counted(tasks []string) (project.Counted, error) {
	var out project.Counted
	for i, r := range rs.each(tasks) {
		files := project.Counted{"commit": r.base}
		if r.base == "" {
			if r.copy == nil {
				return nil, nil
			}
			var err error
			if files, err = r.copy.Count(); err != nil || files == nil {
				return nil, err
			}
		}
		if out == nil {
			out = project.Counted{}
		}
		for name, sum := range files {
			if i > 0 || r.base != "" {
				name = fmt.Sprintf("(start %d) %s", i+1, name)
			}
			out[name] = sum
		}
	}
	return out, nil
}
