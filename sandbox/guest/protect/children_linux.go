package protect

import (
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data of the number of a system call, and of the low
// and the high half of its arguments (little endian).
const (
	callNumber = 0
	firstArg   = 16
	argSize    = 8
	highHalf   = 4
)

const (
	callAllowed = unix.SECCOMP_RET_ALLOW
	callRefused = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	callMissing = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// FromChildren refuses to this thread, and to all that it starts, to set limits,
// processors and priorities of any process but the caller: the guest is mostly
// the same user, and a limit that it can't take back ends the world. The kernel
// names the caller as 0; by its number it can't be told from others here. What
// else is refused is in the filter that the guest itself lives with. Where the
// guest counts the memory, they get none that it could not see.
func FromChildren(watched bool) error {
	raw, err := bpf.Assemble(filter(watched))
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
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// filter is what the kernel asks before each system call.
func filter(watched bool) []bpf.Instruction {
	f := []bpf.Instruction{bpf.LoadAbsolute{Off: callNumber, Size: 4}}
	for _, nr := range []uint32{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
		unix.SYS_SCHED_SETATTR} {
		f = onCall(f, nr, nothingElse(0)...)
	}
	f = onCall(f, unix.SYS_PRLIMIT64, othersLimit()...)
	f = onCall(f, unix.SYS_SETPRIORITY, ofOneself(unix.PRIO_USER)...)
	f = onCall(f, unix.SYS_IOPRIO_SET, ofOneself(ioprioUser)...)
	if watched {
		for _, nr := range UnseenMemory() {
			f = onCall(f, nr, bpf.RetConstant{Val: callMissing})
		}
	}
	return append(f, bpf.RetConstant{Val: callAllowed})
}

// UnseenMemory are system calls that take memory which no process need show as its
// own: a file without a name that is on its way from socket to socket, and pages
// that only a pipe still has.
func UnseenMemory() []uint32 { return []uint32{unix.SYS_MEMFD_CREATE, unix.SYS_VMSPLICE} }

// ioprioUser has ioprio_set mean all processes of a user.
const ioprioUser = 3

// onCall adds rules, which must return, for one system call.
func onCall(f []bpf.Instruction, nr uint32, rules ...bpf.Instruction) []bpf.Instruction {
	return append(append(f, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: nr, SkipTrue: uint8(len(rules))}), rules...)
}

// nothingElse wants an argument to be 0.
func nothingElse(arg uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: firstArg + arg*argSize, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: callRefused},
		bpf.RetConstant{Val: callAllowed},
	}
}

// othersLimit refuses prlimit64 of another process, unless it only asks: then
// its third argument is no address.
func othersLimit() []bpf.Instruction {
	const newLimit = firstArg + 2*argSize
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: firstArg, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 5},
		bpf.LoadAbsolute{Off: newLimit, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
		bpf.LoadAbsolute{Off: newLimit + highHalf, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: callRefused},
		bpf.RetConstant{Val: callAllowed},
	}
}

// ofOneself wants the first argument not to mean all processes of the user, and
// the second to be 0: the caller, or its group, which the guest is not in.
func ofOneself(user uint32) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: firstArg, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: user, SkipTrue: 1},
		bpf.RetConstant{Val: callRefused},
	}, nothingElse(1)...)
}
