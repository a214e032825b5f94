package linux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// rest mounts what is part of the state beside project and home.
func (p *trees) rest() error {
	if p.Rest == nil {
		return nil
	}
	from := p.Rest.Scratch
	if p.Both != nil {
		from = filepath.Join(p.Both.Scratch, plan.TopRest)
	} else if err := p.stack(p.Rest.Tree, from); err != nil {
		return fmt.Errorf("mounting what is beside the project: %w", err)
	}
	for _, at := range p.Rest.Own {
		if err := os.MkdirAll(newRoot+at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(from+at, newRoot+at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", at, err)
		}
	}
	for _, s := range p.Rest.Same {
		if err := p.same(s); err != nil {
			return fmt.Errorf("mounting %s: %w", s.At, err)
		}
	}
	return nil
}

// same shows a directory of the project at another place. Whoever left the
// project may have put something else there: no link is followed, and where there
// is no directory, nothing is shown.
func (p setup) same(s plan.Same) error {
	if err := os.MkdirAll(newRoot+s.At, 0o755); err != nil {
		return err
	}
	work, err := unix.Open(newRoot+sandbox.WorkDir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(work)
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	dir, err := unix.Openat2(work, s.From, &how)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	tree, err := unix.OpenTree(dir, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, newRoot+s.At, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return err
	}
	if !p.Work.ReadOnly {
		return nil
	}
	return unix.MountSetattr(unix.AT_FDCWD, newRoot+s.At, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// places are the directories of the rest.
func places(p plan.Plan) (dirs []string) {
	if p.Rest == nil {
		return nil
	}
	for _, s := range p.Rest.Same {
		dirs = append(dirs, s.At)
	}
	return append(dirs, p.Rest.Own...)
}
