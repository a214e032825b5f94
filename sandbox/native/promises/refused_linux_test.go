package promises

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// refusedName is what the test binary is called where it tries what must stay
// refused.
const refusedName = "sandbox-refused"

// refusedCall is a system call that no kernel and no change of the filter may let
// through, with arguments that the kernel itself would not refuse for want of
// rights.
type refusedCall struct {
	name string
	nr   uintptr
	args []uintptr
}

// refusedCalls are the calls by name: what reaches into other processes, the
// kernel, the machine, its mounts and namespaces.
func refusedCalls() []refusedCall {
	const all = ^uintptr(0)
	self := uintptr(os.Getpid())
	calls := []refusedCall{
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, nil}, {"io_uring_enter", unix.SYS_IO_URING_ENTER, nil},
		{"io_uring_register", unix.SYS_IO_URING_REGISTER, nil},
		{"userfaultfd", unix.SYS_USERFAULTFD, nil}, {"bpf", unix.SYS_BPF, nil},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, nil}, {"memfd_secret", unix.SYS_MEMFD_SECRET, nil},
		{"add_key", unix.SYS_ADD_KEY, nil}, {"request_key", unix.SYS_REQUEST_KEY, nil},
		{"keyctl", unix.SYS_KEYCTL, nil},
		{"ptrace", unix.SYS_PTRACE, []uintptr{unix.PTRACE_SEIZE, 1}}, {"ptrace of oneself", unix.SYS_PTRACE,
			[]uintptr{unix.PTRACE_TRACEME}},
		{"process_vm_readv", unix.SYS_PROCESS_VM_READV, []uintptr{self}},
		{"process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, []uintptr{self}},
		{"pidfd_getfd", unix.SYS_PIDFD_GETFD, []uintptr{all}}, {"kcmp", unix.SYS_KCMP, []uintptr{self, self}},
		{"process_madvise", unix.SYS_PROCESS_MADVISE, []uintptr{all}}, {"process_mrelease", unix.SYS_PROCESS_MRELEASE,
			[]uintptr{all}},
		{"move_pages", unix.SYS_MOVE_PAGES, []uintptr{self}},
		{"migrate_pages", unix.SYS_MIGRATE_PAGES, []uintptr{self}},
		{"mount", unix.SYS_MOUNT, nil}, {"umount2", unix.SYS_UMOUNT2, nil}, {"pivot_root", unix.SYS_PIVOT_ROOT, nil},
		{"chroot", unix.SYS_CHROOT, nil},
		{"open_tree", unix.SYS_OPEN_TREE, []uintptr{all}}, {"open_tree_attr", unix.SYS_OPEN_TREE_ATTR, []uintptr{all}},
		{"move_mount", unix.SYS_MOVE_MOUNT, []uintptr{all}},
		{"fsopen", unix.SYS_FSOPEN, nil}, {"fsconfig", unix.SYS_FSCONFIG, []uintptr{all}}, {"fsmount", unix.SYS_FSMOUNT,
			[]uintptr{all}}, {"fspick", unix.SYS_FSPICK, []uintptr{all}},
		{"mount_setattr", unix.SYS_MOUNT_SETATTR, []uintptr{all}}, {"setns", unix.SYS_SETNS, []uintptr{all}},
		{"clone3", unix.SYS_CLONE3, nil},
		{"kexec_load", unix.SYS_KEXEC_LOAD, nil}, {"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD, []uintptr{all}},
		{"reboot", unix.SYS_REBOOT, nil},
		{"init_module", unix.SYS_INIT_MODULE, nil}, {"finit_module", unix.SYS_FINIT_MODULE, []uintptr{all}},
		{"delete_module", unix.SYS_DELETE_MODULE, nil},
		{"swapon", unix.SYS_SWAPON, nil}, {"swapoff", unix.SYS_SWAPOFF, nil}, {"acct", unix.SYS_ACCT, nil},
		{"syslog", unix.SYS_SYSLOG, []uintptr{10}}, {"vhangup", unix.SYS_VHANGUP, nil},
		{"quotactl", unix.SYS_QUOTACTL, nil}, {"quotactl_fd", unix.SYS_QUOTACTL_FD, []uintptr{all}},
		{"fanotify_init", unix.SYS_FANOTIFY_INIT, nil}, {"fanotify_mark", unix.SYS_FANOTIFY_MARK, []uintptr{all}},
		{"name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT, []uintptr{all}},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT,
			[]uintptr{all}}, {"lookup_dcookie", unix.SYS_LOOKUP_DCOOKIE, nil},
		{"settimeofday", unix.SYS_SETTIMEOFDAY, nil}, {"clock_settime", unix.SYS_CLOCK_SETTIME, nil},
		{"adjtimex", unix.SYS_ADJTIMEX, nil}, {"clock_adjtime", unix.SYS_CLOCK_ADJTIME, nil},
		{"sethostname", unix.SYS_SETHOSTNAME, nil}, {"setdomainname", unix.SYS_SETDOMAINNAME, nil},
		{"ioctl TIOCSTI", unix.SYS_IOCTL, []uintptr{all, unix.TIOCSTI}}, {"ioctl TIOCSTI, high bits", unix.SYS_IOCTL,
			[]uintptr{all, unix.TIOCSTI | 1<<40}}, {"ioctl TIOCLINUX", unix.SYS_IOCTL, []uintptr{all, unix.TIOCLINUX}},
		{"prlimit64 of the guest", unix.SYS_PRLIMIT64, []uintptr{1, 99, 8}},
		{"prlimit64 of the parent", unix.SYS_PRLIMIT64, []uintptr{uintptr(os.Getppid()), 99, 1 << 40}},
		{"sched_setaffinity", unix.SYS_SCHED_SETAFFINITY, []uintptr{1}},
		{"sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER,
			[]uintptr{1}}, {"sched_setparam", unix.SYS_SCHED_SETPARAM, []uintptr{1}},
		{"sched_setattr", unix.SYS_SCHED_SETATTR, []uintptr{1}},
		{"setpriority of the guest", unix.SYS_SETPRIORITY, []uintptr{unix.PRIO_PROCESS, 1}},
		{"setpriority of a group", unix.SYS_SETPRIORITY, []uintptr{unix.PRIO_PGRP, 1}},
		{"setpriority of a user", unix.SYS_SETPRIORITY, []uintptr{unix.PRIO_USER, 0}},
		{"ioprio_set of the guest", unix.SYS_IOPRIO_SET, []uintptr{1, 1}},
		{"ioprio_set of a group", unix.SYS_IOPRIO_SET,
			[]uintptr{2, 1}}, {"ioprio_set of a user", unix.SYS_IOPRIO_SET, []uintptr{3, 0}},
	}
	for name, flag := range map[string]uintptr{"user": unix.CLONE_NEWUSER, "mount": unix.CLONE_NEWNS,
		"pid": unix.CLONE_NEWPID, "net": unix.CLONE_NEWNET, "ipc": unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUTS,
		"cgroup": unix.CLONE_NEWCGROUP, "time": unix.CLONE_NEWTIME} {
		calls = append(calls, refusedCall{"unshare " + name, unix.SYS_UNSHARE, []uintptr{flag}})
		if name != "time" { // a part of its bits is the signal of a clone
			calls = append(calls, refusedCall{"clone " + name, unix.SYS_CLONE, []uintptr{flag | uintptr(unix.SIGCHLD)}})
		}
	}
	for _, af := range []uintptr{unix.AF_ALG, unix.AF_VSOCK, unix.AF_PACKET, unix.AF_KEY, unix.AF_XDP, unix.AF_CAN,
		unix.AF_TIPC, unix.AF_BLUETOOTH, unix.AF_RDS, unix.AF_SMC, unix.AF_NFC, unix.AF_QIPCRTR} {
		calls = append(calls, refusedCall{fmt.Sprint("socket of family ", af), unix.SYS_SOCKET,
			[]uintptr{af, unix.SOCK_DGRAM}})
	}
	for _, af := range []uintptr{unix.AF_INET, unix.AF_INET6} {
		calls = append(calls, refusedCall{fmt.Sprint("raw socket of family ", af), unix.SYS_SOCKET,
			[]uintptr{af, unix.SOCK_RAW}})
	}
	return calls
}

// tryRefused names the calls that the filter lets through.
func tryRefused() {
	runtime.LockOSThread()
	calls := refusedCalls()
	for _, c := range calls {
		var a [6]uintptr
		copy(a[:], c.args)
		pid, _, errno := unix.RawSyscall6(c.nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if c.nr == unix.SYS_CLONE && errno == 0 && pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0) // a child, of what should have been refused
		}
		if !slices.Contains([]unix.Errno{unix.EPERM, unix.ENOSYS, unix.EAFNOSUPPORT}, errno) {
			fmt.Println(c.name, "reached the kernel:", errno)
		}
	}
	fmt.Println(len(calls), "tried")
}

// TestRefusedCalls tries every call that was thought of, from inside; what is
// one's own stays allowed.
func TestRefusedCalls(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sb, err := native.New(native.Options{Dir: t.TempDir()}).Open(t.Context(),
		sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: self, Target: "/opt/probe"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "/opt/probe " + refusedName})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d tried\n", len(refusedCalls())); string(r.Stdout) != want {
		t.Errorf("this is not refused:\n%s%s", r.Stdout, r.Stderr)
	}
	r, err = sb.Exec(t.Context(),
		sandbox.Cmd{Script: "nice -n 5 true && taskset 1 true && ionice -c 3 true && prlimit --nofile=100 true && " +
			"prlimit --pid 1 > /dev/null && ulimit -n 100 && echo allowed"})
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Stdout) != "allowed\n" {
		t.Errorf("what is one's own: %d %s%s", r.Exit, r.Stdout, r.Stderr)
	}
}
