package native

import (
	"context"
	"errors"
	"fmt"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/scratch"
	"cookoff/sandbox/wire"
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

// TryUsers opens a sandbox with several users, and gives a file to one of them. An error says what is missing.
func TryUsers(ctx context.Context) (err error) {
	b := byName(Native, Options{})
	defer func() { err = errors.Join(err, closeBackend(b)) }()
	sb, err := b.Open(ctx, sandbox.Spec{User: sandbox.SuperOfMany})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	r, err := sb.Exec(ctx, sandbox.Cmd{Script: `: > f && chown 33:34 f && [ "$(stat -c %u:%g f)" = 33:34 ]`})
	if err == nil && !r.OK() {
		err = sandbox.Unavailable("checking", fmt.Errorf("a file can't be given to another user: %s",
			wire.Clean(string(r.Stderr))))
	}
	return err
}
