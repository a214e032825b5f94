package agent

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
	"cookoff/sandbox"
	"cookoff/trial"
)

// maxPrinted is how much of what a command prints is kept, in bytes: its end.
const maxPrinted = 64 << 10

// tail keeps the end of what is written to it.
type tail struct {
	b    []byte
	most int64 // bytes that are read
}

// errPrinted ends the reading of a command that prints without end.
var errPrinted = errors.New("too much was printed")

func (t *tail) Write(p []byte) (int, error) {
	if t.most -= int64(len(p)); t.most < 0 {
		return 0, errPrinted
	}
	t.b = append(t.b, p...)
	if n := len(t.b) - maxPrinted; n > maxPrinted {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

// text is the end, in whole lines where there are some.
func (t *tail) text() string { return string(t.b[max(0, len(t.b)-maxPrinted):]) }

// execute lets an agent that is one command run to its end.
func (c *Contestant) execute(ctx context.Context, prog sandbox.Program, run agents.Run) ended {
	own, stop := c.watch(ctx)
	defer stop()
	out, done := &tail{most: acp.MaxOutput}, make(chan struct{})
	flood := false // is read once done is closed
	go func() {
		_, err := io.Copy(out, prog)
		if flood = errors.Is(err, errPrinted); flood {
			kill(prog)
			_, _ = drained(prog)
		}
		close(done)
	}()
	go func() {
		_, _ = prog.Write([]byte(run.Stdin)) // one that reads nothing says so by what it does
		_ = prog.Close()
	}()
	select {
	case <-done:
	case <-own.Done():
		kill(prog)
		_ = within(done, cancelTime)
	}
	e := c.endOf(ctx, own, nil)
	r, exited := prog.Result()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parting = parting(r.Stderr, nil)
	select {
	case <-done:
		c.events.answer = out.text()
		c.events.text.WriteString(c.events.answer)
		if words := lastWords(out.b); c.parting == "" && words != "" {
			c.parting = parting(nil, []string{words})
		}
		if flood && e == (ended{}) {
			return ended{stop: trial.StopCrashed,
				detail: fmt.Sprintf("the agent's command has printed more than %d MiB", acp.MaxOutput>>20)}
		}
	default: // it is still being written to
	}
	switch {
	case e != (ended{}):
		return e
	case !exited:
		return ended{err: sandbox.Unavailable("running the agent", io.ErrUnexpectedEOF)}
	case !r.OK():
		return ended{stop: trial.StopCrashed, detail: crashed("the agent's command failed", r, true, nil)}
	}
	return ended{stop: trial.StopDone}
}
