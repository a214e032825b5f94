package guest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/guest/stream"
	"cookoff/sandbox/wire"
)

// call is a running command.
type call struct {
	pid    int
	before map[proc.Key]bool // processes that were there before it
	stop   chan string       // why it must end: a Reason, or "cancelled"

	disk, files int64        // in use when it began
	happened    proc.Counted // until it began
}

// end asks the call to end; the first reason wins.
func (c *call) end(reason string) {
	select {
	case c.stop <- reason:
	default:
	}
}

// calls are the commands that were asked for and those that run now.
type calls struct {
	cfg   *wire.Config
	procs *processes
	shell *shell
	used  *usage
	scope *proc.Scope
	jobs  *jobs

	mu      sync.Mutex
	asked   map[uint64]*call // not started yet
	running map[uint64]*call
}

// expect registers a call before the next request is read: that may be to
// cancel it.
func (cs *calls) expect(id uint64) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.asked[id] = &call{stop: make(chan string, 1)}
}

// take gives a call that is expected. It stays so until it is started or
// refused.
func (cs *calls) take(id uint64) (c *call, refused func()) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.asked[id], func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.asked, id)
	}
}

// start starts and registers a call in one: whoever finds its process knows
// whose it is.
func (cs *calls) start(id uint64, c *call,
	start func() (int, <-chan syscall.WaitStatus, error)) (<-chan syscall.WaitStatus, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	pid, ended, err := start()
	if err == nil {
		c.pid = pid
		delete(cs.asked, id)
		cs.running[id] = c
	}
	return ended, err
}

// remove reports whether other calls go on.
func (cs *calls) remove(c *call) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for id, o := range cs.running {
		if o == c {
			delete(cs.running, id)
		}
	}
	return len(cs.running) > 0
}

// others gives the PIDs of the running calls but c's; the lock is held.
func (cs *calls) others(c *call) map[int]bool {
	pids := map[int]bool{}
	for _, o := range cs.running {
		if o != c {
			pids[o.pid] = true
		}
	}
	return pids
}

// any reports whether one of these still runs.
func (cs *calls) any(these []*call) bool {
	return slices.ContainsFunc(cs.all(), func(c *call) bool { return slices.Contains(these, c) })
}

func (cs *calls) all() []*call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var all []*call
	for _, c := range cs.running {
		all = append(all, c)
	}
	return all
}

// cancel ends a command whose host no longer waits, also one that is about to
// start.
func (cs *calls) cancel(q wire.Request) {
	var id uint64
	if wire.Decode(q.Args, &id) != nil {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, some := range []map[uint64]*call{cs.asked, cs.running} {
		if c := some[id]; c != nil {
			c.end("cancelled")
		}
	}
}

// exec runs a command to its end.
func (cs *calls) exec(id uint64, c sandbox.Cmd) (any, error) {
	cl, refused := cs.take(id)
	defer refused()
	m, err := cs.shell.meaning(c)
	if err != nil {
		return nil, err
	}
	if exit, what, why := m.refused(); exit != 0 {
		return refusal(exit, fmt.Sprintf("cookoff: %s: %s\n", what, why)), nil
	}
	kept := cs.cfg.Limits.Output
	if c.Output > 0 {
		kept = min(c.Output, sandbox.MaxOutput)
	}
	p, err := stream.NewPipes(c.Stdin, kept)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	select {
	case reason := <-cl.stop:
		return status(0, reason), nil
	default:
	}
	cl.before, cl.happened = cs.procs.set(), cs.scope.Happened()
	cl.disk, cl.files = cs.used.atStart()
	began := time.Now()
	ended, err := cs.start(id, cl, func() (int, <-chan syscall.WaitStatus, error) {
		return cs.procs.reap.begin(m, syscall.SysProcAttr{}, p.Child()...)
	})
	p.Started()
	if err != nil {
		return startFailure(m.Program, err)
	}
	defer cs.leave(cl)
	cs.procs.limit(cl.pid)
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = cs.cfg.Limits.Call
	}
	ws, reason, err := cs.await(cl, ended, timeout)
	if err == nil && reason == "" {
		reason, err = cs.blame(cl)
	}
	if err == nil && reason == "" && ws.ExitStatus() != 0 && cs.used.crowded() {
		err = sandbox.OfKinds("no space left on device: others filled the disk below the sandboxes\n"+
			sandbox.RoomHint, sandbox.ErrShort, syscall.ENOSPC)
	}
	if err != nil {
		return nil, err
	}
	r := status(ws, reason)
	r.Duration = time.Since(began)
	p.Collect(&r)
	r.Stderr = append([]byte(m.moved()), r.Stderr...)
	return r, nil
}

// await waits for the end of a call, and brings it about when the time is up
// or a limit is exceeded.
func (cs *calls) await(c *call, ended <-chan syscall.WaitStatus, timeout time.Duration) (syscall.WaitStatus, string,
	error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var reason string
	select {
	case ws := <-ended:
		select {
		case reason = <-c.stop: // it died of being stopped
			return ws, reason, cs.killCall(c)
		default:
			return ws, "", nil
		}
	case <-timer.C:
		reason = "timeout"
	case reason = <-c.stop:
	}
	if err := cs.killCall(c); err != nil {
		return 0, reason, err
	}
	select {
	case ws := <-ended:
		return ws, reason, nil
	case <-time.After(4 * patience):
		return 0, reason, errors.New("a killed command does not end")
	}
}

// blame asks whether the kernel ended something of a call that seems to have
// ended by itself, and whose memory was short then.
func (cs *calls) blame(c *call) (string, error) {
	now := cs.scope.Happened()
	switch {
	case now.Short > c.happened.Short:
		return "memory", cs.killCall(c)
	case now.Ended > c.happened.Ended:
		return "", sandbox.OfKinds("this machine ran out of memory, and the kernel ended a process of the trial\n"+
			"hint: fewer trials at once (--parallel), or less memory for each (limits)", sandbox.ErrShort)
	}
	return "", nil
}

// status translates a wait status.
func status(ws syscall.WaitStatus, reason string) sandbox.Result {
	r := sandbox.Result{Exit: ws.ExitStatus(), Reason: reason}
	if ws.Signaled() {
		r.Exit = 128 + int(ws.Signal())
		r.Signal = unix.SignalName(ws.Signal())
	}
	if reason == "" && r.Exit == 128+int(unix.SIGXFSZ) { // or a shell says so of what it ran
		r.Reason = "file size"
	}
	if reason == "timeout" {
		r.Exit = 124
	} else if reason != "" && r.Exit == 0 {
		r.Exit = 128 + int(unix.SIGKILL)
	}
	return r
}

// refusal is the result of a command that can't be started through no fault
// of the sandbox, as a shell would report it.
func refusal(exit int, text string) sandbox.Result {
	return sandbox.Result{Exit: exit, Stderr: []byte(text)}
}

func startFailure(prog string, err error) (any, error) {
	switch {
	case errors.Is(err, unix.EAGAIN):
		return refusal(126, "cookoff: fork: resource temporarily unavailable (too many processes)\n"), nil
	case errors.Is(err, unix.ENOMEM), errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return nil, fmt.Errorf("starting %s: %w", prog, err)
	case errors.Is(err, unix.ENOENT):
		return refusal(127, fmt.Sprintf("cookoff: %s: its interpreter is missing\n", prog)), nil
	}
	return refusal(126, fmt.Sprintf("cookoff: %s: %v\n", prog, err)), nil
}
