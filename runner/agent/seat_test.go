package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cookoff/runner/clock"
	"cookoff/runner/cores"
)

// TestSeatIsLeft: while the model of one agent is asked another trial may work, and the
// agent goes on once there is a place again; a trial that has ended waits for none.
func TestSeatIsLeft(t *testing.T) {
	both := cores.New(1)
	mine, theirs := both.Place(), both.Place()
	if err := mine.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &seat{place: mine, clock: clock.Real{}}
	back := s.away()
	if err := theirs.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	back(gone)
	done := make(chan bool)
	go func() { back(t.Context()); close(done) }()
	theirs.Leave()
	<-done
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := theirs.Take(ctx); err == nil {
		t.Error("the place was taken twice")
	}
	s.away()
	if err := theirs.Take(t.Context()); err != nil || s.lost() < 0 {
		t.Errorf("%v, %v lost", err, s.lost())
	}
	none := seat{}
	none.away()(t.Context())
}

// TestProtocolIsBounded: of what was said the beginning and the end are kept.
func TestProtocolIsBounded(t *testing.T) {
	var p protocol
	p.logLine(false, []byte(`{"method":"initialize"}`))
	for i := range 1000 {
		p.logLine(true, []byte(fmt.Sprint(i, strings.Repeat("x", 3<<10), "\xff")))
	}
	p.logLine(true, []byte("end"))
	got := p.text()
	if len(got) > maxProtocol+1000 || !strings.HasPrefix(got, "> {\"method\":\"initialize\"}\n< 0x") ||
		!strings.HasSuffix(got, "\n< end") || !strings.Contains(got, "messages are left out)") {
		t.Errorf("%d bytes: %.80s … %s", len(got), got, got[max(0, len(got)-40):])
	}
}

// TestPrintsWithoutEnd: of a command that prints without end the last is kept, and it is not
// listened to for ever.
func TestPrintsWithoutEnd(t *testing.T) {
	out, n := &tail{most: 10 * maxPrinted}, 0
	for ; n < 1000; n++ {
		if _, err := fmt.Fprintf(out, "%0*d", maxPrinted, n); err != nil {
			break
		}
	}
	if n != 10 || len(out.text()) != maxPrinted || !strings.HasSuffix(out.text(), "09") {
		t.Errorf("ended after %d, with %d bytes: …%s", n, len(out.text()), out.text()[maxPrinted-9:])
	}
}
