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
			_ = p.finish(r, wire.OpExec, func(r wire.Reply) error { return json.Unmarshal(r.Body, new(sandbox.Result)) })
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
		{{Path: "a", Mode: 0o644, Data: []byte("x")}, {Path: "b", Gone: true}}, {{Path: "b"}}, {{Path: "a"}, {Path: "b"},
			{Path: "c"}}, {},
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
	if _, err := ask[sandbox.Result](t.Context(), c, wire.OpExec, sandbox.Cmd{}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Error(err)
	}
}

// TestStarvedGuest: a guest that goes while the kernel ends processes for want of
// memory is the machine's doing, another is not.
func TestStarvedGuest(t *testing.T) {
	counts := filepath.Join(t.TempDir(), "vmstat")
	count := func(text string) {
		t.Helper()
		if err := os.WriteFile(counts, []byte("nr_free_pages 1\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, now := range []struct {
		text string
		want bool
	}{{"oom_kill 3\n", false}, {"oom_kill 4\n", true}, {"", false}} {
		count("oom_kill 3\n")
		ours, theirs := net.Pipe()
		c := New(ours)
		c.starved = starved(counts)
		count(now.text)
		theirs.Close()
		c.End(c.Serve())
		_, _, err := c.begin()
		if !errors.Is(err, sandbox.ErrUnavailable) || errors.Is(err, sandbox.ErrShort) != now.want {
			t.Errorf("%q: %v", now.text, err)
		}
	}
	if count("nothing else\n"); starved(counts) != nil {
		t.Error("a kernel that does not count was believed")
	}
}
