package linux

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
)

// build makes the new root, with everything mounted.
func (p setup) build() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := p.goToDir(); err != nil {
		return err
	}
	if err := mountTmpfs(newRoot, "mode=755,size=8m,nr_inodes=20k"); err != nil {
		return err
	}
	// proc first: later steps talk to it where the host's may be hidden.
	steps := []func() error{p.proc, p.system, p.etc, p.dev, (&trees{setup: p}).mount, p.scratch, p.extra, p.network}
	if p.onRoot() {
		steps = []func() error{p.proc, p.ownRoot, p.points, p.proc, p.dev, p.shownTrees, p.scratch, p.extra, p.network,
			p.closeDev}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if p.TestOnlyOff.Has(plan.OwnRoot) {
		if err := os.Mkdir(newRoot+"/host", 0o755); err != nil {
			return err
		}
		if err := unix.Mount("/", newRoot+"/host", "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return err
		}
	}
	if p.TestOnlyOff.Has(plan.ReadOnlyRoot) || p.onRoot() {
		return nil
	}
	ro := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, newRoot, 0, &ro); err != nil {
		return fmt.Errorf("making the root read-only: %w", err)
	}
	return nil
}

// goToDir makes the trial's directory the one that names are relative to.
func (p setup) goToDir() error {
	if p.DirFD == 0 {
		return os.Chdir(p.Dir)
	}
	const at = "/tmp" // nothing of the host is needed there: what is shown is open
	if err := attach(plan.Layer{FD: p.DirFD}, at); err != nil {
		return fmt.Errorf("going to the trial's directory: %w", err)
	}
	return os.Chdir(at)
}

func mountTmpfs(at, options string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mounting a tmpfs: %w", err)
	}
	return nil
}

func (p setup) proc() error {
	if err := os.MkdirAll(newRoot+"/proc", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", newRoot+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w\n"+
			"hint: in a container, /proc must not be masked (docker: --security-opt systempaths=unconfined)", err)
	}
	// Best effort: seccomp refuses nested user namespaces as well.
	_ = writeFile(newRoot+"/proc/sys/user/max_user_namespaces", "0")
	if p.LastPID > 0 { // a number that a command has noted must not soon be another process's
		if err := writeFile(newRoot+lastPID, strconv.Itoa(p.LastPID)); err != nil {
			return err
		}
	}
	for name, n := range p.Quotas {
		_ = writeFile(filepath.Join(newRoot, userQuotas, name), strconv.FormatInt(n, 10))
	}
	return nil
}

// system shows the host's programs read-only, or all of it.
func (p setup) system() error {
	if p.Whole != nil {
		return p.whole()
	}
	for _, d := range plan.SystemDirs() {
		st, err := os.Lstat(d)
		if err != nil {
			continue
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			t, err := os.Readlink(d)
			if err == nil {
				err = os.Symlink(t, newRoot+d)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := bind(d, d); err != nil {
			return err
		}
	}
	return nil
}

// bind shows a file or directory of the host read-only at target.
func bind(source, target string) error {
	return show(plan.ShownAt{Layer: plan.Layer{Path: source}, Target: target}, false)
}

// show mounts s; writable is for tests.
func show(s plan.ShownAt, writable bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s: %w", s.Path, err) }
	if s.FD == 0 {
		st, err := os.Stat(s.Path)
		if err != nil {
			return fail(err)
		}
		s.Dir = st.IsDir()
	}
	at := filepath.Join(newRoot, s.Target)
	if err := mountPoint(at, s.Dir); err != nil {
		return fail(err)
	}
	if s.FD > 0 {
		if err := attach(s.Layer, at); err != nil {
			return fail(err)
		}
	} else if err := unix.Mount(s.Path, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fail(err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if writable {
		attr.Attr_set &^= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, at, unix.AT_RECURSIVE, &attr); err != nil {
		return fail(err)
	}
	return nil
}

// mountPoint makes something to mount on, where there is nothing.
func mountPoint(at string, dir bool) error {
	if st, err := os.Lstat(at); err == nil {
		if st.Mode()&fs.ModeSymlink != 0 || st.IsDir() != dir {
			return fmt.Errorf("%s is something else", strings.TrimPrefix(at, newRoot))
		}
		return nil
	}
	if dir {
		return os.MkdirAll(at, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return writeFile(at, "")
}

// writeFile is os.WriteFile in three system calls: that makes nine, of which
// some only find out whether the file is one to wait for.
func writeFile(path, text string) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o644)
	if err == nil {
		_, err = unix.Write(fd, []byte(text))
		unix.Close(fd)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", strings.TrimPrefix(path, newRoot), err)
	}
	return nil
}

// device is a character device of the host that worlds show.
type device struct {
	path         string
	major, minor uint32
}

func devices() []device {
	return []device{{"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7}, {"/dev/random", 1, 8},
		{"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0}}
}

// there refuses what is no such device: a redirection by root on a machine that
// lost its /dev/null leaves a file there.
func (d device) there() error {
	var st unix.Stat_t
	if err := unix.Stat(d.path, &st); err != nil {
		return fmt.Errorf("showing %s: %w", d.path, err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFCHR && unix.Major(uint64(st.Rdev)) == d.major &&
		unix.Minor(uint64(st.Rdev)) == d.minor {
		return nil
	}
	return fmt.Errorf("%s of this machine is not the device of that name\n"+
		"hint: as root: rm -f %[1]s && mknod -m 666 %[1]s c %d %d", d.path, d.major, d.minor)
}

func (p setup) dev() error {
	if err := os.MkdirAll(newRoot+"/dev/pts", 0o755); err != nil {
		return err
	}
	for _, d := range devices() {
		at := newRoot + d.path
		if err := writeFile(at, ""); err != nil {
			return err
		}
		if err := d.there(); err != nil {
			return err
		}
		if err := unix.Mount(d.path, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("showing %s: %w", d.path, err)
		}
	}
	for link, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, newRoot+"/dev/"+link); err != nil {
			return err
		}
	}
	if err := unix.Mount("devpts", newRoot+"/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC,
		"newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("mounting /dev/pts: %w", err)
	}
	return nil
}

// scratch is one tmpfs, so that one size bounds everything in memory.
func (p setup) scratch() error {
	if err := p.memory(newRoot + "/tmp"); err != nil {
		return err
	}
	for _, d := range []struct {
		name, at string
		mode     os.FileMode
	}{{"vartmp", newRoot + "/var/tmp", 0o1777}, {"run", newRoot + "/run", 0o755}, {"shm", newRoot + "/dev/shm", 0o1777},
		{"tmp", newRoot + "/tmp", 0o1777}} {
		from := newRoot + "/tmp/" + d.name
		if p.Scratch == 0 {
			if err := p.makeOwn(from, d.mode); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(d.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(from, d.at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", strings.TrimPrefix(d.at, newRoot), err)
		}
	}
	return nil
}

// makeOwn makes a directory that is the agent's.
func (p setup) makeOwn(path string, mode os.FileMode) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	if err := unix.Chmod(path, uint32(mode)); err != nil {
		return err
	}
	return unix.Chown(path, p.ID(), p.ID())
}

func (p setup) extra() error {
	for _, m := range p.Mounts {
		if err := show(m, p.TestOnlyOff.Has(plan.ReadOnlyBinds)); err != nil {
			return err
		}
	}
	return nil
}
