package guest

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/stream"
	"cookoff/sandbox/wire"
)

// jobOutput is how much of a job's output is kept until somebody asks, in bytes.
const jobOutput = 128 << 10

// jobs are the commands in the background, and those that have ended, by number.
type jobs struct {
	procs *processes
	shell *shell

	mu  sync.Mutex
	all []*job
}

// job is a command in the background.
type job struct {
	pid    int
	mu     sync.Mutex
	keep   *stream.Output
	any    bool // something is in keep
	ended  bool
	result sandbox.Result
	change chan struct{} // closed, and made anew, when there is news
}

// Write takes output.
func (j *job) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = j.keep.Write(b)
	j.any = true
	j.tell()
	return len(b), nil
}

// tell wakes whoever waits; the lock is held.
func (j *job) tell() {
	close(j.change)
	j.change = make(chan struct{})
}

// add makes a job, unless too many run.
func (js *jobs) add() (*job, int, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	running := 0
	for _, j := range js.all {
		j.mu.Lock()
		if !j.ended {
			running++
		}
		j.mu.Unlock()
	}
	if running >= sandbox.MaxJobs {
		return nil, 0, &sandbox.FileError{Op: "start", Path: "one more command in the background",
			Reason: fmt.Sprintf("%d are running already", running)}
	}
	j := &job{keep: stream.NewOutput(jobOutput), change: make(chan struct{})}
	js.all = append(js.all, j)
	return j, len(js.all), nil
}

func (js *jobs) get(n int) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if n < 1 || n > len(js.all) {
		return nil, &sandbox.FileError{Op: "job", Path: fmt.Sprint(n),
			Reason: "there is no such command in the background"}
	}
	return js.all[n-1], nil
}

// sessions gives the processes that jobs began with.
func (js *jobs) sessions() []int {
	js.mu.Lock()
	defer js.mu.Unlock()
	var pids []int
	for _, j := range js.all {
		if j.pid > 0 {
			pids = append(pids, j.pid)
		}
	}
	return pids
}

// launch starts a command in the background.
func (js *jobs) launch(_ uint64, c sandbox.Cmd) (any, error) {
	m, err := js.shell.prepare(c)
	if err != nil {
		return nil, err
	}
	j, n, err := js.add()
	if err != nil {
		return nil, err
	}
	fail := func(err error) (any, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.ended, j.result = true, sandbox.Result{Exit: 126, Reason: "not started"}
		return nil, err
	}
	null, err := os.Open("/dev/null")
	if err != nil {
		return fail(err)
	}
	defer null.Close()
	r, w, err := stream.Pipe(false)
	if err != nil {
		return fail(fmt.Errorf("preparing the output of a job: %w", err))
	}
	defer w.Close()
	js.mu.Lock() // a call that ends now must know whose the process is
	pid, ended, err := js.procs.reap.begin(m, syscall.SysProcAttr{}, null.Fd(), w.Fd(), w.Fd())
	j.pid = pid
	js.mu.Unlock()
	if err != nil {
		r.Close()
		return fail(&sandbox.FileError{Op: "start", Path: m.Program, Reason: err.Error()})
	}
	js.procs.limit(pid)
	if text := m.moved(); text != "" {
		_, _ = j.Write([]byte(text))
	}
	go j.watch(r, ended)
	return n, nil
}

// watch takes a job's output until it has ended. What it left running may go
// on writing; that is read and dropped.
func (j *job) watch(r *os.File, ended <-chan syscall.WaitStatus) {
	began, drained := time.Now(), make(chan struct{})
	out := stream.NewTap(r, j)
	go func() {
		out.Run()
		close(drained)
	}()
	ws := <-ended
	out.Now()
	select {
	case <-drained:
	case <-time.After(wire.Grace):
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended, j.result = true, status(ws, "")
	j.result.Duration = time.Since(began)
	j.tell()
}

// news waits for output of a job, or its end. Output comes in bursts: once
// there is some, a little more is waited for.
func (js *jobs) news(_ uint64, a wire.JobArgs) (any, error) {
	j, err := js.get(a.Job)
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(max(0, min(a.Wait, sandbox.MaxJobWait)))
	defer late.Stop()
	for {
		j.mu.Lock()
		ready, change := j.any || j.ended, j.change
		j.mu.Unlock()
		if ready {
			break
		}
		select {
		case <-change:
			continue
		case <-late.C:
		}
		break
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	n := sandbox.JobNews{Ended: j.ended, Result: j.result}
	n.Output, n.Cut = j.keep.Finish()
	j.keep, j.any = stream.NewOutput(jobOutput), false
	if j.ended {
		j.keep.Close()
	}
	return n, nil
}

// stop ends a job and its session.
func (js *jobs) stop(_ uint64, n int) (any, error) {
	j, err := js.get(n)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	pid, ended := j.pid, j.ended
	j.mu.Unlock()
	if ended || pid == 0 { // its number may be another's by now
		return nil, nil
	}
	return nil, js.procs.killSession(pid)
}

// told reports whether all jobs have ended, and all that they printed was asked for.
func (js *jobs) told() bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.all {
		j.mu.Lock()
		told := j.ended && !j.any
		j.mu.Unlock()
		if !told {
			return false
		}
	}
	return true
}

// results gives how each job ended.
func (js *jobs) results() (all []sandbox.Result) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.all {
		j.mu.Lock()
		all = append(all, j.result)
		j.mu.Unlock()
	}
	return all
}

// ended takes over jobs of a guest before, of which all was told.
func (js *jobs) ended(results []sandbox.Result) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, r := range results {
		j := &job{keep: stream.NewOutput(jobOutput), ended: true, result: r, change: make(chan struct{})}
		j.keep.Close()
		js.all = append(js.all, j)
	}
}
