package native

import (
	"context"
	"errors"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/scratch"
)

// Bounded says whether the kernel bounds memory and processes of worlds here.
// An error says why it does not, and what to do: the limits are then watched.
func Bounded(o Options) error {
	space := &scratch.Space{Base: o.Dir}
	var groups cgroup.Groups
	_, err := groups.Scope(space.NoteScope)
	if groups.Leave() {
		err = errors.Join(err, space.Close())
	}
	return err
}

// TryWhole opens a sandbox with Unrestricted, probes it from inside, and says
// what of this machine it lacks. An error says what is missing for one.
func TryWhole(ctx context.Context) (notShown []string, err error) {
	b := byName(Native, Options{})
	defer func() { err = errors.Join(err, closeBackend(b)) }()
	if err := check(ctx, b, sandbox.Spec{Filesystem: sandbox.Unrestricted}); err != nil {
		return nil, err
	}
	sb, err := b.Open(ctx, sandbox.Spec{Filesystem: sandbox.Unrestricted})
	if err != nil {
		return nil, err
	}
	if p, ok := sb.(sandbox.Partial); ok {
		notShown = p.NotShown()
	}
	return notShown, sb.Close()
}
