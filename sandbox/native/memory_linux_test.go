package native

import (
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/protect"
	"cookoff/sandbox/plan"
)

// hideName is the argument on which the test binary takes memory that it does not
// show as its own: how, and for how long it keeps it.
const hideName = "hide-memory"

// hideSize is how much it takes, in bytes.
const hideSize = 300 << 20

func hide(how, long string) error {
	if how == "unseen" {
		tryUnseen()
		return nil
	}
	if how == headless {
		endFirstThread(func() error { return take(how, long) })
	}
	return take(how, long)
}

func take(how, long string) error {
	keep, err := time.ParseDuration(long)
	if err == nil {
		err = hidings()[how]()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	fmt.Println("taken")
	time.Sleep(keep)
	fmt.Println("kept")
	return nil
}

// tryUnseen makes the calls that are refused where nobody could see their memory,
// with arguments that the kernel refuses in another way.
func tryUnseen() {
	for _, nr := range protect.UnseenMemory() {
		_, _, errno := unix.RawSyscall6(uintptr(nr), 1<<62, 0, 0, 0, 0, 0)
		fmt.Println(errno == unix.ENOSYS)
	}
}

func hidings() map[string]func() error {
	return map[string]func() error{
		"buffers of local sockets": func() error {
			return fillPairs(unix.SOCK_STREAM, func(p [2]int) (n int) { return fillUp(p[0]) + fillUp(p[1]) })
		},
		"what senders left behind": func() error {
			return fillPairs(unix.SOCK_STREAM, func(p [2]int) int {
				defer unix.Close(p[0])
				return fillUp(p[0])
			})
		},
		"datagrams": func() error {
			return fillPairs(unix.SOCK_DGRAM, func(p [2]int) int {
				defer unix.Close(p[0])
				return fillUp(p[0])
			})
		},
		"buffers of TCP": fillTCP,
		headless:         takePages,
		"page tables": func() error {
			b, err := unix.Mmap(-1, 0, hideSize<<9, unix.PROT_READ,
				unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
			if err != nil {
				return err
			}
			_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
			sum := byte(0)
			for i := 0; i < len(b); i += 2 << 20 {
				sum += b[i]
			}
			fmt.Println(sum)
			return nil
		},
		"shared pages that are mapped no more": func() error {
			b, err := unix.Mmap(-1, 0, hideSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
			if err != nil {
				return err
			}
			return touchAndHide(b)
		},
		"a segment whose pages are mapped no more": func() error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, hideSize, unix.IPC_CREAT|0o600)
			if err != nil {
				return err
			}
			b, err := unix.SysvShmAttach(id, 0, 0)
			if err != nil {
				return err
			}
			return touchAndHide(b)
		},
		"semaphores": func() error {
			const each = 32000
			for n := 0; n < hideSize; n += each * 64 {
				if _, _, errno := unix.Syscall(unix.SYS_SEMGET, unix.IPC_PRIVATE, each,
					unix.IPC_CREAT|0o600); errno != 0 {
					return errno
				}
			}
			return nil
		},
		"messages": func() error {
			const each = 8000
			for n := 0; n < hideSize; n += 2 * each {
				if err := twoMessages(each); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// fillPairs makes pairs of sockets until what fill has put into them is enough.
func fillPairs(kind int, fill func([2]int) int) error {
	for sum := 0; sum < hideSize; {
		p, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		for _, fd := range p {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<30)
		}
		sum += fill(p)
	}
	return nil
}

// fillUp writes until no more fits.
func fillUp(fd int) (sum int) {
	b := make([]byte, 32<<10)
	for {
		n, err := unix.Write(fd, b)
		if err != nil {
			return sum
		}
		sum += n
	}
}

func fillTCP() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for sum := 0; sum < hideSize; {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		raw, err := c.(*net.TCPConn).SyscallConn()
		if err != nil {
			return err
		}
		if err := raw.Control(func(fd uintptr) { sum += fillUp(int(fd)) }); err != nil {
			return err
		}
	}
	return nil
}

// touchAndHide has shared memory hold all its pages, and lets go of them.
func touchAndHide(b []byte) error {
	const piece = 1 << 20
	for ; len(b) > 0; b = b[piece:] {
		touch(b[:piece])
		if err := unix.Madvise(b[:piece], unix.MADV_DONTNEED); err != nil {
			return err
		}
	}
	return nil
}

func twoMessages(size int) error {
	id, _, errno := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
	if errno != 0 {
		return errno
	}
	m := make([]byte, 8+size)
	m[0] = 1
	for range 2 {
		if _, _, errno := unix.Syscall6(unix.SYS_MSGSND, id, uintptr(unsafe.Pointer(&m[0])), uintptr(size),
			unix.IPC_NOWAIT, 0, 0); errno != 0 {
			return errno
		}
	}
	return nil
}

// TestHiddenMemory takes memory that no process shows as its own, in every way
// that is known: without a control group it counts all the same. In a world with
// a larger limit each way must work, else it would prove nothing.
func TestHiddenMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 300 MiB in ten ways")
	}
	hiddenMemory(t, without(newNative(Options{Dir: t.TempDir()}), plan.Without{plan.ControlGroup}))
}

func hiddenMemory(t *testing.T, b *backend) {
	small, large := withHide(t, 160<<20), withHide(t, 8<<30) // datagrams count as much as they may be
	for _, n := range []sandbox.Network{sandbox.NoNetwork, sandbox.FullNetwork} {
		small.Network, large.Network = n, n
		bounded, free := openIn(t, b, small), openIn(t, b, large)
		for _, how := range slices.Sorted(maps.Keys(hidings())) {
			if n == sandbox.FullNetwork && how != "buffers of local sockets" && how != "buffers of TCP" {
				continue
			}
			if r := runIn(t, bounded, fmt.Sprintf("/opt/probe %s '%s' 20s", hideName, how)); r.Reason != "memory" ||
				r.OK() {
				t.Errorf("%s, network %s: exit %d %s, reason %q, %q %q", how, n, r.Exit, r.Signal, r.Reason,
					r.Stdout, r.Stderr)
			}
			if r := runIn(t, bounded, "echo lives"); string(r.Stdout) != "lives\n" {
				t.Errorf("%s: afterwards %+v", how, r)
			}
			if r := runIn(t, free, fmt.Sprintf("/opt/probe %s '%s' 0s; ipcrm --all", hideName, how)); !r.OK() {
				t.Errorf("%s, with a larger limit: exit %d, reason %q, %q %q: the attack proves nothing", how,
					r.Exit, r.Reason, r.Stdout, r.Stderr)
			}
		}
	}
}

// TestMemoryIsCountedOnce wants what is shared, and small things in large
// numbers, not to be taken for more than they are.
func TestMemoryIsCountedOnce(t *testing.T) {
	b := without(newNative(Options{Dir: t.TempDir()}), plan.Without{plan.ControlGroup})
	sb := openIn(t, b, withHog(t, sandbox.Limits{Memory: 160 << 20}))
	script := `/opt/probe ` + hogName + ` mapped 100 & p=$!
for i in {1..200}; do exec {x}<> <(:); done
sleep 0.7; kill $p && echo fits`
	if r := runIn(t, sb, script); string(r.Stdout) != "fits\n" {
		t.Errorf("exit %d, reason %q, %q %q", r.Exit, r.Reason, r.Stdout, r.Stderr)
	}
}

// TestUnseenMemoryIsRefused: a file without a name is on no list while it is on
// its way from socket to socket, and pages that only a pipe has on none at all.
func TestUnseenMemoryIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		off  plan.Without
		want string
	}{"refused": {plan.Without{plan.ControlGroup}, "true\ntrue\n"},
		"undefended": {plan.Without{plan.ControlGroup, plan.SeenMemory}, "false\nfalse\n"}} {
		sb := openIn(t, without(newNative(Options{Dir: t.TempDir()}), c.off),
			withHide(t, 1<<30))
		r := runIn(t, sb, "/opt/probe "+hideName+" unseen 0s")
		if string(r.Stdout) != c.want {
			t.Errorf("%s: %q %q", name, r.Stdout, r.Stderr)
		}
	}
}

func withHide(t *testing.T, memory int64) sandbox.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: self, Target: "/opt/probe"}},
		Limits: sandbox.Limits{Memory: memory}}
}
