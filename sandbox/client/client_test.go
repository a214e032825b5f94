package client

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// hostile is a guest that answers every request with these bytes.
func hostile(t testing.TB, answer func(q wire.Request) []byte) *Client {
	ours, theirs := net.Pipe()
	c := New(ours)
	c.maxParts = 4 << 10
	go func() { _ = c.Serve() }()
	go func() {
		defer theirs.Close()
		for {
			var q wire.Request
			if wire.ReadFrame(theirs, &q) != nil {
				return
			}
			if _, err := theirs.Write(answer(q)); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { ours.Close() })
	return c
}

func frame(v any) []byte {
	var b bytes.Buffer
	if err := wire.WriteFrame(&b, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// TestHostileGuest wants every broken answer to be the sandbox's failure, and
// none to hang, to be believed, or to cost memory.
func TestHostileGuest(t *testing.T) {
	check := func(name string, answer func(q wire.Request) []byte) {
		t.Helper()
		c := hostile(t, answer)
		_, err := ask[sandbox.Result](t.Context(), c, wire.OpExec, sandbox.Cmd{})
		if !errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	raw := func(b string) func(wire.Request) []byte { return func(wire.Request) []byte { return []byte(b) } }
	check("garbage", raw("\x00\x00\x00\x05\x00\x00\x00\x05hello"))
	check("JSON longer than its frame", raw("\x00\x00\x00\x02\x00\x00\x00\x03{}}"))
	check("a giant frame", raw("\xff\xff\xff\xff\x00\x00\x00\x02"))
	check("half a frame and the end", func(wire.Request) []byte {
		return append(frame(wire.Reply{})[:6],
			bytes.Repeat([]byte{0xff}, 64)...)
	})
	check("an unknown request", func(q wire.Request) []byte { return frame(wire.Reply{ID: q.ID + 1}) })
	check("a body of another type", func(q wire.Request) []byte {
		return frame(wire.Reply{ID: q.ID,
			Body: json.RawMessage(`[1]`)})
	})
	check("an error", func(q wire.Request) []byte { return frame(wire.Reply{ID: q.ID, Err: "no\x1b[2J"}) })
	check("no body", func(q wire.Request) []byte { return frame(wire.Reply{ID: q.ID}) })
	check("parts without end", func(q wire.Request) []byte {
		part := frame(wire.Reply{ID: q.ID, More: true, Body: json.RawMessage(`"` + strings.Repeat("x", 1<<10) + `"`)})
		return bytes.Repeat(part, 5)
	})

	c := hostile(t, func(q wire.Request) []byte {
		return frame(wire.Reply{ID: q.ID, File: &sandbox.FileError{Op: "read", Path: "\xff", Reason: "gone"}})
	})
	_, err := ask[sandbox.Chunk](t.Context(), c, wire.OpRead, wire.ReadArgs{})
	var fe *sandbox.FileError
	if !errors.As(err, &fe) || fe.Path != "\xff" || errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a file error arrived as %v", err)
	}
}

// stream is a guest that says what it says, whatever it is asked.
type stream struct {
	io.Reader
}

func (stream) Write(b []byte) (int, error) { return len(b), nil }
func (stream) Close() error                { return nil }

func FuzzClient(f *testing.F) {
	f.Add(frame(wire.Reply{ID: 1, Body: json.RawMessage(`{"Exit":0}`)}))
	f.Add(append(frame(wire.Reply{ID: 1, More: true, Body: json.RawMessage(`[]`)}), frame(wire.Reply{ID: 1})...))
	f.Add(binary.BigEndian.AppendUint64(nil, 1<<63))
	f.Add(frame(wire.Reply{Err: "died"}))
	f.Fuzz(func(t *testing.T, said []byte) {
		c := New(stream{bytes.NewReader(said)})
		_, p, err := c.begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Serve(); err == nil {
			t.Fatal("reading ended without a reason")
		}
		if r, ok := <-p.done; ok {
			_ = p.finish(r, wire.OpExec,
				func(r wire.Reply) error { return json.Unmarshal(r.Body, new(sandbox.Result)) })
		}
		if _, _, err := c.begin(); !errors.Is(err, sandbox.ErrUnavailable) {
			t.Fatalf("a dead client takes requests: %v", err)
		}
	})
}

// FuzzPack wants whatever a guest says of files to be refused, or to be about
// those that were asked for.
func FuzzPack(f *testing.F) {
	for _, items := range [][]sandbox.Item{
		{{Path: "a", Mode: 0o644, Data: []byte("x")}, {Path: "b", Gone: true}}, {{Path: "b"}},
		{{Path: "a"}, {Path: "b"}, {Path: "c"}}, {},
		{{Path: "a", Left: "\x1b[2J"}},
	} {
		b, err := json.Marshal(items)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) {
			return
		}
		c := hostile(t, func(q wire.Request) []byte { return frame(wire.Reply{ID: q.ID, Body: body}) })
		asked, n := []string{"a", "b"}, 0
		err := files{c}.Pack(t.Context(), asked, func(it sandbox.Item) error {
			if n == len(asked) || it.Path != asked[n] || strings.ContainsRune(it.Left, 0x1b) {
				t.Fatalf("%q is said to be %+v", asked, it)
			}
			n++
			return nil
		})
		if (err == nil) != (n == len(asked)) {
			t.Fatalf("%d of %d, %v", n, len(asked), err)
		}
	})
}

// TestDeafGuest wants a guest that reads nothing to be given up, and not to
// hold whoever asks it for ever.
func TestDeafGuest(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := New(ours)
	c.patience = time.Millisecond
	if _, err := ask[sandbox.Result](t.Context(), c, wire.OpExec, sandbox.Cmd{}); !errors.Is(err,
		sandbox.ErrUnavailable) {
		t.Error(err)
	}
}

// leaving is a guest that closes its end, having said why.
type leaving struct {
	closed chan struct{}
	words  io.Reader
}

func (g leaving) Write([]byte) (int, error) { close(g.closed); return 0, syscall.EPIPE }

func (g leaving) Read(b []byte) (int, error) { <-g.closed; return g.words.Read(b) }

func (leaving) Close() error { return nil }

// TestLastWords: a guest that goes before it is asked is heard all the same.
func TestLastWords(t *testing.T) {
	c := New(leaving{make(chan struct{}), bytes.NewReader(frame(wire.Reply{Err: "no such file"}))})
	served := make(chan error)
	asked := make(chan error)
	go func() { asked <- c.Ask(t.Context(), wire.OpConfig, nil, nil) }()
	go func() { served <- c.Serve() }()
	if err := <-asked; err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("said of a guest that said why it goes: %v", err)
	}
	<-served
}

// TestStarvedGuest: a guest that goes while the kernel ends processes for want of memory
// is the machine's doing, unless the world had reached its own limit; what the kernel did
// before the guest was heard last is neither.
func TestStarvedGuest(t *testing.T) {
	const nobody, machine, own = "the guest is gone", "this machine ran out of memory", "the sandbox's own limit"
	type kernel struct {
		vmstat string
		group  map[string]int64 // nil: none bounds the world
	}
	in := func(oom, kills int64) map[string]int64 { return map[string]int64{"oom": oom, "oom_kill": kills} }
	for name, c := range map[string]struct {
		first, heard, last kernel
		full               bool // the guest says that a command was ended for the limit
		want               string
	}{
		"nothing happened":             {kernel{"3", nil}, kernel{"3", nil}, kernel{"3", nil}, false, nobody},
		"somebody was ended":           {kernel{"3", nil}, kernel{"3", nil}, kernel{"4", nil}, false, machine},
		"somebody was, before":         {kernel{"3", nil}, kernel{"4", nil}, kernel{"4", nil}, false, nobody},
		"the limit, by our own watch":  {kernel{"3", nil}, kernel{"3", nil}, kernel{"4", nil}, true, own},
		"the limit, and nothing more":  {kernel{"3", nil}, kernel{"3", nil}, kernel{"3", nil}, true, nobody},
		"a kernel that does not count": {kernel{"", nil}, kernel{"", nil}, kernel{"", nil}, false, nobody},
		"a group, untouched": {kernel{"3", in(0, 0)}, kernel{"3", in(0, 0)}, kernel{"4", in(0, 0)},
			false, nobody},
		"its own limit": {kernel{"3", in(0, 0)}, kernel{"3", in(0, 0)}, kernel{"4", in(1, 1)}, false,
			own},
		"a limit above its own": {kernel{"3", in(0, 0)}, kernel{"3", in(0, 0)}, kernel{"4", in(0, 1)},
			false, machine},
		"its own limit, before": {kernel{"3", in(0, 0)}, kernel{"4", in(1, 1)}, kernel{"4", in(1, 1)},
			false, nobody},
		"one before, and the machine": {kernel{"3", in(0, 0)}, kernel{"4", in(1, 1)}, kernel{"5", in(1, 2)},
			true, machine},
		"a group that can't be read": {kernel{"3", in(0, 0)}, kernel{"3", in(0, 0)}, kernel{"4", in(-1, 0)},
			false, nobody},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "vmstat")
			var group map[string]int64
			set := func(k kernel) {
				t.Helper()
				if err := os.WriteFile(file, []byte("nr_free_pages 1\noom_kill "+k.vmstat+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if group = k.group; group["oom"] < 0 {
					group = nil
				}
			}
			set(c.first)
			ours, theirs := net.Pipe()
			cl := New(ours)
			cl.memory = memory{kernel: file, group: func() map[string]int64 { return group }}
			cl.memory.noteAlive(false)
			id, _, err := cl.begin()
			if err != nil {
				t.Fatal(err)
			}
			set(c.heard)
			if err := cl.take(ours, wire.Reply{ID: id, Full: c.full}); err != nil {
				t.Fatal(err)
			}
			set(c.last)
			theirs.Close()
			cl.End(cl.Serve())
			_, _, err = cl.begin()
			if !errors.Is(err, sandbox.ErrUnavailable) || errors.Is(err, sandbox.ErrShort) != (c.want == machine) ||
				!strings.Contains(err.Error(), c.want) || c.want == nobody && !strings.HasSuffix(err.Error(), nobody) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestSilent: however the connection to a guest ends that the kernel has ended, a lack of memory is the reason.
func TestSilent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vmstat")
	if err := os.WriteFile(file, []byte("oom_kill 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		ours, _ := net.Pipe()
		cl := New(ours)
		cl.memory = memory{kernel: file, last: counts{by: byMachine, killed: 3}}
		cl.End(&net.OpError{Op: "read", Net: "unix", Err: ended})
		if _, _, err := cl.begin(); !errors.Is(err, sandbox.ErrShort) {
			t.Errorf("%v: %v", ended, err)
		}
		ours, _ = net.Pipe()
		cl = New(ours)
		cl.End(&sandbox.HostError{Host: "a", Err: ended})
		_, _, err := cl.begin()
		if _, ok := errors.AsType[*sandbox.HostError](err); !ok {
			t.Errorf("%v of a host's connection is %v", ended, err)
		}
	}
}
