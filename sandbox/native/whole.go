package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
)

// readLeft gives what the set-up said it left out.
func readLeft(dir string) ([]string, error) {
	var left []string
	b, err := os.ReadFile(filepath.Join(dir, plan.LeftFile))
	if err == nil {
		err = json.Unmarshal(b, &left)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what of the host is not shown: %w", err)
	}
	return left, nil
}

// outside is what a world with the whole host has outside of project and home.
type outside struct {
	left   []string // what of the host is not shown
	parts  []plan.Part
	since  time.Time // when it was opened
	looked bool
	some   []string // changed, once it is sealed or copied
	more   int
}

// opened reads what the set-up could not show.
func (o *outside) opened(dir string) (err error) {
	o.left, err = readLeft(dir)
	return err
}

// NotShown says what of the host a world with Unrestricted lacks, and why.
func (o *outside) NotShown() []string { return o.left }

// ChangedElsewhere names what was changed outside of project and home.
func (o *outside) ChangedElsewhere() (some []string, more int) { return o.some, o.more }

// changedNamed is how many of the files that were changed elsewhere are named.
const changedNamed = 20

// look finds what was changed outside of project and home of the world in dir,
// once: what checks do there afterwards is not the contestant's doing.
func (o *outside) look(dir string) {
	if !o.looked {
		o.looked = true
		o.note(filepath.Join(dir, plan.ElseDir))
	}
}

// note finds what was changed in dir. No link is followed.
func (o *outside) note(dir string) {
	for _, part := range o.parts {
		if part.Own == "" {
			continue
		}
		top := filepath.Join(dir, part.Own)
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what can't be looked at is not named
			}
			if info, err := d.Info(); err != nil || d.IsDir() || !changedSince(info, o.since) {
				return nil
			}
			if len(o.some) == changedNamed {
				o.more++
				return nil
			}
			rel, _ := filepath.Rel(top, path) // path lies below it
			o.some = append(o.some, filepath.Join(part.At, rel))
			return nil
		})
	}
}

// forget removes what a sealed world wrote outside of project and home, and keeps
// the names.
func (o *outside) forget(dir string) error {
	o.look(dir)
	return errors.Join(trees.Remove(filepath.Join(dir, plan.ElseDir)), trees.Remove(filepath.Join(dir, plan.KernelDir)))
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
