package linux

import (
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// chown and lchown of amd64, which newer machines have no more.
const chownAMD64, lchownAMD64 = 92, 94

// otherUsers has root of a world believe that files and processes became another user's. There is no other
// in its namespace: all would fail, and with them servers that give their files or their workers away
// and the scripts of most packages. What they ask for does not happen.
func otherUsers() (f []bpf.Instruction) {
	files := map[uintptr]int{unix.SYS_FCHOWN: 1, unix.SYS_FCHOWNAT: 2}
	if runtime.GOARCH == "amd64" {
		files[chownAMD64], files[lchownAMD64] = 1, 1
	}
	for nr, first := range files {
		f = append(f, on(nr, others(first, 2)...)...)
	}
	for nr, ids := range map[uintptr]int{unix.SYS_SETUID: 1, unix.SYS_SETGID: 1,
		unix.SYS_SETREUID: 2, unix.SYS_SETREGID: 2, unix.SYS_SETRESUID: 3, unix.SYS_SETRESGID: 3, unix.SYS_SETFSUID: 1, unix.SYS_SETFSGID: 1, unix.SYS_SETGROUPS: 1} {
		f = append(f, on(nr, others(0, ids)...)...)
	}
	return f
}

// others says of a call that any of n arguments, from first on, is neither root nor "as it is" (-1) that it was
// done. The number of groups of setgroups is such an argument, too: none is left to the kernel.
func others(first, n int) (f []bpf.Instruction) {
	for i := first; i < first+n; i++ {
		f = append(f,
			bpf.LoadAbsolute{Off: uint32(dataArg0 + 8*i), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 2},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0xffffffff, SkipTrue: 1},
			bpf.RetConstant{Val: done})
	}
	return append(f, bpf.RetConstant{Val: allow})
}
