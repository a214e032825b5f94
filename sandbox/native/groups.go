package native

import (
	"errors"
	"os"
	"path/filepath"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/plan"
)

// scope finds where the control groups of worlds are, or gives the reason why
// worlds here have none.
func (b *backend) scope() (*cgroup.Scope, error) {
	place, err := b.place()
	if err != nil {
		return nil, err
	}
	return b.groups.Scope(func(dir string) error {
		return os.WriteFile(filepath.Join(place, scopeNote), []byte(dir),
			0o600)
	})
}

// group makes the control group of a world that this program's own processes
// are in; nil where there can be none.
func (b *backend) group(w *world, l sandbox.Limits) *cgroup.Group {
	tmpfses := b.builder.facts().tmpfses
	if tmpfses == 0 {
		return nil
	}
	s, err := b.scope()
	if err != nil || b.testOnlyOff.Has(plan.ControlGroup) {
		return nil
	}
	g, err := s.Group(filepath.Base(w.dir), cgroup.LimitsOf(l, tmpfses, cgroup.InMemory(w.dir)))
	if err != nil {
		return nil // as where there is no scope: the limits are watched
	}
	return g
}

// watches reports whether the guest of a world with this group has to count the
// memory: no control group does.
func (b *backend) watches(g *cgroup.Group) bool {
	return b.builder.facts().tmpfses > 0 && g == nil
}

// Bounded says whether the kernel bounds memory and processes of worlds here.
// An error says why it does not, and what to do: the limits are then watched.
func Bounded(o Options) error {
	b := &backend{opt: o}
	_, err := b.scope()
	return errors.Join(err, b.Close())
}
