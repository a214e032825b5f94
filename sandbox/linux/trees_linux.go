package linux

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// LowerDir holds the mounts of layers while they are stacked.
const LowerDir = newRoot + "/run"

// trees mounts what a world writes and keeps.
type trees struct {
	setup
	attached int // layers, each under a name of its own
}

// mount mounts project, home, and what is part of the state beside them.
func (p *trees) mount() error {
	type at struct {
		t     plan.Tree
		where string
	}
	all := []at{{p.Work, sandbox.WorkDir}, {p.Home, sandbox.HomeDir}}
	if p.Both != nil {
		if err := p.both(); err != nil {
			return fmt.Errorf("mounting %s: %w", sandbox.WorkDir, err)
		}
		all = nil
	}
	if p.Caches != nil {
		all = append(all, at{*p.Caches, plan.CacheDir})
	}
	for _, a := range all {
		if err := p.stack(a.t, newRoot+a.where); err != nil {
			return fmt.Errorf("mounting %s: %w", a.where, err)
		}
	}
	return p.rest()
}

// both stacks project and home in one, and shows each at its place. The one is
// mounted over its scratch directory, which needs no name any more, and goes
// away with the host's tree.
func (p *trees) both() error {
	if err := p.stack(*p.Both, p.Both.Scratch); err != nil {
		return err
	}
	for _, t := range []struct {
		plan.Tree
		from, at string
	}{{p.Work, plan.TopWork, newRoot + sandbox.WorkDir}, {p.Home, plan.TopHome, newRoot + sandbox.HomeDir}} {
		if err := os.MkdirAll(t.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(p.Both.Scratch+"/"+t.from, t.at, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		if !t.ReadOnly {
			continue
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, t.at, 0,
			&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return err
		}
	}
	return nil
}

// stack mounts the layers of a tree, one over the other. Every path in the options is relative and says
// nothing, since the options can be read inside.
func (p *trees) stack(t plan.Tree, at string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if t.Plain {
		return showCopy(t, at)
	}
	var lowers []string
	for _, l := range t.Lower {
		name := fmt.Sprintf("%s/%d", LowerDir, p.attached)
		p.attached++
		if err := os.MkdirAll(name, 0o755); err != nil {
			return err
		}
		if err := attach(l, name); err != nil {
			return err
		}
		lowers = append(lowers, name)
	}
	if len(lowers) == 0 {
		lowers = []string{LowerDir + "/empty"}
		if err := os.MkdirAll(lowers[0], 0o755); err != nil {
			return err
		}
	}
	opts := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr,volatile", strings.Join(lowers, ":"), t.Upper,
		t.Scratch)
	if err := unix.Mount("overlay", at, "overlay", unix.MS_NOSUID|unix.MS_NODEV, opts); err != nil {
		return fmt.Errorf("%w: %w", wire.ErrOverlay, err)
	}
	for i := range t.Lower { // the overlay has its own hold on them
		if err := unix.Unmount(lowers[i], unix.MNT_DETACH); err != nil {
			return fmt.Errorf("letting go of a layer: %w", err)
		}
	}
	if !t.ReadOnly {
		return nil
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// showCopy mounts a tree without layers.
func showCopy(t plan.Tree, at string) error {
	if err := unix.Mount(t.Upper, at, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if t.ReadOnly {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, 0, &attr)
}

// attach mounts a layer.
func attach(l plan.Layer, at string) error {
	if l.FD > 0 {
		defer unix.Close(l.FD)
		if err := unix.MoveMount(l.FD, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("attaching a layer: %w", err)
		}
		return nil
	}
	if err := unix.Mount(l.Path, at, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("attaching a layer: %w", err)
	}
	return nil
}
