package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/sandbox"
)

// copies fills project and home by copying, where there are no overlays: a
// world is then slower to open, and is otherwise the same.
func (w *world) copies(p *plan, spec sandbox.Spec) error {
	if len(spec.Hidden) > 0 {
		return errors.New("hiding files needs overlays, which this file system does not have\nhint: set TMPDIR to a directory on ext4, xfs, btrfs or tmpfs")
	}
	p.Work.Plain, p.Home.Plain = true, true
	var from stratum
	if len(w.lower) > 0 {
		from = w.lower[0] // of a state, this is all of it
	}
	top := newStratum(filepath.Join(w.dir, topDir))
	for _, c := range []struct{ from, to string }{{from.work, top.work}, {from.home, top.home}} {
		to := c.to
		if err := w.ownDir(to); err != nil {
			return err
		}
		if c.from == "" {
			continue
		}
		if err := sandbox.Snapshot(context.Background(), c.from, to, nil); err != nil {
			return err
		}
		if err := w.own(to); err != nil {
			return fmt.Errorf("copying a project: %w", err)
		}
	}
	return nil
}

// own gives a whole tree to the agent.
func (w *world) own(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if err := os.Lchown(path, w.uid, w.gid()); err != nil {
			return err
		}
		if st.Mode().IsRegular() { // a change of owner takes set-user-ID bits away
			return os.Chmod(path, st.Mode())
		}
		return nil
	})
}
