package promises

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// trickName is what the test binary is called where it plays a contestant that
// wants its own world to end: then its trial would count for nothing.
const trickName = "sandbox-trick"

// tricks are what such a contestant may do, by name; each is given the numbers
// of the guest's threads.
func tricks() map[string]func(guest []int) {
	return map[string]func([]int){
		"limits": func([]int) {
			for what := range 16 {
				_ = unix.Prlimit(1, what, &unix.Rlimit{}, nil)
			}
		},
		"processors": func(guest []int) {
			var none, last unix.CPUSet
			last.Set(1)
			for _, t := range guest {
				_, _ = unix.SchedSetaffinity(t, &last), unix.SchedSetaffinity(t, &none)
			}
		},
		"scheduling": func(guest []int) {
			for _, t := range guest {
				var zero [64]byte
				for policy := range uintptr(8) {
					_, _, _ = unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(t), policy,
						uintptr(unsafe.Pointer(&zero)))
					_ = unix.SchedSetAttr(t, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: uint32(policy),
						Nice: 19}, 0)
				}
				_, _, _ = unix.Syscall(unix.SYS_SCHED_SETPARAM, uintptr(t), uintptr(unsafe.Pointer(&zero)), 0)
			}
		},
		"priorities": func(guest []int) {
			for _, t := range append(guest, 0) {
				for which := range 4 {
					if t == 0 && which == unix.PRIO_PROCESS {
						continue
					}
					_ = unix.Setpriority(which, t, 19)
					_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, uintptr(which), uintptr(t), 3<<13)
				}
			}
		},
		"signals": func(guest []int) {
			fd, _ := unix.PidfdOpen(1, 0)
			for sig := unix.Signal(1); sig <= 64; sig++ {
				var info [128]byte
				*(*int32)(unsafe.Pointer(&info[0])), *(*int32)(unsafe.Pointer(&info[8])) = int32(sig), -1
				_, _ = unix.Kill(1, sig), unix.PidfdSendSignal(fd, sig, nil, 0)
				_, _, _ = unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, 1, uintptr(sig), uintptr(unsafe.Pointer(&info)))
				for _, t := range guest { // whatever a thread of it blocks
					_, _ = unix.Tgkill(1, t, sig), unix.Kill(t, sig)
					_, _, _ = unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, 1, uintptr(t), uintptr(sig),
						uintptr(unsafe.Pointer(&info)), 0, 0)
				}
			}
		},
		"signals of the kernel": func(guest []int) { // whoever owns a descriptor is told of input by a signal of choice
			for _, sig := range []int{9, 19, 6, 11, 0} {
				for _, t := range append(guest, -1) {
					p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
					if err != nil {
						return
					}
					_, _ = unix.FcntlInt(uintptr(p[0]), unix.F_SETOWN, t)
					_, _ = unix.FcntlInt(uintptr(p[0]), unix.F_SETSIG, sig)
					_, _ = unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
					_, _ = unix.Write(p[1], []byte("x"))
				}
			}
		},
		"reaching in": func(guest []int) {
			fd, _ := unix.PidfdOpen(1, 0)
			b := make([]byte, 8)
			local, remote := []unix.Iovec{{Base: &b[0], Len: 8}}, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}
			_, _ = unix.ProcessVMWritev(1, local, remote, 0)
			_, _ = unix.ProcessVMReadv(1, local, remote, 0)
			for n := range 128 {
				_, _ = unix.PidfdGetfd(fd, n, 0)
			}
			for _, t := range guest {
				_, _ = unix.PtraceAttach(t), unix.PtraceSeize(t)
				_, _, _ = unix.Syscall6(unix.SYS_KCMP, uintptr(t), uintptr(os.Getpid()), 0, 0, 0, 0)
			}
			_, _, _ = unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(fd), uintptr(unsafe.Pointer(&remote[0])), 1,
				unix.MADV_PAGEOUT, 0, 0)
			_, _, _ = unix.Syscall(unix.SYS_PROCESS_MRELEASE, uintptr(fd), 0, 0)
			_, _, _ = unix.Syscall6(unix.SYS_MOVE_PAGES, 1, 0, 0, 0, 0, 0)
			_, _, _ = unix.Syscall6(unix.SYS_MIGRATE_PAGES, 1, 0, 0, 0, 0, 0)
			for _, f := range []string{"oom_score_adj", "oom_adj", "mem", "clear_refs", "coredump_filter", "autogroup",
				"timerslack_ns", "attr/current", "setgroups", "uid_map", "timens_offsets", "comm"} {
				_ = os.WriteFile("/proc/1/"+f, []byte("1000"), 0)
			}
		},
		"no more signals to queue": func([]int) {
			var all, old [8]byte
			for i := range all {
				all[i] = 0xff
			}
			_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, uintptr(unsafe.Pointer(&all)),
				uintptr(unsafe.Pointer(&old)), 8, 0, 0)
			var info [128]byte
			*(*int32)(unsafe.Pointer(&info[0])), *(*int32)(unsafe.Pointer(&info[8])) = 40, -1
			for range 1 << 17 {
				if _, _, errno := unix.RawSyscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(os.Getpid()), 40,
					uintptr(unsafe.Pointer(&info))); errno != 0 {
					break
				}
			}
			_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&old)), 0, 8,
				0, 0)
		},
		"no more descriptors": func([]int) {
			for range 60 {
				_, _ = syscall.ForkExec("/opt/probe", []string{"/opt/probe", trickName, "hold descriptors"},
					&syscall.ProcAttr{})
			}
		},
		"hold descriptors": func([]int) {
			for {
				if _, err := unix.Open("/dev/null", unix.O_RDONLY, 0); err != nil {
					break
				}
			}
			time.Sleep(time.Second)
		},
		"descriptors under way": func([]int) {
			for {
				p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
				if err != nil {
					return
				}
				for unix.Sendmsg(p[0], []byte("x"), unix.UnixRights(p[0], p[1]), nil, 0) == nil {
				}
				unix.Close(p[0])
			}
		},
		"watches": func([]int) {
			for {
				fd, err := unix.InotifyInit()
				if err != nil {
					return
				}
				_, _ = unix.InotifyAddWatch(fd, "/work", unix.IN_ALL_EVENTS)
			}
		},
	}
}

// guestThreads are the numbers of the threads of PID 1.
func guestThreads() []int {
	var all []int
	entries, _ := os.ReadDir("/proc/1/task")
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, n)
		}
	}
	return append(all, 1)
}

// scripts are tricks that need no program.
func scripts() map[string]string {
	return map[string]string{
		"stop everybody":                  "kill -STOP -1; kill -STOP 1; sleep 0.2",
		"stop one's own session":          "setsid bash -c 'kill -STOP 0' & kill -STOP 0",
		"processes":                       ":(){ : | : & }; : 2> /dev/null; sleep 1",
		"output from everybody":           "for i in {1..30}; do (yes; yes >&2) & done; sleep 1",
		"output that nobody ends":         "for i in {1..30}; do setsid yes & done; exit 0",
		"the work directory is closed":    "chmod 000 .",
		"the work directory is elsewhere": "cd /tmp; mv /work /tmp/w; rm -rf /work/* /work; ln -s / /work",
		"home is closed":                  "chmod 000 ~; chmod 000 /tmp",
		"one's memory of the directory": "rm -rf /tmp/.bash-cwd; mkfifo /tmp/.bash-cwd; ln -sf /dev/zero " +
			"/tmp/.bash-cwd",
		"names": "i=0; while [ $i -lt 2000 ]; do mkdir -p $'a\\n\\e[2J' && cd " +
			"$'a\\n\\e[2J' || break; i=$((i+1)); done",
		"links in a circle": "ln -s l2 l1; ln -s l1 l2; ln -s . here; ln -s /proc/self/fd fds",
		"unmount": "umount -l /proc; umount /work; mount -o remount,ro /; mount " +
			"--bind / /work",
		"a shell that is none": "mkdir -p ~/bin ~/.local/bin; printf '#!/bin/sh\\nexit 0\\n' | tee " +
			"~/bin/bash ~/bin/sh > ~/.local/bin/bash; chmod +x ~/bin/* ~/.local/bin/*",
		"a terminal": "setsid script -qc 'kill -9 1' /dev/null < /dev/null; exec < " +
			"/dev/tty; stty -a",
		"System V": "for i in {1..200}; do ipcmk -M 1000000; ipcmk -Q; ipcmk -S 50; done " +
			"> /dev/null 2>&1",
		"memory of everybody": "for i in {1..20}; do (x=$(head -c 60000000 /dev/zero | tr '\\0' x); " +
			"sleep 2) & done; wait",
		"a limit of the shell's own": "ulimit -n 3; ulimit -u 1; ulimit -v 1000; ulimit -t 1; exec bash -c " +
			"'while :; do :; done'",
		"the control group": "echo 1 > /sys/fs/cgroup/cgroup.kill; echo 0 > /sys/fs/cgroup/pids.max; " +
			"mkdir /sys/fs/cgroup/x",
		"a file without end that is gone":  "exec 3> f; rm f; head -c 100M /dev/zero >&3",
		"the disk":                         "for i in {1..12}; do head -c 30M /dev/zero > big$i; done; rm -f big*",
		"as many files as there can be":    "mkdir many; cd many; touch {1..20000}; cd ..; rm -rf many",
		"what serves files, if it is seen": "for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || kill -9 $p; done",
	}
}

// TestTricks has a contestant try to end its own world, by each trick in one and
// the same world: it must answer after each, by commands and by files.
func TestTricks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds; TestAttacks tries what is refused")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: self, Target: "/opt/probe"}},
		Limits: sandbox.Limits{Processes: 128, Memory: 512 << 20, Disk: 256 << 20, Files: 50_000}}
	sb, err := native.New(native.Options{Dir: t.TempDir()}).Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	}()
	all := scripts()
	for name := range tricks() {
		all[name] = fmt.Sprintf("/opt/probe %s '%s'", trickName, name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		began := time.Now()
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: all[name], Timeout: 2 * time.Second})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answers(t, sb, fmt.Sprintf("after %s (%d %s %.200q)", name, r.Exit, r.Reason, r.Stderr))
		if _, err := sb.FS().Manifest(t.Context(), nil); err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		_, err = sb.Exec(t.Context(),
			sandbox.Cmd{Script: "chmod 777 /work ~ /tmp; rm -rf ~/bin ~/.local /tmp/.bash-cwd", Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v", name, time.Since(began))
	}
	st, err := sb.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Release(); err != nil {
		t.Error(err)
	}
}

// answers wants a command to run in the world. What a trick has left running may
// bring one or the other down with itself, before it is gone.
func answers(t *testing.T, sb sandbox.Sandbox, when string) {
	t.Helper()
	for range 5 {
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "/usr/bin/env echo alive", Dir: "/"})
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if string(r.Stdout) == "alive\n" {
			return
		}
		t.Logf("%s: %d %s %q", when, r.Exit, r.Reason, r.Stderr)
	}
	t.Fatalf("%s nothing runs any more", when)
}

// trick does one.
func trick(name string) {
	if f := tricks()[name]; f != nil {
		f(guestThreads())
	}
}

// TestSignalsThatEnd: no signal whose default is to end is left to that by the guest, which a thread that blocks signals
// for a moment would let through; programs that it starts have the default of all.
func TestSignalsThatEnd(t *testing.T) {
	sb, err := native.New(native.Options{Dir: t.TempDir()}).Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	masks := func(process string) (ignored, caught uint64) {
		r, err := sb.Exec(t.Context(), // by a program: shells ignore some
			sandbox.Cmd{Script: `sed -nE 's/^Sig(Ign|Cgt):\s*//p' /proc/` + process + "/status"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(string(r.Stdout), "%x\n%x", &ignored, &caught); err != nil {
			t.Fatalf("%q: %v", r.Stdout, err)
		}
		return ignored, caught
	}
	ignored, caught := masks("1")
	for n := syscall.Signal(1); n <= 64; n++ {
		switch n {
		case unix.SIGKILL, unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT: // none of these ends PID 1
			continue
		}
		if (ignored|caught)>>(n-1)&1 == 0 {
			t.Errorf("the guest leaves signal %d to the default", n)
		}
	}
	if ignored, _ := masks("self"); ignored != 0 {
		t.Errorf("programs begin with signals ignored: %x", ignored)
	}
}
