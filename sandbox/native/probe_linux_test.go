package native

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/linux"
	"cookoff/sandbox/sandboxtest"
)

// probeName is what the test binary is called inside, where it tries what must
// not work.
const probeName = "sandbox-probe"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == probeName {
		probe()
		return
	}
	if len(os.Args) == 4 && os.Args[1] == hogName {
		if err := hog(os.Args[2], os.Args[3]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 4 && os.Args[1] == hideName {
		if err := hide(os.Args[2], os.Args[3]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 6 && os.Args[1] == attackName {
		attackInside(os.Args[2], os.Args[3:])
		return
	}
	if len(os.Args) > 3 && os.Args[1] == hostName {
		hostToBeKilled(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) > 2 && os.Args[1] == wholeName {
		inMounts(&reporter{context.Background()}, os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func TestPromises(t *testing.T) {
	sandboxtest.Run(t, New(Options{Dir: t.TempDir()}))
}

// probe prints the name of everything that it could do.
func probe() {
	try := func(what string, errno error) {
		if errno == nil {
			fmt.Println(what)
		}
	}
	call := func(what string, nr uintptr, args ...uintptr) {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno == 0 || errno == unix.EFAULT || errno == unix.EINVAL || errno == unix.EBADF || errno == unix.ESRCH {
			fmt.Println(what, "reached the kernel:", errno)
		}
	}
	for _, s := range []struct{ family, kind int }{
		{unix.AF_VSOCK, unix.SOCK_STREAM}, {unix.AF_ALG, unix.SOCK_SEQPACKET}, {unix.AF_PACKET, unix.SOCK_RAW},
		{unix.AF_PACKET, unix.SOCK_DGRAM},
		{unix.AF_KEY, unix.SOCK_RAW}, {unix.AF_XDP, unix.SOCK_RAW}, {unix.AF_BLUETOOTH, unix.SOCK_RAW}, {unix.AF_CAN,
			unix.SOCK_RAW},
		{unix.AF_INET, unix.SOCK_RAW}, {unix.AF_INET, unix.SOCK_PACKET},
		{unix.AF_INET6, unix.SOCK_RAW | unix.SOCK_CLOEXEC},
	} {
		_, err := unix.Socket(s.family, s.kind, 0)
		try(fmt.Sprintf("socket %d %d", s.family, s.kind), err)
	}
	for _, nr := range linux.Denied() {
		call(fmt.Sprintf("system call %d", nr), nr, 1<<62)
	}
	call("clone3", unix.SYS_CLONE3)
	call("unshare user", unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	call("unshare net", unix.SYS_UNSHARE, unix.CLONE_NEWNET|unix.CLONE_FS)
	call("tiocsti", unix.SYS_IOCTL, 0, unix.TIOCSTI)
	call("tiocsti with high bits", unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32)
	for _, p := range []string{"/proc/1/mem", "/proc/self/mem", "/proc/1/environ", "/proc/1/root", "/proc/1/cwd/",
		"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/1/oom_score_adj"} {
		flags := unix.O_RDWR
		if strings.HasSuffix(p, "root") || strings.HasSuffix(p, "/") || strings.HasSuffix(p, "environ") {
			flags = unix.O_RDONLY
		}
		_, err := unix.Open(p, flags, 0)
		try("open "+p, err)
	}
	try("priority", unix.Setpriority(unix.PRIO_PROCESS, 0, -5))
	try("file size", unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}))
	try("setuid", unix.Setuid(0))
	fmt.Println("probed")
}

// TestProbe runs the test binary inside: nothing of what it tries may work.
func TestProbe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []sandbox.Network{sandbox.NoNetwork, sandbox.FullNetwork} {
		sb, err := New(Options{Dir: t.TempDir()}).Open(t.Context(),
			sandbox.Spec{Network: n, ReadOnly: []sandbox.Mount{{Source: self, Target: "/opt/probe"}}})
		if err != nil {
			t.Fatal(err)
		}
		defer sb.Close()
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Argv: []string{"/opt/probe", probeName}})
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Stdout) != "probed\n" {
			t.Errorf("network %s: this worked:\n%s%s", n, r.Stdout, r.Stderr)
		}
	}
}
