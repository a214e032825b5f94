package agent

import (
	"fmt"
	"strings"
)

// How much of the protocol is kept with a trial, in bytes: its beginning and its end.
const (
	maxProtocol     = 48 << 10
	maxProtocolLine = 2 << 10
)

// protocol keeps what was said by the agent's protocol, as it was said.
type protocol struct {
	head, tail []string
	headed     int // bytes of head
	tailed     int
	left       int // lines that are left out
}

// logLine takes a line of the agent ("<") or to it (">").
func (w *protocol) logLine(fromAgent bool, line []byte) {
	way := ">"
	if fromAgent {
		way = "<"
	}
	text, cut := line, ""
	if n := len(text) - maxProtocolLine; n > 0 {
		text, cut = text[:maxProtocolLine], fmt.Sprintf("… (%d bytes more)", n)
	}
	said := way + " " + strings.ToValidUTF8(string(text), "\uFFFD") + cut
	if w.headed+len(said) <= maxProtocol/2 && len(w.tail) == 0 {
		w.head, w.headed = append(w.head, said), w.headed+len(said)
		return
	}
	w.tail, w.tailed = append(w.tail, said), w.tailed+len(said)
	for w.tailed > maxProtocol/2 {
		w.tailed -= len(w.tail[0])
		w.tail, w.left = w.tail[1:], w.left+1
	}
}

// text is what was kept; "": nothing was said.
func (w *protocol) text() string {
	lines := w.head
	if w.left > 0 {
		lines = append(lines, fmt.Sprintf("… (%d messages are left out)", w.left))
	}
	return strings.Join(append(lines, w.tail...), "\n")
}
