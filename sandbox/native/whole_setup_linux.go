package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// whole mounts the host's tree. What can't be shown is left out and said: a
// world without it is of use all the same, and shows no more than it should.
func (p plan) whole() error {
	left := p.Whole.Left
	next := 0
	for _, part := range p.Whole.Parts {
		err := p.part(part, &next)
		if errors.Is(err, unix.ENOENT) { // it has just gone
			continue
		}
		if err != nil {
			left = append(left, part.At+": "+strings.TrimPrefix(err.Error(), overlayFailed+": "))
		}
	}
	b, err := json.Marshal(left)
	if err != nil {
		return err
	}
	return os.WriteFile(leftFile, b, 0o600)
}

func (p plan) part(t part, next *int) error {
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
	o := tree{Upper: own, Scratch: filepath.Join(kernelDir, t.Own), Lower: []layer{{Path: t.At}}, ReadOnly: p.Whole.ReadOnly}
	attached := fmt.Sprintf("%s/%d", lowerDir, *next)
	err := o.mount(at, next)
	if err != nil {
		_ = unix.Unmount(attached, unix.MNT_DETACH) // the host's own directory is nothing to leave behind
	}
	return err
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
