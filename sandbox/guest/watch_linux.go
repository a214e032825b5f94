package guest

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/wire"
)

// watch enforces the limits that the kernel does not: memory of all processes
// together, and the bytes and files written.
type watch struct {
	cfg    *wire.Config
	procs  *processes
	table  func() map[int]proc.Process // all of procs
	calls  *calls
	used   *usage
	scope  *proc.Scope   // nil: the account is kept
	memory *proc.Account // of what no control group counts
	asked  *requests
	heeded int64 // how often the world was full when that was acted on last

	full, over int // how often in a row no process more could be started, or too much memory was shared
	nextDisk   time.Time
}

// run never returns.
func (w *watch) run() {
	w.nextDisk = time.Now()
	wait, idle, asked := idleEvery, 0, w.asked.count()
	for {
		time.Sleep(wait)
		running := len(w.calls.all()) > 0
		if n := w.asked.count(); n != asked || running {
			idle, asked = 0, n
		} else if idle++; idle == slimLooks {
			slim()
		}
		all := w.table()
		held := w.look(all, running)
		wait = idleEvery
		switch {
		case running:
			wait = pause(w.cfg.Limits, held, len(all))
		case idle >= slimLooks && len(all) == 0: // nothing lives: nothing happens before something is asked
			if w.asked.rest(asked) {
				wait = soonest
			}
		}
	}
}

// look enforces the limits on all processes there are, and gives the memory that
// they hold, in bytes.
func (w *watch) look(all map[int]proc.Process, running bool) (held int64) {
	if running {
		w.procs.limitEach(all)
	}
	w.heed()
	if w.full++; w.cfg.TestOnlyBlind || !w.procs.fullOf(all, w.cfg.Limits.Processes) {
		w.full = 0
	} else if w.full >= crowdedLooks {
		w.thin()
	}
	own, shared := w.held(all)
	if w.over++; own+shared <= w.cfg.Limits.Memory {
		w.over = 0
	} else if own > w.cfg.Limits.Memory || w.over >= crowdedLooks {
		w.relieve()
		w.over = 0
	}
	if now := time.Now(); now.After(w.nextDisk) {
		w.used.measure()
		w.enforce("disk", w.used.disk.Load(), w.cfg.Limits.Disk, func(c *call) int64 { return c.disk })
		w.enforce("files", w.used.files.Load(), int64(w.cfg.Limits.Files), func(c *call) int64 { return c.files })
		took := time.Since(now)
		pause := diskPause(w.cfg.Limits, w.used.disk.Load(), w.used.files.Load())
		w.nextDisk = time.Now().Add(max(pause, 10*took)) // a big tree must not keep the guest busy
	}
	return own + shared
}

// held is what all processes hold, and what they hold together where a control
// group tells it apart.
func (w *watch) held(all map[int]proc.Process) (own, shared int64) {
	if w.cfg.TestOnlyBlind {
		return 0, 0
	}
	if w.scope == nil {
		return w.memory.Held(all, w.cfg.Limits.Memory), 0
	}
	if own, shared = w.scope.Memory(proc.InScratch); w.cfg.Memory {
		shared = 0 // it holds files of the project
	}
	return own, shared
}

// slimLooks is how many looks in a row must find the guest idle before it gives
// back what it does not need to wait.
const slimLooks = 4

// crowdedLooks is how many looks in a row must find the world full: a program
// may touch the limit and go on.
const crowdedLooks = 3

// heed does what the control group asks for: the kernel has held the world to
// a limit. That it could start no process may be due to one above the world's,
// which is nobody's fault here.
func (w *watch) heed() {
	now := w.scope.Happened()
	for _, c := range w.calls.all() {
		if now.Short > c.happened.Short { // what came before it was another's
			c.end("memory")
		}
	}
	if now.Full > w.heeded && w.procs.full(w.cfg.Limits.Processes) {
		w.thin()
	}
	w.heeded = now.Full
}

// thin ends the running calls; when they are not what fills the world,
// everything in it goes.
func (w *watch) thin() {
	calls := w.calls.all()
	for _, c := range calls {
		c.end("processes")
	}
	if len(calls) > 0 && w.settled(calls) && !w.procs.full(w.cfg.Limits.Processes) {
		return
	}
	for _, p := range w.left(calls) {
		_ = unix.Kill(p.PID, unix.SIGKILL)
	}
}

// left lists the processes that were there before any call that is not one of
// these: one that began since is not to blame.
func (w *watch) left(calls []*call) (left []proc.Process) {
	since := slices.DeleteFunc(w.calls.all(), func(c *call) bool { return slices.Contains(calls, c) })
	for _, p := range w.table() {
		if !slices.ContainsFunc(since, func(c *call) bool { return !c.before[p.Key] }) {
			left = append(left, p)
		}
	}
	return left
}

// relieve ends the running calls; when they are not what holds the memory,
// the biggest process goes.
func (w *watch) relieve() {
	calls := w.calls.all()
	for _, c := range calls {
		c.end("memory")
	}
	if len(calls) > 0 && w.settled(calls) {
		proc.ForgetLeft()
		w.memory.LookAgain()
		if own, shared := w.held(w.table()); own+shared <= w.cfg.Limits.Memory {
			return
		}
	}
	biggest, most := 0, int64(0)
	for _, p := range w.left(calls) {
		if r := proc.PagesOf(p.Thread); r.Own+r.Shared > most {
			biggest, most = p.PID, r.Own+r.Shared
		}
	}
	if biggest <= 1 {
		proc.Forget() // nobody holds it
		return
	}
	_ = unix.Kill(biggest, unix.SIGKILL)
}

// settled waits until the calls, told to end, are over.
func (w *watch) settled(calls []*call) bool {
	for range 200 {
		if !w.calls.any(calls) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// enforce ends the calls that are above a limit and made it worse: one that
// cleans up may go on.
func (w *watch) enforce(reason string, used, limit int64, before func(*call) int64) {
	if used <= limit {
		return
	}
	calls := w.calls.all()
	for _, c := range calls {
		if used > before(c) {
			c.end(reason)
		}
	}
	if len(calls) > 0 {
		return
	}
	for _, p := range w.left(nil) { // something left running fills the disk
		_ = unix.Kill(p.PID, unix.SIGKILL)
	}
}
