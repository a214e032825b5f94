package linux

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// restrict gives up everything on this thread, for good. What it leaves is
// what the guest and all commands live with.
func restrict(p plan.Plan) error {
	// A session keyring of its own; the host's can't be searched from here.
	_, _ = unix.KeyctlJoinSessionKeyring("")
	if err := limits(p.Limits, p.TestOnlyOff); err != nil {
		return err
	}
	for _, step := range []struct {
		plan.Defence
		do func() error
	}{
		{plan.NoNewPrivs, promiseNoNewPrivs}, {plan.WithLandlock, func() error { return landlock(p) }},
		{plan.NoCaps, func() error { return dropCapabilities(p) }},
		{plan.WithSeccomp, func() error { return seccomp(p.Super && !p.Several) }},
	} {
		if p.TestOnlyOff.Has(step.Defence) {
			continue
		}
		if err := step.do(); err != nil {
			return err
		}
	}
	return nil
}

func promiseNoNewPrivs() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return nil
}

// What one world may have of what counts for the user who started cookoff:
// signals that wait and timers, and bytes of POSIX queues. The kernel's own
// limits are some 100,000 and 800 KB.
const (
	MaxSignals = 4096
	MaxQueues  = 100_000
	// Pages that can't be moved: the kernel keeps a huge one for each that a
	// socket has yet to send.
	maxLocked = 64 << 10
)

func limits(l sandbox.Limits, off plan.Without) error {
	set := map[int]uint64{
		unix.RLIMIT_NPROC:  uint64(l.Processes + plan.SpareProcesses),
		unix.RLIMIT_FSIZE:  uint64(l.FileSize),
		unix.RLIMIT_NOFILE: 1024,
		unix.RLIMIT_CORE:   0,
		// Counted by user, as what is in quotas.
		unix.RLIMIT_SIGPENDING: MaxSignals,
		unix.RLIMIT_MSGQUEUE:   MaxQueues,
		unix.RLIMIT_MEMLOCK:    maxLocked,
		unix.RLIMIT_RTPRIO:     0,
		unix.RLIMIT_NICE:       0,
	}
	if off.Has(plan.ProcessLimit) {
		delete(set, unix.RLIMIT_NPROC)
	}
	for what, n := range set {
		var had unix.Rlimit
		if err := unix.Getrlimit(what, &had); err != nil {
			return err
		}
		n = min(n, had.Max)
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("setting a limit: %w", err)
		}
	}
	return nil
}

// dropCapabilities becomes the agent. Raw system calls, because only this
// thread counts: it is the one that execs.
func dropCapabilities(p plan.Plan) error {
	keep := uint32(0)
	if p.Super {
		keep = superRights
	}
	if p.Several {
		keep |= severalRights
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if c < 32 && keep&(1<<c) != 0 {
			continue
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0); errno != 0 &&
			errno != unix.EINVAL {
			return fmt.Errorf("dropping capabilities: %w", errno)
		}
	}
	if p.Switch || p.Several {
		if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
			return fmt.Errorf("dropping groups: %w", errno)
		}
	}
	if p.Switch {
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, plan.AgentID, plan.AgentID, plan.AgentID); errno != 0 {
			return fmt.Errorf("changing the group: %w", errno)
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, plan.AgentID, plan.AgentID, plan.AgentID); errno != 0 {
			return fmt.Errorf("changing the user: %w", errno)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping ambient capabilities: %w", err)
	}
	kept := [2]unix.CapUserData{{Effective: keep, Permitted: keep}}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &kept[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}

// Rights of Landlock that a write needs, by the version of its interface that
// brought them.
const (
	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landlockScope = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
)

// landlock allows writes in the world's own directories only: not in /proc,
// through which a process could change another's memory. In a world with the
// whole host, that is all else.
func landlock(p plan.Plan) error {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errors.New("the kernel has no Landlock\n" +
			"hint: Linux 5.13 or later, started with landlock in its lsm= list")
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: landlockWrite}
	if abi >= 2 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	size := unsafe.Offsetof(rules.Scoped)
	if abi >= 6 {
		rules.Scoped, size = landlockScope, unsafe.Offsetof(rules.Quiet_access_fs)
	} else if abi < 4 {
		size = unsafe.Offsetof(rules.Handled_access_net)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	dirs := []string{sandbox.WorkDir, sandbox.HomeDir, "/tmp", "/var/tmp", "/run", "/dev", plan.CacheDir}
	dirs = append(dirs, places(p)...)
	if p.Rest != nil && p.Rest.Root {
		dirs = []string{"/"} // /proc is read-only there
	}
	if p.Whole != nil && !p.Whole.ReadOnly {
		dirs = wholeDirs()
	}
	for _, dir := range dirs {
		if err := allowWrite(int(fd), dir, rules.Handled_access_fs); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

func allowWrite(ruleset int, dir string, rights uint64) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("landlock: %s: %w", dir, err)
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", dir, errno)
	}
	return nil
}
