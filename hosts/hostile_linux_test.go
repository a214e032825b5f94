package hosts_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	frames "cookoff/sandbox/wire"
)

// hostile is a hand that keeps the protocol of the link and says what it says on the
// streams, a line on each: one that begins with "+" after an answer that all is well,
// with "=" inside a frame.
func hostile(conn net.Conn, lines [][]byte) {
	var theirs protocol.Hello
	mine := protocol.Hello{Build: "b", Processors: 2}
	if link.ReadGreeting(conn, &theirs) != nil || link.WriteGreeting(conn, mine) != nil {
		return
	}
	l := link.New(conn, link.Options{Beat: time.Hour})
	for i := 0; ; i++ {
		st, err := l.Accept()
		if err != nil {
			return
		}
		var line []byte
		if i > 0 && len(lines) > 0 { // it lets itself be set up
			line = lines[(i-1)%len(lines)]
		}
		go func() {
			var c protocol.Call
			if frames.ReadFrame(st, &c) != nil {
				return
			}
			if len(line) == 0 || line[0] == '+' {
				_ = frames.WriteFrame(st, protocol.Answer{State: 7, N: 1 << 40, Have: len(line) == 2, PIDs: []int{-1, 1}})
			}
			if line = bytes.TrimPrefix(line, []byte("+")); len(line) > 0 && line[0] == '=' {
				line = append([]byte{0, 0, 0, byte(len(line) - 1)}, line[1:]...)
			}
			_, _ = st.Write(line) // nobody may listen
			_ = st.Close()
		}()
	}
}

// FuzzHand: whatever a hand says above frames, each call ends soon, with an answer or
// an error, and nothing of this machine is changed.
func FuzzHand(f *testing.F) {
	for _, seed := range []string{"", "+", "+\n+x\n+\n", "=" + `{"Want":[0,0]}`,
		"+=" + `{"Want":[0],"Done":true}` + "\n+",
		"+=" + `{"Want":[-1]}`, "+=" + `{"Err":"` + "\x1b[2J" + `"}`, "\xff\xff\xff\xff", "+\x00\x00\x00\x02{}",
		"=" + `{"State":-1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		lines := bytes.Split(b[:min(len(b), 200)], []byte("\n"))
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("of the project"), 0o600); err != nil {
			t.Fatal(err)
		}
		h := &hosts.Host{Name: "a", Hello: protocol.Hello{Build: "b"}, Trees: &hosts.Trees{},
			Patience: 100 * time.Millisecond, Link: link.Options{Beat: time.Hour}}
		h.Dial = func(context.Context) (hosts.Conn, error) {
			ours, theirs := pair(t)
			go hostile(theirs, lines)
			return wire{ours}, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_ = h.Check(ctx)
		if sb, err := h.Open(ctx, sandbox.Spec{Project: dir}); err == nil {
			_, _ = sb.Exec(ctx, sandbox.Cmd{Script: ":", Timeout: time.Millisecond})
			_, _ = sb.FS().Manifest(ctx, nil)
			if st, err := sb.Seal(ctx); err == nil {
				_ = st.Release()
			}
			_ = sb.Close()
		}
		if ctx.Err() != nil {
			t.Error("a call outlasted its patience")
		}
		h.Close()
		text, err := os.ReadFile(filepath.Join(dir, "a"))
		if left, _ := os.ReadDir(dir); err != nil || string(text) != "of the project" || len(left) != 1 {
			t.Errorf("the project holds %v, and its file %q", left, text)
		}
	})
}
