package guest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// helped is a helper whose processes are played by f. The number that they are
// given is nobody's.
func helped(f func(n int, conn net.Conn)) (*helper, *atomic.Int32) {
	var started atomic.Int32
	return &helper{start: func() (int, io.ReadWriteCloser, <-chan syscall.WaitStatus, error) {
		ours, theirs := net.Pipe()
		n := int(started.Add(1))
		ended := make(chan syscall.WaitStatus, 1)
		ended <- 0
		go func() {
			defer theirs.Close()
			f(n, theirs)
		}()
		return 1 << 30, ours, ended, nil
	}}, &started
}

// honest answers as ServeFiles does, but for one answer.
func honest(conn net.Conn, but func(q wire.Request) (any, bool)) {
	in := bufio.NewReader(conn)
	for {
		var q wire.Request
		if wire.ReadFrame(in, &q) != nil {
			return
		}
		r, ok := but(q)
		if q.Op == wire.OpConfig {
			continue // is not answered
		}
		if ok {
			if raw, ok := r.([]byte); ok {
				_, _ = conn.Write(raw)
				return
			}
			_ = wire.WriteFrame(conn, r)
			continue
		}
		answer := wire.Reply{ID: q.ID, Body: json.RawMessage("null")}
		if q.Op == wire.OpRead {
			answer.Body, answer.Data = json.RawMessage(`{"Size":2}`), []byte("hi")
		}
		_ = wire.WriteFrame(conn, answer)
	}
}

// TestHelperLies wants every answer that makes no sense to be an error of that
// call only, and the next call to be served by another process.
func TestHelperLies(t *testing.T) {
	for name, lie := range map[string]func(q wire.Request) any{
		"no JSON":          func(wire.Request) any { return []byte("\x00\x00\x00\x03\x00\x00\x00\x03abc") },
		"a giant frame":    func(wire.Request) any { return []byte("\xff\xff\xff\xff\xff\xff\xff\xffabc") },
		"half a frame":     func(wire.Request) any { return []byte("\x00\x00\x00\x30\x00\x00\x00\x30{") },
		"nothing":          func(wire.Request) any { return []byte{} },
		"another's answer": func(q wire.Request) any { return wire.Reply{ID: q.ID + 7, Body: json.RawMessage("null")} },
		"another form":     func(q wire.Request) any { return wire.Reply{ID: q.ID, Body: json.RawMessage(`"a text"`)} },
		"a part of no parts": func(q wire.Request) any {
			return wire.Reply{ID: q.ID, More: true,
				Body: json.RawMessage(`{"Size":1}`)}
		},
		"no body": func(q wire.Request) any { return wire.Reply{ID: q.ID} },
	} {
		t.Run(name, func(t *testing.T) {
			h, started := helped(func(n int, conn net.Conn) {
				honest(conn, func(q wire.Request) (any, bool) { return lie(q), n == 1 && q.Op == wire.OpRead })
			})
			_, err := h.ask(wire.Request{Op: wire.OpRead, Args: json.RawMessage("{}")}, nil)
			if _, ok := errors.AsType[*sandbox.FileError](err); !ok {
				t.Errorf("it gave %v", err)
			}
			got, err := h.ask(wire.Request{Op: wire.OpRead, Args: json.RawMessage("{}")}, nil)
			if err != nil || string(got.Data) != "hi" || started.Load() != 2 {
				t.Errorf("the next: %q %v, %d started", got.Data, err, started.Load())
			}
		})
	}
}

// TestHelperDies wants the guest's own requests to survive a helper that is
// ended with everything else, and the next one to be told what it must know.
func TestHelperDies(t *testing.T) {
	var told atomic.Int32
	h, started := helped(func(n int, conn net.Conn) {
		honest(conn, func(q wire.Request) (any, bool) {
			if q.Op == wire.OpConfig {
				told.Add(1)
			}
			return []byte{}, n == 1 && q.Op == wire.OpWrite
		})
	})
	h.setup = wire.Config{Agent: 7}
	if _, err := askFor[struct{}](h, wire.OpWrite, nil); err != nil {
		t.Errorf("the second try: %v", err)
	}
	if h.pid() == 0 || started.Load() != 2 || told.Load() != 2 {
		t.Errorf("%d started, %d told", started.Load(), told.Load())
	}
}

// TestHelperParts hands the parts of a long answer on, and drops a helper whose
// parts are none.
func TestHelperParts(t *testing.T) {
	h, _ := helped(func(_ int, conn net.Conn) {
		in := bufio.NewReader(conn)
		var q wire.Request
		if wire.ReadFrame(in, &q) != nil {
			return
		}
		_ = wire.WriteFrame(conn, wire.Reply{ID: q.ID, More: true, Bytes: wire.PartOf([]sandbox.File{{Path: "a"}}).Bytes})
		_ = wire.WriteFrame(conn, wire.Reply{ID: q.ID, More: true, Bytes: wire.Bytes{Data: []byte(`{"no":"list"}`)}})
		_ = wire.WriteFrame(conn, wire.Reply{ID: q.ID, Bytes: wire.PartOf(nil).Bytes})
	})
	var parts []string
	_, err := h.ask(wire.Request{Op: wire.OpManifest}, func(r wire.Reply) error {
		parts = append(parts, string(r.Data))
		return nil
	})
	if _, ok := errors.AsType[*sandbox.FileError](err); !ok || len(parts) != 1 {
		t.Errorf("%q, %v", parts, err)
	}
}

// FuzzHelper feeds the guest whatever a helper that is somebody else's may say.
func FuzzHelper(f *testing.F) {
	for _, v := range []any{struct{}{}, wire.Reply{ID: 1}, wire.Reply{ID: 1, Body: json.RawMessage(`{"Size":1}`)},
		wire.Reply{ID: 2, More: true}} {
		var b bytes.Buffer
		if err := wire.WriteFrame(&b, v); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		h, _ := helped(func(_ int, conn net.Conn) {
			var q wire.Request
			if wire.ReadFrame(conn, &q) == nil {
				_, _ = conn.Write(said)
			}
		})
		got, err := h.ask(wire.Request{Op: wire.OpRead, Args: json.RawMessage("{}")}, nil)
		if err == nil && !formed[sandbox.Chunk](got.RawMessage) {
			t.Errorf("%q was taken for %q", said, got.RawMessage)
		}
	})
}
