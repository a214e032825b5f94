package linux

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (little endian).
const (
	dataNr   = 0
	dataArch = 4
	dataArg0 = 16
	dataArg1 = 24
)

// x32Bit marks system calls of the x32 interface on amd64.
const x32Bit = 0x40000000

// newNamespaces are the flags of clone and unshare that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// The verdicts of the filter.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	deny   = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noaf   = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	done   = unix.SECCOMP_RET_ERRNO // 0: the program is told that it was done
)

// Denied are system calls that no repair of a project needs and that reach
// into the kernel, other processes or the machine.
func Denied() []uintptr {
	return []uintptr{
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_MEMFD_SECRET,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
		unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE,
		unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY,
		unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_VHANGUP,
		unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
		unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	}
}

// seccomp installs the filter on this thread; exec hands it on. alone: it is for root of a world without other users.
func seccomp(alone bool) error {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("seccomp: no filter for %s yet\nhint: amd64 and arm64 work", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(filter(arch, alone))
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	insns := make([]unix.SockFilter, 0, len(raw))
	for _, r := range raw {
		insns = append(insns, unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K})
	}
	prog := unix.SockFprog{Len: uint16(len(insns)), Filter: &insns[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0,
		0); err != nil {
		return errors.Join(errors.New("the kernel refuses the seccomp filter"), err)
	}
	return nil
}

// filter decides about a system call. The program is straight: each rule
// tests, returns, or goes on to the next.
func filter(arch uint32, alone bool) []bpf.Instruction {
	f := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: absent}, // 32-bit programs would have other numbers
		bpf.LoadAbsolute{Off: dataNr, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Bit, SkipTrue: 1},
		bpf.RetConstant{Val: absent},
	}
	for _, nr := range Denied() {
		f = append(f, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(nr), SkipTrue: 1}, bpf.RetConstant{Val: deny})
	}
	f = append(f, on(unix.SYS_CLONE3, bpf.RetConstant{Val: absent})...) // its flags can't be seen; libc falls back
	f = append(f, on(unix.SYS_CLONE, flags(newNamespaces)...)...)
	f = append(f, on(unix.SYS_UNSHARE, flags(newNamespaces)...)...)
	f = append(f, on(unix.SYS_IOCTL, ioctls()...)...)
	f = append(f, on(unix.SYS_SOCKET, sockets()...)...)
	f = append(f, on(unix.SYS_SOCKETPAIR, families(unix.AF_UNIX)...)...)
	if alone {
		f = append(f, otherUsers()...)
	}
	return append(f, bpf.RetConstant{Val: allow})
}

// on runs rules, which must return, for one system call.
func on(nr uintptr, rules ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(nr), SkipTrue: uint8(len(rules))}},
		rules...)
}

// flags refuses a call with any of the bits in its first argument.
func flags(bits uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1},
		bpf.RetConstant{Val: deny},
		bpf.RetConstant{Val: allow},
	}
}

// ioctls refuses to type into terminals. The kernel looks at the low half of
// the number only, and so does this.
func ioctls() []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArg1, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		bpf.RetConstant{Val: allow},
		bpf.RetConstant{Val: deny},
	}
}

// families allows sockets of these address families only.
func families(which ...uint32) []bpf.Instruction {
	f := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArg0, Size: 4}}
	for i, af := range which {
		f = append(f, bpf.JumpIf{Cond: bpf.JumpEqual, Val: af, SkipTrue: uint8(len(which) - i)})
	}
	return append(f, bpf.RetConstant{Val: noaf}, bpf.RetConstant{Val: allow})
}

// sockets allows local, IP and routing sockets, but none that sees packets.
func sockets() []bpf.Instruction {
	f := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArg0 + 8, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}, // without SOCK_CLOEXEC and SOCK_NONBLOCK
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_PACKET, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SOCK_RAW, SkipTrue: 3},
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipTrue: 1}, // raw is what netlink calls itself
		bpf.RetConstant{Val: deny},
	}
	return append(f, families(unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)...)
}
