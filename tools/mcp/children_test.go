package mcp

import (
	"context"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestCloseWaitsForNoChild: what a server started and what left its session keeps its
// output open, floods it, or multiplies; its end is waited for no longer.
func TestCloseWaitsForNoChild(t *testing.T) {
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	for _, script := range []string{
		`(setsid sleep 300 &); echo; exec cat`,
		`for i in 1 2 3 4; do (setsid yes &); (setsid sh -c 'yes >&2' &); done; echo; exec cat`,
		`(setsid sh -c 'while :; do (setsid sleep 100 &) ; done' &) ; echo; exec cat`,
		`echo; kill -STOP $$`,
	} {
		sb, err := b.Open(t.Context(), sandbox.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := sb.(sandbox.Starter).Start(t.Context(), sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Read(make([]byte, 1)); err != nil { // it has begun
			t.Fatal(err)
		}
		c := &conn{prog: &boundedProgram{Program: p}}
		c.peer.wire = newStdio(c.prog, c.notice)
		began, closed := time.Now(), make(chan struct{})
		go func() { c.close(); close(closed) }()
		select {
		case <-closed:
			t.Logf("%v: %s", time.Since(began), script)
		case <-time.After(9 * time.Second):
			t.Errorf("it is waited for: %s", script)
		}
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	}
}

// deaf is a program in a sandbox that does not answer.
type deaf struct{ sandbox.Program }

func (deaf) Read([]byte) (int, error)       { select {} }
func (deaf) Kill(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
func (deaf) Close() error                   { return nil }

// TestCloseOfASilentSandbox ends by its own time, whatever the sandbox does.
func TestCloseOfASilentSandbox(t *testing.T) {
	c := &conn{prog: &boundedProgram{Program: deaf{}}}
	c.peer.wire = newStdio(c.prog, c.notice)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.end(ctx) // or the test's own time passes
}
