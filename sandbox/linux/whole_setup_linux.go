package linux

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
)

// whole mounts the host's tree. What can't be shown is left out and said: a
// world without it is of use all the same, and shows no more than it should.
func (p setup) whole() error {
	left := p.Whole.Left
	for _, part := range p.Whole.Parts {
		err := p.part(part)
		if errors.Is(err, unix.ENOENT) { // it has just gone
			continue
		}
		if err != nil {
			left = append(left, part.At+": "+err.Error())
		}
	}
	b, err := json.Marshal(left)
	if err != nil {
		return err
	}
	return os.WriteFile(plan.LeftFile, b, 0o600)
}

func (p setup) part(t plan.Part) error {
	at := newRoot + t.At
	own := filepath.Join(plan.ElseDir, t.Own)
	switch t.Kind {
	case plan.Linked:
		return os.Symlink(t.Link, at)
	case plan.ShowFile:
		return bind(t.At, t.At)
	case plan.NewDirectory:
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(own, at, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
		if p.Whole.ReadOnly {
			attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
		}
		return unix.MountSetattr(unix.AT_FDCWD, at, 0, &attr)
	}
	if p.TestOnlyOff.Has(plan.OwnWrites) {
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		return unix.Mount(t.At, at, "", unix.MS_BIND, "")
	}
	return stackPart(t, own, at, p.Whole.ReadOnly)
}

// stackPart mounts the overlay of a part. There may be many: a directory is named
// and not attached first, as the layers of a trial are, whose place on the host
// is nobody's business.
func stackPart(t plan.Part, own, at string, readOnly bool) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	opts := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr,volatile",
		strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(t.At), own, filepath.Join(plan.KernelDir, t.Own))
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	if err := unix.Mount("overlay", at, "overlay", flags, opts); err != nil {
		return fmt.Errorf("no overlay over it: %w", err)
	}
	return nil
}

// wholeDirs are the directories of the root that a world with the whole host
// may write in, but for those that are nobody's files.
func wholeDirs() []string {
	var dirs []string
	entries, _ := os.ReadDir("/")
	for _, e := range entries {
		if e.IsDir() && e.Name() != "proc" {
			dirs = append(dirs, "/"+e.Name())
		}
	}
	return dirs
}
