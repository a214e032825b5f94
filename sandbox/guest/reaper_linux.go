package guest

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/protect"
	"cookoff/sandbox/wire"
)

// reaper waits for every process of the sandbox: those the guest started and
// those that lost their parents.
type reaper struct {
	mu        sync.Mutex
	waiting   map[int]chan syscall.WaitStatus
	signals   chan os.Signal
	processes int // that commands may have at once
	agent     *agentThread
	score     protect.Score
}

func newReaper() *reaper {
	r := &reaper{waiting: map[int]chan syscall.WaitStatus{}, signals: make(chan os.Signal, 1), score: protect.NewScore()}
	signal.Notify(r.signals, unix.SIGCHLD)
	return r
}

// start runs a program. Its wait status comes on the channel.
func (r *reaper) start(path string, argv []string, attr *syscall.ProcAttr) (int, <-chan syscall.WaitStatus, error) {
	r.mu.Lock() // the end of a process must not be seen before its start
	defer r.mu.Unlock()
	pid, err := r.fork(path, argv, attr)
	if err != nil {
		return 0, nil, err
	}
	c := make(chan syscall.WaitStatus, 1)
	r.waiting[pid] = c
	return pid, c, nil
}

// fork starts a program that is born with few processes: one that multiplies
// at once must not get what the guest needs for itself before its limit is
// set. The guest wears the smaller limit for that moment. When the world is
// full, a call is still let in, so that something can be done about it.
func (r *reaper) fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err != nil {
		return 0, err
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NPROC, &own) }()
	defer r.score.Wear()()
	for _, spare := range []int{8, 64} {
		born := unix.Rlimit{Cur: min(uint64(r.processes+spare), own.Max), Max: own.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &born); err != nil {
			return 0, err
		}
		if pid, err = r.agent.forkExec(path, argv, attr); !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	return pid, err
}

func (r *reaper) run() {
	for range r.signals {
		for r.one() {
		}
	}
}

func (r *reaper) one() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
	if err == syscall.EINTR {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	if c, ok := r.waiting[pid]; ok {
		c <- ws
		delete(r.waiting, pid)
	}
	return true
}

// startHelper starts the process. argv is this program, and what it is called.
func (r *reaper) startHelper(argv []string) (int, io.ReadWriteCloser, <-chan syscall.WaitStatus, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, nil, err
	}
	defer unix.Close(pair[1])
	conn, err := wire.Connection(pair[0])
	if err != nil {
		return 0, nil, nil, err
	}
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		conn.Close()
		return 0, nil, nil, err
	}
	defer null.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	files := []uintptr{null.Fd(), null.Fd(), null.Fd(), uintptr(pair[1])}
	pid, err := syscall.ForkExec(argv[0], argv,
		&syscall.ProcAttr{Dir: "/", Env: []string{}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		conn.Close()
		return 0, nil, nil, err
	}
	c := make(chan syscall.WaitStatus, 1)
	r.waiting[pid] = c
	return pid, conn, c, nil
}
