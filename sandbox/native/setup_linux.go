package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest"
)

// Descriptors that a process started under setupName finds open.
const (
	socketFD = 3
	binaryFD = 4
	layerFD  = 5 // and up
)

// newRoot is where the world is put together: a place that every host has and
// that the set-up has no other use for.
const newRoot = "/proc"

// agentID is the user and group inside.
const agentID = 1000

// A process that was started as a part of a sandbox does its part here and
// never gets to main: what the rest of the program has to initialise would be
// paid for twice a sandbox, and costs more than the sandbox itself. It ends by
// the bare system call: os.Exit waits a second in a program built to find races.
func init() {
	switch os.Args[0] {
	case setupName:
		runtime.LockOSThread()
		err := setUp()
		_ = guest.WriteFrame(os.NewFile(socketFD, "host"), guest.Reply{Err: err.Error()})
		syscall.Exit(1)
	case guestName:
		beGuest(overSocket)
	case runscName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, startRunsc())
		syscall.Exit(1)
	case idmapName:
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the host has what it needs
		syscall.Exit(0)
	}
	if len(os.Args) != 3 {
		return
	}
	switch over := os.Args[2]; os.Args[1] {
	case insideName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, inside(over))
		syscall.Exit(1)
	case guestName:
		beGuest(over)
	case helperName:
		go func() {
			agent, _ := strconv.Atoi(over)
			fmt.Fprintln(os.Stderr, guest.ServeFiles(agent))
			syscall.Exit(1)
		}()
		select {}
	}
}

// beGuest never returns.
func beGuest(over string) {
	go func() { // the first goroutine may be bound to the first thread
		fmt.Fprintln(os.Stderr, serve(over))
		syscall.Exit(1)
	}()
	select {}
}

// setUp builds the world, gives up all privileges, and becomes the guest. It
// runs on one locked thread, whose credentials exec hands to the guest.
func setUp() error {
	var p plan
	if err := guest.ReadFrame(exactReader{socketFD}, &p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if err := p.build(); err != nil {
		return err
	}
	if err := p.uppers(); err != nil {
		return err
	}
	if err := p.handDown(newRoot + "/proc"); err != nil {
		return err
	}
	// The namespace that a process is born with shows the control group of
	// its parent.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("making a control group namespace: %w", err)
	}
	if err := enter(); err != nil {
		return err
	}
	if err := restrict(p); err != nil {
		return err
	}
	return become([]string{guestName}, []string{frugal}, p.TestOnlyOff)
}

// exactReader reads from the socket without taking more than is asked for:
// the next frame is the guest's.
type exactReader struct{ fd int }

func (r exactReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(r.fd, b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil {
			err = errors.New("the host is gone")
		}
		return max(0, n), err
	}
}

// frugal is the environment of a guest: it collects garbage early, since it
// has little memory and throws little away.
const frugal = "GOGC=20"

// become replaces this process by the guest, which has these arguments and this
// environment.
func become(args, env []string, off without) error {
	// Whatever whoever started cookoff left open stays behind.
	ranges := [][2]uint{{binaryFD, guest.FirstUpper - 1}, {guest.EndFD, 1<<31 - 1}}
	if off.has(closedFiles) {
		ranges = nil
	}
	for _, r := range ranges {
		if err := unix.CloseRange(r[0], r[1], unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return fmt.Errorf("closing descriptors: %w", err)
		}
	}
	empty, _ := unix.BytePtrFromString("")
	var argv []*byte
	for _, a := range args {
		p, err := unix.BytePtrFromString(a)
		if err != nil {
			return err
		}
		argv = append(argv, p)
	}
	argv = append(argv, nil)
	if off.has(emptyEnv) {
		env = os.Environ()
	}
	envv, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_EXECVEAT, binaryFD, uintptr(unsafe.Pointer(empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])), unix.AT_EMPTY_PATH, 0)
	if errno == unix.EACCES {
		return errors.New("starting the guest: permission denied\nhint: the cookoff binary must be executable for all users: chmod a+rx it")
	}
	return fmt.Errorf("starting the guest: %w", errno)
}

// build makes the new root, with everything mounted.
func (p plan) build() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := os.Chdir(p.Dir); err != nil {
		return err
	}
	if err := mountTmpfs(newRoot, "mode=755,size=8m,nr_inodes=20k"); err != nil {
		return err
	}
	// proc first: later steps talk to it where the host's may be hidden.
	steps := []func() error{p.proc, p.system, p.etc, p.dev, p.trees, p.scratch, p.extra, p.network}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if p.TestOnlyOff.has(ownRoot) {
		if err := os.Mkdir(newRoot+"/host", 0o755); err != nil {
			return err
		}
		if err := unix.Mount("/", newRoot+"/host", "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return err
		}
	}
	if p.TestOnlyOff.has(readOnlyRoot) {
		return nil
	}
	ro := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, newRoot, 0, &ro); err != nil {
		return fmt.Errorf("making the root read-only: %w", err)
	}
	return nil
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

func (p plan) proc() error {
	if err := os.Mkdir(newRoot+"/proc", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", newRoot+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w\nhint: in a container, /proc must not be masked (docker: --security-opt systempaths=unconfined)", err)
	}
	// Best effort: seccomp refuses nested user namespaces as well.
	_ = writeFile(newRoot+"/proc/sys/user/max_user_namespaces", "0")
	return nil
}

// systemDirs are the directories with the host's programs.
func systemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
}

// system shows the host's programs read-only, or all of it.
func (p plan) system() error {
	if p.Whole != nil {
		return p.whole()
	}
	for _, d := range systemDirs() {
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
	return shownAt{layer: layer{Path: source}, Target: target}.show()
}

func (s shownAt) show() error {
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
		if err := s.mount(at); err != nil {
			return fail(err)
		}
	} else if err := unix.Mount(s.Path, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fail(err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if s.testOnlyWritable {
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

func (p plan) dev() error {
	if err := os.MkdirAll(newRoot+"/dev/pts", 0o755); err != nil {
		return err
	}
	for _, n := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		at := newRoot + "/dev/" + n
		if err := writeFile(at, ""); err != nil {
			return err
		}
		if err := unix.Mount("/dev/"+n, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("showing /dev/%s: %w", n, err)
		}
	}
	for link, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, newRoot+"/dev/"+link); err != nil {
			return err
		}
	}
	if err := unix.Mount("devpts", newRoot+"/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("mounting /dev/pts: %w", err)
	}
	return nil
}

// scratch is one tmpfs, so that one size bounds everything in memory.
func (p plan) scratch() error {
	if err := mountTmpfs(newRoot+"/tmp", fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", p.Limits.Tmp, p.Limits.Files)); err != nil {
		return err
	}
	for _, d := range []struct {
		name, at string
		mode     os.FileMode
	}{{"vartmp", newRoot + "/var/tmp", 0o1777}, {"run", newRoot + "/run", 0o755}, {"shm", newRoot + "/dev/shm", 0o1777}, {"tmp", newRoot + "/tmp", 0o1777}} {
		from := newRoot + "/tmp/" + d.name
		if err := os.Mkdir(from, 0o755); err != nil {
			return err
		}
		if err := chmodOwn(from, d.mode); err != nil {
			return err
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

// chmodOwn gives a file to the agent.
func chmodOwn(path string, mode os.FileMode) error {
	if err := unix.Chmod(path, uint32(mode)); err != nil {
		return err
	}
	return unix.Chown(path, agentID, agentID)
}

func (p plan) extra() error {
	for _, m := range p.Mounts {
		m.testOnlyWritable = p.TestOnlyOff.has(readOnlyBinds)
		if err := m.show(); err != nil {
			return err
		}
	}
	return nil
}

// uppers hands the directories that take the writes down to the guest, which
// measures them: as read-only mounts of their own, out of which no ".." leads.
func (p plan) uppers() error {
	dirs := []string{p.Work.Upper, p.Home.Upper}
	if p.Whole != nil {
		dirs = append(dirs, elseDir)
	}
	for i, dir := range dirs {
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err == nil {
			err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
		}
		if err == nil {
			err = unix.Dup3(fd, guest.FirstUpper+i, 0)
		}
		if err != nil {
			return fmt.Errorf("opening what is written: %w", err)
		}
		unix.Close(fd)
	}
	return closeUppers(len(dirs))
}

// closeUppers closes what may be open where the guest looks for directories of
// which there are only n.
func closeUppers(n int) error {
	if n == guest.Uppers {
		return nil
	}
	if err := unix.CloseRange(uint(guest.FirstUpper+n), guest.FirstUpper+guest.Uppers-1, 0); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	return nil
}

// enter makes r the root and lets go of the host's tree.
func enter() error {
	old, err := unix.Open("/", unix.O_DIRECTORY|unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(old)
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("entering the new root: %w", err)
	}
	if err := unix.Fchdir(old); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("letting go of the old root: %w", err)
	}
	return os.Chdir("/")
}
