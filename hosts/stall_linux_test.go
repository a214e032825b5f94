package hosts_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	frames "cookoff/sandbox/wire"
)

// staller is a hand that lives, answers each call but those of an operation, and reads
// nothing after them.
func staller(conn net.Conn, never protocol.Op) {
	var theirs protocol.Hello
	if err := link.ReadGreeting(conn, &theirs); err != nil {
		return // it was not wanted any more
	}
	if link.WriteGreeting(conn, protocol.Hello{Build: "b", Processors: 2}) != nil {
		return
	}
	l := link.New(conn, link.Options{})
	for {
		st, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			var c protocol.Call
			if frames.ReadFrame(st, &c) == nil && c.Op != never {
				_ = frames.WriteFrame(st, protocol.Answer{}) // nobody may wait for it
			}
		}()
	}
}

// stalled is a host whose hand never does one of the operations.
func stalled(t testing.TB, never protocol.Op, patience time.Duration) *hosts.Host {
	h := &hosts.Host{Name: "a", Hello: protocol.Hello{Build: "b"}, Trees: &hosts.Trees{}, Patience: patience}
	h.Dial = func(context.Context) (hosts.Conn, error) {
		ours, theirs := pair(t)
		go staller(theirs, never)
		return wire{ours}, nil
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// TestStalled: a hand that lives and never does what it is asked for is lost, whatever
// that is; and whoever waits for it is let go at once.
func TestStalled(t *testing.T) {
	for _, never := range []protocol.Op{protocol.OpSetup, protocol.OpCheck, protocol.OpOpen, protocol.OpPut,
		protocol.OpSeal, protocol.OpCopy} {
		t.Run(string(never), func(t *testing.T) {
			t.Parallel()
			try := func(ctx context.Context, h *hosts.Host) error {
				if err := h.Check(ctx); err != nil {
					return err
				}
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
					return err
				}
				sb, err := h.Open(ctx, sandbox.Spec{Project: dir, Limits: sandbox.Limits{Disk: 1}})
				if err != nil {
					return err
				}
				defer sb.Close()
				if _, err := sb.(sandbox.Copier).Copy(ctx); err != nil {
					return err
				}
				_, err = sb.Seal(ctx)
				return err
			}
			var lost *sandbox.HostError
			if err := try(t.Context(), stalled(t, never, 50*time.Millisecond)); !errors.As(err, &lost) {
				t.Errorf("it ends with %v", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			h := stalled(t, never, time.Hour)
			if err := try(ctx, h); ctx.Err() == nil || errors.As(err, &lost) {
				t.Errorf("whoever leaves is told %v", err)
			}
			h.Close() // else its world waits for its end
		})
	}
}

// TestDeafGuest: whoever has something for a guest that takes nothing leaves when he
// wants to, and the guest is lost.
func TestDeafGuest(t *testing.T) {
	h := stalled(t, "", 200*time.Millisecond)
	sb, err := h.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	much := sandbox.Cmd{Script: "cat", Stdin: bytes.Repeat([]byte("x"), 2<<20)}
	if _, err := sb.Exec(ctx, much); !errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, sandbox.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := sb.Exec(t.Context(), much); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Error(err)
	}
}

// TestSlowReach: while a host is reached nobody waits to hear whether it is out, all who
// want it wait for one hand, and each leaves when he wants to.
func TestSlowReach(t *testing.T) {
	h := stalled(t, "", 0)
	dial, dials, proceed := h.Dial, make(chan struct{}, 9), make(chan struct{})
	h.Dial = func(ctx context.Context) (hosts.Conn, error) {
		dials <- struct{}{}
		<-proceed
		return dial(ctx)
	}
	ended := make(chan error, 3)
	for range 3 {
		go func() { ended <- h.Check(t.Context()) }()
	}
	<-dials
	if _, out := h.Out(); out || h.Processors() != 0 {
		t.Error("a host that nobody has reached is out, or has processors")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(proceed)
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if len(dials) > 0 || h.Processors() != 2 {
		t.Errorf("%d more hands were started; %d processors", len(dials), h.Processors())
	}
}

// TestMuteHand: whoever waits for a greeting leaves when he wants to, which is no fault.
func TestMuteHand(t *testing.T) {
	h := &hosts.Host{Name: "a", Trees: &hosts.Trees{}}
	ctx, cancel := context.WithCancel(t.Context())
	h.Dial = func(context.Context) (hosts.Conn, error) {
		ours, theirs := pair(t)
		t.Cleanup(func() { theirs.Close() })
		cancel()
		return wire{ours}, nil
	}
	for range hosts.MaxFaults {
		if err := h.Check(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if why, out := h.Out(); out {
		t.Errorf("it is out: %v", why)
	}
}

// TestProcessors: a hand that says it has none, or a million, is refused.
func TestProcessors(t *testing.T) {
	for _, n := range []int{-1, 0, hosts.MaxProcessors + 1} {
		h := &hosts.Host{Name: "a", Trees: &hosts.Trees{}}
		h.Dial = func(context.Context) (hosts.Conn, error) {
			ours, theirs := pair(t)
			go func() { _ = link.WriteGreeting(theirs, protocol.Hello{Processors: n}) }() // Check hears it
			return wire{ours}, nil
		}
		if err := h.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "1 to 4096 are allowed") {
			t.Errorf("%d processors: %v", n, err)
		}
	}
}
