package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// whole mounts the host's tree. What can't be shown is left out and said: a
// world without it is of use all the same, and shows no more than it should.
func (p plan) whole() error {
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
	return os.WriteFile(leftFile, b, 0o600)
}

func (p plan) part(t part) error {
	at := newRoot + t.At
	own := filepath.Join(elseDir, t.Own)
	switch t.Kind {
	case linked:
		return os.Symlink(t.Link, at)
	case showFile:
		return bind(t.At, t.At)
	case madeAnew:
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
	if p.TestOnlyOff.has(ownWrites) {
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		return unix.Mount(t.At, at, "", unix.MS_BIND, "")
	}
	return t.stack(own, at, p.Whole.ReadOnly)
}

// stack mounts the overlay of a part. There may be many: a directory is named
// and not attached first, as the layers of a trial are, whose place on the host
// is nobody's business.
func (t part) stack(own, at string, readOnly bool) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	opts := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr,volatile",
		strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(t.At), own, filepath.Join(kernelDir, t.Own))
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	if err := unix.Mount("overlay", at, "overlay", flags, opts); err != nil {
		return fmt.Errorf("no overlay over it: %w", err)
	}
	return nil
}

// wholeEtc gives the files of /etc that a world with the host's own has instead
// of the host's: the agent is its user, whoever has that number outside.
func wholeEtc(p plan) map[string]string {
	made := etcFiles(p)
	files := map[string]string{}
	for _, name := range []string{"hosts", "hostname", "nsswitch.conf", "resolv.conf"} {
		files[name] = made[name]
	}
	for _, name := range []string{"passwd", "group"} {
		files[name] = made[name]
		b, err := os.ReadFile("/etc/" + name)
		if err != nil {
			continue
		}
		files[name] = withAgent(string(b), made[name])
	}
	return files
}

// withAgent puts the agent's line in front of those of the host, without whom
// it takes the name or the number of.
func withAgent(host, made string) string {
	var out strings.Builder
	agent := ""
	for line := range strings.Lines(made) {
		if strings.HasPrefix(line, "agent:") {
			agent = line
		}
	}
	out.WriteString(agent)
	number := strings.Split(agent, ":")[2]
	for line := range strings.Lines(host) {
		f := strings.Split(line, ":")
		if len(f) > 2 && f[0] != "agent" && strings.TrimSpace(f[2]) != number {
			out.WriteString(line)
		}
	}
	return out.String()
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

// changedSince reports whether a file was made or changed after t, whatever
// times it was given.
func changedSince(info fs.FileInfo, t time.Time) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && time.Unix(st.Ctim.Unix()).After(t)
}
