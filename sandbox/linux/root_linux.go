package linux

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// onRoot reports whether the world has a root of its own.
func (p setup) onRoot() bool { return p.Rest != nil && p.Rest.Root }

// ownRoot mounts the world's own root over the place where worlds are put
// together, and stacks project and home to be shown later.
func (p setup) ownRoot() error {
	all := trees{setup: p}
	for _, t := range []plan.Tree{p.Rest.Tree, p.Work, p.Home} {
		if err := all.stack(t, t.Scratch); err != nil {
			return fmt.Errorf("mounting the world's root: %w", err)
		}
	}
	if err := unix.Mount(p.Rest.Scratch, newRoot, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting the world's root: %w", err)
	}
	return nil
}

// points makes real directories where something is mounted. Whoever left the root
// may have put links there, which lead out of it while the world is made.
func (p setup) points() error {
	for _, at := range Apart(p.Plan) {
		if err := point(at); err != nil {
			return fmt.Errorf("making a place for %s: %w", at, err)
		}
	}
	for _, m := range p.Mounts {
		if err := point(filepath.Dir(m.Target)); err != nil {
			return fmt.Errorf("making a place for %s: %w", m.Target, err)
		}
	}
	if err := mountTmpfs(newRoot+"/dev", "mode=755,size=1m,nr_inodes=200"); err != nil {
		return err
	}
	return nil
}

// point makes a directory below the new root. Each name on the way is one, and no
// link, once this has returned; nobody else is there to change it.
func point(at string) error {
	dir := newRoot
	for name := range strings.SplitSeq(strings.Trim(at, "/"), "/") {
		dir = filepath.Join(dir, name)
		st, err := os.Lstat(dir)
		if err == nil && st.IsDir() {
			continue
		}
		if err == nil {
			err = os.Remove(dir)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// shownTrees shows project and home in the root, and the project where it is seen
// as well.
func (p setup) shownTrees() error {
	for _, t := range []struct {
		plan.Tree
		at string
	}{{p.Work, sandbox.WorkDir}, {p.Home, sandbox.HomeDir}} {
		if err := unix.Mount(t.Scratch, newRoot+t.at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", t.at, err)
		}
		if !t.ReadOnly {
			continue
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, newRoot+t.at, 0,
			&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return err
		}
	}
	for _, s := range p.Rest.Same {
		if err := p.same(s); err != nil {
			return fmt.Errorf("mounting %s: %w", s.At, err)
		}
	}
	return nil
}

// closeDev makes /dev read-only.
func (p setup) closeDev() error {
	return unix.MountSetattr(unix.AT_FDCWD, newRoot+"/dev", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// closeProc makes /proc read-only where the rules of Landlock allow writes
// everywhere, or the commands are the owners of what is in it.
func (p setup) closeProc() error {
	if !p.onRoot() && !p.Super || p.TestOnlyOff.Has(plan.WithLandlock) {
		return nil
	}
	// Another mount of it: what the guest has open for writing is of the first.
	if err := unix.Mount(newRoot+"/proc", newRoot+"/proc", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("closing /proc: %w", err)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, newRoot+"/proc", 0,
		&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("closing /proc: %w", err)
	}
	return nil
}

// Apart are the directories in a root of its own that are no part of it.
func Apart(p plan.Plan) []string {
	dirs := []string{"/proc", "/sys", "/dev", "/tmp", "/run", "/var/tmp", sandbox.WorkDir, sandbox.HomeDir}
	for _, s := range p.Rest.Same {
		dirs = append(dirs, s.At)
	}
	if len(p.Loader) > 0 {
		dirs = append(dirs, plan.GuestDir)
	}
	return dirs
}

// superRights are what root of a world may do, in its own user namespace: with the
// files that are its own, and with ports below 1024. None of them reaches the guest.
const superRights = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID | 1<<unix.CAP_NET_BIND_SERVICE

// severalRights are what it may do beside those where there are other users: end their processes.
const severalRights = 1 << unix.CAP_KILL
