package launch

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
)

// endTime bounds the wait for a killed world to be really gone. Where the
// machine is busy, an engine alone may take many seconds to kill one.
const endTime = time.Minute

// Process is a world that runs, as the host sees it.
type Process struct {
	Conn  io.ReadWriteCloser       // to the guest
	First int                      // PID 1 of it, as it is called here, where the builder starts that itself
	Path  []string                 // where an image has its programs
	Kept  func() (*os.File, error) // as in Prepared

	builder Builder
	group   *cgroup.Group
	output  bothEnds
	kill    func()
	gone    chan struct{} // closed when no process of it is left
}

// Start has b build a world and start a guest in it. When it fails nothing of it is
// left, the control group neither. It sets Said and Gone of the order.
func Start(b Builder, o Order, on *Thread) (*Process, error) {
	p := &Process{builder: b, group: o.Group, gone: make(chan struct{})}
	o.Stderr, o.Gone = &p.output, p.gone
	if err := p.start(o, on); err != nil {
		p.group.Remove()
		return nil, err
	}
	return p, nil
}

func (p *Process) start(o Order, on *Thread) error {
	made, err := p.builder.Prepare(o)
	if err != nil {
		return err
	}
	o.Group.Hold(made.Cmd)
	err = on.Do(made.Cmd.Start)
	CloseAll(made.Given)
	if err != nil {
		made.Conn.Close()
		return p.builder.Explain(&StartError{made.Cmd.Args[0], err}, "")
	}
	p.Conn, p.First, p.Path, p.Kept = made.Conn, made.Cmd.Process.Pid, made.Path, made.Kept
	go func() {
		_ = made.Cmd.Wait() // PID 1 is reaped after every process of its namespace
		close(p.gone)
	}()
	p.kill = sync.OnceFunc(func() { _ = made.Cmd.Process.Kill() })
	if made.Running == nil {
		return nil
	}
	kill, err := made.Running()
	if err != nil {
		made.Conn.Close()
		return p.Explain(err)
	}
	if kill != nil {
		p.kill = sync.OnceFunc(kill)
	}
	return nil
}

// Kill kills the guest, and with it every process of the world. It does not wait.
func (p *Process) Kill() { p.kill() }

// Explain ends the world, and adds to err what its program said.
func (p *Process) Explain(err error) error {
	p.kill()
	select {
	case <-p.gone: // then all is said
	case <-time.After(endTime): // the kernel ends what hangs in it when it likes
	}
	return p.builder.Explain(err, p.output.String())
}

// End kills every process, waits until none is left, and removes the control group.
func (p *Process) End(ctx context.Context) error {
	p.kill()
	p.group.Kill()
	late := time.NewTimer(endTime)
	defer late.Stop()
	select {
	case <-p.gone:
		p.group.Remove()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return sandbox.Unavailable("ending a sandbox", fmt.Errorf("processes still live after %v", endTime))
	}
}

// Thread starts processes on a thread that lives as long as this process does: the
// kernel takes the end of the thread that started a process for the end of its
// parent. The zero Thread is ready.
type Thread struct {
	once sync.Once
	work chan func()
}

// Do calls start there.
func (t *Thread) Do(start func() error) error {
	t.once.Do(func() {
		t.work = make(chan func())
		go func() {
			runtime.LockOSThread()
			for f := range t.work {
				f()
			}
		}()
	})
	done := make(chan error, 1)
	t.work <- func() { done <- start() }
	return <-done
}
