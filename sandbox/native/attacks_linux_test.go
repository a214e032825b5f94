package native

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
)

// attack is what something inside tries. It prints UNSAFE where it got
// through. The same attack must get through once the defences in off are taken
// away: else it would prove nothing.
type attack struct {
	name   string // with the number that it has in docs/promises.md
	spec   func(s *stage) sandbox.Spec
	script func(s *stage) string
	off    plan.Without
	// undefended is the spec to try where the defence is a limit or a policy
	// of the spec itself, and none is taken away.
	undefended func(s *stage, spec *sandbox.Spec)
}

// stage is what an attack finds on the host.
type stage struct {
	t        *testing.T
	secret   string // a file that holds "of-the-host", readable by everybody
	writable string // a directory, writable by everybody
	self     string // this test binary: /opt/probe inside
	port     int    // of a listener on the loopback
	abstract string // name of a listening abstract socket
	socket   string // path of a listening socket, writable by everybody
	shared   int    // id of a SysV shared memory segment, readable by everybody
	open     int    // a descriptor on secret that exec hands on
}

func newStage(t *testing.T) *stage {
	dir := t.TempDir()
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return stageIn(t, dir)
}

// stageIn makes a stage in a directory that everybody may enter.
func stageIn(t *testing.T, dir string) *stage {
	s := &stage{t: t}
	s.secret, s.writable = filepath.Join(dir, "secret"), filepath.Join(dir, "writable")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(s.secret, []byte("of-the-host\n"), 0o644))
	must(os.Mkdir(s.writable, 0o777))
	must(os.Chmod(s.writable, 0o777))
	if os.Getuid() == 0 { // the agent's own: nothing but the mount keeps it from writing
		uid := new(users.Pool).Lend().UID
		must(os.Chown(s.writable, uid, uid))
	}
	var err error
	s.self, err = os.Executable()
	must(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	t.Cleanup(func() { l.Close() })
	s.port = l.Addr().(*net.TCPAddr).Port
	s.abstract = "cookoff-test-" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
	u, err := net.Listen("unix", "@"+s.abstract)
	must(err)
	t.Cleanup(func() { u.Close() })
	s.socket = filepath.Join(dir, "s")
	p, err := net.Listen("unix", s.socket)
	must(err)
	must(os.Chmod(s.socket, 0o777))
	t.Cleanup(func() { p.Close() })
	id, _, errno := unix.Syscall(unix.SYS_SHMGET, 0, 4096, unix.IPC_CREAT|0o666) // IPC_PRIVATE
	if errno != 0 {
		t.Fatal(errno)
	}
	s.shared = int(id)
	t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0) })
	s.open, err = unix.Open(s.secret, unix.O_RDONLY, 0) // no O_CLOEXEC: that is the fault
	must(err)
	t.Cleanup(func() { unix.Close(s.open) })
	return s
}

// sh is an attack that is the same on every stage.
func sh(script string) func(*stage) string { return func(*stage) string { return script } }

// made is an attack of this test binary, by name.
func made(name string) func(*stage) string {
	return func(s *stage) string {
		return fmt.Sprintf("/opt/probe %s %q %s %d %s", attackName, name, s.abstract, s.shared, s.socket)
	}
}

func attacks() []attack {
	limits := func(l sandbox.Limits) func(*stage) sandbox.Spec {
		return func(*stage) sandbox.Spec { return sandbox.Spec{Limits: l} }
	}
	full := func(*stage) sandbox.Spec { return sandbox.Spec{Network: sandbox.FullNetwork} }
	open := func(_ *stage, s *sandbox.Spec) { s.Limits = sandbox.Limits{} }
	return []attack{
		{name: "F01 write to the root", script: sh("echo x 2>/dev/null > /planted && echo UNSAFE"),
			off: plan.Without{plan.ReadOnlyRoot, plan.WithLandlock, plan.NoCaps}},
		{name: "F02 read a host file", script: func(s *stage) string {
			return "cat " + s.secret + " /host" + s.secret + " 2>/dev/null | grep -q of-the-host && echo UNSAFE"
		}, off: plan.Without{plan.OwnRoot}},
		{name: "F04 write a host file", script: func(s *stage) string {
			return "echo x 2>/dev/null > /host" + s.writable + "/planted && echo UNSAFE"
		}, off: plan.Without{plan.OwnRoot, plan.WithLandlock}},
		{name: "F04 write what is shown read-only", spec: func(s *stage) sandbox.Spec {
			return sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: s.writable, Target: "/opt/shown"}}}
		}, script: sh("echo x > /opt/shown/planted && echo UNSAFE"),
			off: plan.Without{plan.ReadOnlyBinds, plan.WithLandlock}},
		{name: "F06 shared memory of the host", script: made("shm"), off: plan.Without{plan.OwnIPC}},
		{name: "F08 link a host file", script: func(s *stage) string {
			return "{ ln " + s.secret + " l || ln -s /host" + s.secret +
				" l; } 2>/dev/null; cat l 2>/dev/null | grep -q host && echo UNSAFE"
		}, off: plan.Without{plan.OwnRoot}},
		{name: "F16 write a read-only project",
			spec:       func(*stage) sandbox.Spec { return sandbox.Spec{Filesystem: sandbox.ReadOnly} },
			script:     sh("echo x 2>/dev/null > planted && echo UNSAFE"),
			undefended: func(_ *stage, s *sandbox.Spec) { s.Filesystem = sandbox.ProjectOnly }},
		{name: "F18 the mount interface", script: made("mount"), off: plan.Without{plan.WithSeccomp}},
		{name: "F19 nested user namespaces", script: made("userns"), off: plan.Without{plan.WithSeccomp}},
		{name: "F20 privileges may grow", script: sh("grep -q 'NoNewPrivs:.*0' /proc/self/status && echo UNSAFE"),
			off: plan.Without{plan.NoNewPrivs, plan.WithSeccomp, plan.OwnCalls}},
		{name: "F20 privileges may grow, asked of the kernel", script: made("privileges"),
			off: plan.Without{plan.NoNewPrivs, plan.WithSeccomp, plan.OwnCalls}},
		{name: "F20 capabilities", script: sh("grep Cap /proc/self/status | grep -qv '\\s0*$' && echo UNSAFE"),
			off: plan.Without{plan.NoCaps}},
		{name: "F26 an inherited descriptor", script: func(s *stage) string {
			return fmt.Sprintf("cat <&%d 2>/dev/null | grep -q of-the-host && echo UNSAFE", s.open)
		}, off: plan.Without{plan.ClosedFiles}},
		{name: "G05 a hidden answer", spec: func(s *stage) sandbox.Spec {
			dir := filepath.Join(filepath.Dir(s.secret), "project")
			_ = os.MkdirAll(filepath.Join(dir, "answers"), 0o755)
			_ = os.WriteFile(filepath.Join(dir, "answers", "one"), []byte("42"), 0o644)
			return sandbox.Spec{Project: dir, Hidden: []string{"answers"}}
		}, script: sh("grep -rqs 42 . && echo UNSAFE"), off: plan.Without{plan.HiddenFiles}},
		{name: "N01 interfaces", script: sh("tail -n +3 /proc/net/dev | grep -qv ' lo:' && echo UNSAFE"),
			off: plan.Without{plan.OwnNetwork}},
		{name: "N02 the host's loopback", script: func(s *stage) string {
			return fmt.Sprintf("(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null && echo UNSAFE", s.port)
		}, off: plan.Without{plan.OwnNetwork}},
		{name: "N03 an abstract socket", script: made("abstract"),
			off: plan.Without{plan.OwnNetwork, plan.WithLandlock}},
		{name: "N03 an abstract socket, with a network", spec: full, script: made("abstract"),
			off: plan.Without{plan.WithLandlock}},
		{name: "N04 a socket file", script: made("path"), off: plan.Without{plan.OwnRoot}},
		{name: "N05 families of sockets", script: made("families"), off: plan.Without{plan.WithSeccomp}},
		{name: "N06 keyrings", script: made("keys"), off: plan.Without{plan.WithSeccomp}},
		{name: "N06 io_uring, bpf and perf", script: made("kernel"), off: plan.Without{plan.WithSeccomp}},
		{name: "P01 a daemon works on after the end of the trial",
			script: sh("(setsid bash -c 'exec >/dev/null 2>&1; while :; do echo x >> late; sleep 0.02; done' &); " +
				"until [ -s late ]; do sleep 0.01; done"), off: plan.Without{plan.KillAtSeal}},
		{name: "P02 what a call left is killed with it",
			script: sh("(setsid bash -c 'exec >/dev/null 2>&1; while :; do echo x >> /tmp/late; sleep " +
				"0.02; done' &); " +
				"sleep 100"), off: plan.Without{plan.KilledTree}},
		{name: "P03 a fork bomb", spec: limits(sandbox.Limits{Processes: 40}),
			script: sh("for i in $(seq 100); do sleep 5 & done 2>/dev/null; [ $(jobs -r | wc -l) = 100 " +
				"] && echo UNSAFE"),
			undefended: open},
		{name: "P04 a memory bomb", spec: limits(sandbox.Limits{Memory: 64 << 20}),
			script:     sh("x=$(head -c 150000000 /dev/zero | tr '\\0' x); [ ${#x} = 150000000 ] && echo UNSAFE"),
			undefended: open}, {name: "P07 endless output", spec: limits(sandbox.Limits{Output: 1 << 10}),
			script:     sh("yes 012345678 | head -n 5000; echo UNSAFE | cat; yes 012345678 | head -n 5000"),
			undefended: open},
		{name: "P10 keys in an environment",
			script: sh("cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q of-the-harness && echo UNSAFE"),
			off:    plan.Without{plan.EmptyEnv, plan.Undumpable}},
		{name: "P11 steal a descriptor of the guest", script: made("steal"),
			off: plan.Without{plan.Undumpable, plan.WithSeccomp}},
		{name: "P12 write the guest's memory", script: sh("{ exec 3<>/proc/1/mem; } 2>/dev/null && echo UNSAFE"),
			off: plan.Without{plan.Undumpable, plan.WithLandlock}},
		{name: "P13 write another process's memory",
			script: sh("sleep 9 & { exec 3<>/proc/$!/mem; } 2>/dev/null && echo UNSAFE"),
			off:    plan.Without{plan.WithLandlock}},
		{name: "P14 type into a terminal", script: made("tiocsti"), off: plan.Without{plan.WithSeccomp}},
		{name: "P16 a file without end", spec: limits(sandbox.Limits{FileSize: 1 << 20}),
			script:     sh("head -c 3000000 /dev/zero > big; [ $(stat -c %s big) = 3000000 ] && echo UNSAFE"),
			undefended: open}, {name: "P16 a disk without end", spec: limits(sandbox.Limits{Disk: 5 << 20}),
			script:     sh("for i in $(seq 60); do head -c 1000000 /dev/zero > f$i; sleep 0.02; done; echo UNSAFE"),
			undefended: open},
		{name: "P22 files without end", spec: limits(sandbox.Limits{Files: 200}),
			script: sh("for i in $(seq 40); do touch d$i.{1..50}; sleep 0.03; done; echo UNSAFE"), undefended: open},
		{name: "W01 a limit of the guest", script: made("limit"), off: plan.Without{plan.OwnCalls}},
		{name: "W01 the guest's processors", script: made("processors"), off: plan.Without{plan.OwnCalls}},
		{name: "W01 the guest's scheduling", script: made("scheduler"), off: plan.Without{plan.OwnCalls}},
		{name: "W01 the guest's scheduling, in full", script: made("attributes"), off: plan.Without{plan.OwnCalls}},
		{name: "W01 the guest's priority", script: made("priority"), off: plan.Without{plan.OwnCalls}},
		{name: "W01 the priority of all that the user has", script: made("user's priority"),
			off: plan.Without{plan.OwnCalls}},
		{name: "W01 the guest's place at the disk", script: made("disk"), off: plan.Without{plan.OwnCalls}},
		{name: "V01 a login script of the agent's", spec: func(*stage) sandbox.Spec {
			return sandbox.Spec{Profile: sandbox.Verify}
		}, script: sh("mkdir -p ~/bin; printf '#!/bin/sh\\necho UNSAFE' > ~/bin/uname; chmod +x ~/bin/uname; uname"),
			undefended: func(_ *stage, s *sandbox.Spec) { s.Profile = sandbox.Agent }},
	}
}

// lowest is the priority that everybody may give everything of theirs, also where
// the tests themselves run at a low one.
const lowest = 19

// TestAttacks tries every attack twice: with all defences, where it must not
// get through, and without its own, where it must.
func TestAttacks(t *testing.T) {
	t.Setenv("COOKOFF_TEST_KEY", "of-the-harness")
	s := newStage(t)
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			if slow := "P01 P02 P03 P04 P16 P22"; testing.Short() && strings.Contains(slow, a.name[:3]) {
				t.Skip("takes seconds")
			}
			var spec sandbox.Spec
			if a.spec != nil {
				spec = a.spec(s)
			}
			if through, said := a.try(t, s, spec, nil); through {
				t.Errorf("it got through: %s", said)
			}
			if a.undefended != nil {
				a.undefended(s, &spec)
			} else if len(a.off) == 0 {
				t.Fatal("the attack names no defence")
			}
			if through, said := a.try(t, s, spec, a.off); !through {
				t.Errorf("without %q it does not get through either, so the test proves nothing: %s", a.off, said)
			}
		})
	}
}

// try makes the attack in a world of its own.
func (a attack) try(t *testing.T, s *stage, spec sandbox.Spec, off plan.Without) (through bool, said string) {
	t.Helper()
	b := without(newNative(Options{Dir: t.TempDir()}), off)
	spec.ReadOnly = append(spec.ReadOnly, sandbox.Mount{Source: s.self, Target: "/opt/probe"})
	sb, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	}()
	if strings.HasPrefix(a.name, "P02") {
		return a.outlives(t, sb, a.script(s), len(off) > 0), ""
	}
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: a.script(s), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	said = string(r.Stdout) + string(r.Stderr)
	if strings.HasPrefix(a.name, "P01") {
		return a.late(t, sb, len(off) > 0), said
	}
	return strings.Contains(string(r.Stdout), "UNSAFE"), fmt.Sprintf("%q, exit %d %s", said, r.Exit, r.Reason)
}

// within is how long what writes on is waited for: where it is expected until it
// does, else as long as it would need ten times.
func within(expected bool) time.Duration {
	if expected {
		return time.Minute
	}
	return 200 * time.Millisecond
}

// outlives lets a call run into its limit, once it has left something behind,
// and tells whether that writes on.
func (a attack) outlives(t *testing.T, sb sandbox.Sandbox, script string, expected bool) bool {
	t.Helper()
	for _, limit := range []time.Duration{300 * time.Millisecond, 3 * time.Second, time.Minute} {
		if _, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script, Timeout: limit}); err != nil {
			t.Fatal(err)
		}
		watch := fmt.Sprintf("[ -s /tmp/late ] || exit 3; n=$(stat -c %%s /tmp/late); for i in $(seq %d); do sleep "+
			"0.02; [ $(stat -c %%s /tmp/late) = $n ] || exit 0; done; exit 1", within(expected)/(20*time.Millisecond))
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: watch, Timeout: 5 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if r.Exit != 3 { // else it was ended before it left anything
			return r.OK()
		}
	}
	t.Fatal("the call never left anything behind")
	return false
}

// late seals a world, and tells whether a daemon in it writes into what was
// sealed.
func (a attack) late(t *testing.T, sb sandbox.Sandbox, expected bool) bool {
	t.Helper()
	w := sb.(*world)
	st, err := w.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	written := func() (n int64) {
		_ = filepath.WalkDir(w.files.Dir(), func(path string, d os.DirEntry, _ error) error {
			if filepath.Base(path) == "late" {
				if info, err := d.Info(); err == nil {
					n = info.Size()
				}
			}
			return nil
		})
		return n
	}
	before := written()
	if before == 0 {
		t.Fatal("the daemon never wrote")
	}
	found := false
	for end := time.Now().Add(within(expected)); !found && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		found = written() > before
	}
	if err := w.end(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
	return found
}

// attackName is what the test binary is called where it makes an attack.
const attackName = "sandbox-attack"

// attackInside makes the attack of that name and prints UNSAFE where it gets
// through to what it is after.
func attackInside(name string, args []string) {
	abstract, shared, socket := args[0], args[1], args[2]
	through := func(what string) { fmt.Println("UNSAFE", what) }
	works := func(what string, nr uintptr, args ...uintptr) {
		var a [6]uintptr
		copy(a[:], args)
		// An argument that makes no sense is refused later than the call itself.
		if _, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != unix.EPERM &&
			errno != unix.ENOSYS && errno != unix.EACCES {
			through(fmt.Sprint(what, " ", errno))
		}
	}
	switch name {
	case "shm":
		var id int
		fmt.Sscan(shared, &id)
		if _, _, errno := unix.Syscall(unix.SYS_SHMAT, uintptr(id), 0, unix.SHM_RDONLY); errno == 0 {
			through("attached")
		}
	case "privileges":
		if n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); n != 1 {
			through(fmt.Sprint("they may", err))
		}
	case "mount": // asks for nothing that is there: without seccomp the kernel looks, and says so
		works("fsopen", unix.SYS_FSOPEN, 0)
		works("open_tree", unix.SYS_OPEN_TREE, 1<<31, 0, 1<<20)
	case "userns":
		works("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
		works("clone3", unix.SYS_CLONE3, 0, 0)
	case "abstract":
		if c, err := net.Dial("unix", "@"+abstract); err == nil {
			c.Close()
			through("connected")
		}
	case "path":
		for _, p := range []string{socket, "/host" + socket} {
			if c, err := net.Dial("unix", p); err == nil {
				c.Close()
				through("connected")
			}
		}
	case "families":
		for _, f := range []int{unix.AF_VSOCK, unix.AF_ALG, unix.AF_BLUETOOTH, unix.AF_CAN, unix.AF_TIPC} {
			if _, err := unix.Socket(f, unix.SOCK_SEQPACKET, 0); err != unix.EAFNOSUPPORT {
				through(fmt.Sprint(f, err))
			}
		}
	case "keys":
		works("keyctl", unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, 1<<62, 0)
		works("request_key", unix.SYS_REQUEST_KEY, 0, 0, 0, 0)
	case "kernel":
		works("io_uring_setup", unix.SYS_IO_URING_SETUP, 0, 0)
		works("userfaultfd", unix.SYS_USERFAULTFD, 1<<30)
		works("perf_event_open", unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0)
	case "steal":
		fd, err := unix.PidfdOpen(1, 0)
		if err != nil {
			return
		}
		for theirs := range 64 {
			if _, err := unix.PidfdGetfd(fd, theirs, 0); err == nil {
				through(fmt.Sprint("descriptor ", theirs))
			}
		}
	case "limit": // of core dumps, which is 0 already
		works("prlimit64", unix.SYS_PRLIMIT64, 1, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&unix.Rlimit{})))
	case "processors":
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(1, &mask); err == nil && unix.SchedSetaffinity(1, &mask) == nil {
			through("sched_setaffinity")
		}
	case "scheduler":
		var zero int32
		works("sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER, 1, 0, uintptr(unsafe.Pointer(&zero)))
		works("sched_setparam", unix.SYS_SCHED_SETPARAM, 1, uintptr(unsafe.Pointer(&zero)))
	case "attributes":
		if unix.SchedSetAttr(1, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: lowest}, 0) == nil {
			through("sched_setattr")
		}
	case "priority":
		works("setpriority", unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, 1, lowest)
		works("setpriority of a group", unix.SYS_SETPRIORITY, unix.PRIO_PGRP, 1, lowest)
	case "user's priority":
		works("setpriority", unix.SYS_SETPRIORITY, unix.PRIO_USER, 0, lowest)
	case "disk":
		works("ioprio_set", unix.SYS_IOPRIO_SET, 1, 1, 0)
		works("ioprio_set of a user", unix.SYS_IOPRIO_SET, 3, uintptr(os.Getuid()), 0)
	case "tiocsti": // descriptor 9999 is no terminal; only the filter would not even look
		works("TIOCSTI", unix.SYS_IOCTL, 9999, unix.TIOCSTI, 0)
		works("TIOCSTI with high bits", unix.SYS_IOCTL, 9999, unix.TIOCSTI|1<<32, 0)
	}
}
