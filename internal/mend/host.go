package mend

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"cookoff/sandbox"
)

// Limits of one command on the host.
const (
	hostTimeout = 2 * time.Minute
	hostOutput  = 1 << 20 // bytes kept of each stream
)

// Host runs commands on the user's own machine, in Dir, with Env.
type Host struct {
	Dir string
	Env []string // K=V
}

// Exec runs a command to its end, and with it all that it started once its
// time is over. A command that can't be started is an error.
func (h Host) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	argv := c.Argv
	if argv == nil {
		argv = []string{"bash", "--noprofile", "--norc", "-c", c.Script}
	}
	limit := c.Timeout
	if limit == 0 {
		limit = hostTimeout
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stdout, stderr capped
	cmd := exec.CommandContext(timed, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = h.Dir, append(append([]string{}, h.Env...), c.Env...), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a daemon may keep the pipes
	err := cmd.Run()
	if ctx.Err() != nil {
		return sandbox.Result{}, ctx.Err()
	}
	r := sandbox.Result{Stdout: stdout.kept, Stderr: stderr.kept, Cut: stdout.cut + stderr.cut}
	var exit *exec.ExitError
	switch {
	case timed.Err() != nil:
		r.Exit, r.Reason = 124, "timeout"
	case errors.As(err, &exit):
		r.Exit = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			r.Exit, r.Signal = 128+int(ws.Signal()), ws.Signal().String()
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return sandbox.Result{}, err
	}
	return r, nil
}

// capped keeps the head of what is written.
type capped struct {
	kept []byte
	cut  int64
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), hostOutput-len(c.kept))
	c.kept = append(c.kept, p[:n]...)
	c.cut += int64(len(p) - n)
	return len(p), nil
}
