package hosts_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	frames "cookoff/sandbox/wire"
)

// flooder is a hand whose worlds answer each request with as many bytes as are said, in
// parts, and with an end to it or none.
func flooder(conn net.Conn, bytes int, ends bool) {
	var theirs protocol.Hello
	mine := protocol.Hello{Build: "b", Processors: 2}
	if link.ReadGreeting(conn, &theirs) != nil || link.WriteGreeting(conn, mine) != nil {
		return
	}
	l := link.New(conn, link.Options{Beat: time.Hour})
	for {
		st, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			var c protocol.Call
			if frames.ReadFrame(st, &c) != nil || frames.WriteFrame(st, protocol.Answer{}) != nil {
				return
			}
			for c.Op == protocol.OpOpen {
				var q frames.Request
				if frames.ReadFrame(st, &q) != nil {
					return
				}
				part := frames.Reply{ID: q.ID, More: true, Body: []byte("{}"),
					Bytes: frames.Bytes{Data: make([]byte, 10<<10)}}
				for sent := 0; sent < bytes; sent += 10 << 10 {
					_ = frames.WriteFrame(st, part) // nobody may listen
				}
				if ends {
					_ = frames.WriteFrame(st, frames.Reply{ID: q.ID, Body: []byte("{}")})
				}
			}
		}()
	}
}

// TestFlood: answers that have not ended are kept up to a bound, for all worlds of a host
// together; who sends more is lost with all of them. What has ended counts no more.
func TestFlood(t *testing.T) {
	const worlds, each = 8, 80 << 10
	for _, test := range []struct {
		name string
		hold int64
		ends bool
		lost bool
	}{
		{"one answer after another", each * 2, true, false},
		{"all at once", each * 4, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &hosts.Host{Name: "a", Hello: protocol.Hello{Build: "b"}, Trees: &hosts.Trees{}, Hold: test.hold,
				Link: link.Options{Beat: time.Hour}}
			h.Dial = func(context.Context) (hosts.Conn, error) {
				ours, theirs := pair(t)
				go flooder(theirs, each, test.ends)
				return wire{ours}, nil
			}
			defer h.Close()
			var open [worlds]sandbox.Sandbox
			for i := range open {
				w, err := h.Open(t.Context(), sandbox.Spec{})
				if err != nil {
					t.Fatal(err)
				}
				open[i] = w
			}
			var errs [worlds]error
			var all sync.WaitGroup
			for i, w := range open {
				all.Go(func() { _, errs[i] = w.Exec(t.Context(), sandbox.Cmd{Script: ":"}) })
				if test.ends {
					all.Wait()
				}
			}
			all.Wait()
			var lost *sandbox.HostError
			for _, err := range errs {
				if !test.lost && err != nil || errors.As(err, &lost) != test.lost ||
					test.lost && !strings.Contains(err.Error(), "answers that never end") {
					t.Errorf("it ends with %v", err)
				}
			}
		})
	}
}
