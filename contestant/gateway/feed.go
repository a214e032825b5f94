package gateway

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"cookoff/contestant/gateway/conn"
	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/meter"
	"cookoff/contestant/gateway/translate"
)

// feed hands the lines of a stream on to the agent, metered.
type feed struct {
	to       *conn.Writer
	meter    *meter.Meter
	redact   *redactor
	back     translate.Stream // of a reply that is translated; nil: it is not
	strip    bool             // the usage, which the agent did not ask for
	over     *atomic.Bool     // is set once nothing more of the reply is written
	parting  bool             // what follows its end is waited for
	received int64            // bytes
	onPiece  func()           // is told of each piece
}

// farewell is how long is waited for what follows the end of a reply, as its usage.
const farewell = 3 * time.Second

// buffers are what streams are read into: a new one for each reply would be most of what
// the gateway takes of the memory.
var buffers = sync.Pool{New: func() any { return new([chunk]byte) }}

// copy hands whole lines on, but for those with the reply's end, and what follows: those
// it gives. Its error is errLeft where the agent is gone, else what broke on the
// provider's side.
func (f *feed) copy(from io.Reader, idle *time.Timer, patience time.Duration) (last []byte, err error) {
	first := buffers.Get().(*[chunk]byte)
	defer buffers.Put(first) // all that is handed on is written by then, or copied
	buf, out := first[:0], []byte(nil)
	if f.back != nil {
		out = make([]byte, 0, chunk)
	}
	for {
		if len(buf) == cap(buf) {
			if cap(buf) >= maxLine {
				return last, fmt.Errorf("%w: a line is longer than %d MiB", errLarge, maxLine>>20)
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		if !f.meter.Ended {
			idle.Reset(patience)
		}
		f.received += int64(n)
		end := bytes.LastIndexByte(buf[len(buf):len(buf)+n], '\n')
		if end >= 0 {
			end += len(buf) + 1
		}
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			end = len(buf)
		}
		if end > 0 {
			lines := f.lines(out[:0], buf[:end])
			switch {
			case f.meter.Ended || f.meter.Final:
				f.ending(idle, patience)
				last = append(last, lines...)
			case f.pass(lines) != nil:
				return nil, errLeft
			}
			buf = buf[:copy(buf, buf[end:])]
		}
		if n > 0 {
			f.onPiece()
		}
		switch {
		case err == io.EOF:
			return last, nil
		case err != nil:
			return last, err
		case f.received > maxReply:
			return last, fmt.Errorf("%w: more than %d MiB", errLarge, maxReply>>20)
		}
	}
}

// ending notes that nothing more of the reply is written, and bounds once what follows it.
func (f *feed) ending(idle *time.Timer, patience time.Duration) {
	f.over.Store(true)
	if f.meter.Ended && !f.parting {
		f.parting = true
		idle.Reset(min(patience, farewell))
	}
}

func (f *feed) pass(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if _, err := f.to.Write(out); err != nil {
		return err
	}
	return f.to.Flush()
}

// lines meters whole lines, and gives what of them goes on.
func (f *feed) lines(out, text []byte) []byte {
	if f.back == nil && !f.meter.Telling(text) {
		f.meter.Count(text)
		return f.redact.bytes(text)
	}
	stripped := false
	for line := range bytes.Lines(text) {
		f.meter.Line(line)
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && f.back != nil {
			out = append(out, f.redact.bytes(f.back.Chunk(bytes.TrimSpace(data)))...)
		}
		stripped = stripped || f.strip && onlyUsage(line)
	}
	switch {
	case f.back != nil:
		return out
	case stripped:
		text = without(text)
	}
	return f.redact.bytes(text)
}

// without leaves out the chunks of a chat that carry the usage alone, each with
// the blank line behind it.
func without(text []byte) (out []byte) {
	skipped := false
	for line := range bytes.Lines(text) {
		blank := len(bytes.TrimSpace(line)) == 0
		if onlyUsage(line) {
			skipped = true
			continue
		}
		if !(skipped && blank) {
			out = append(out, line...)
		}
		skipped = false
	}
	return out
}

// onlyUsage reports whether a line is the chunk that a stream of a chat ends
// with when it is asked for its usage.
func onlyUsage(line []byte) bool {
	if !bytes.Contains(line, []byte(`"usage"`)) {
		return false
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return false
	}
	var c struct {
		Choices []any `json:"choices"`
		Usage   any   `json:"usage"`
	}
	document.DecodeInto(bytes.TrimSpace(data), &c)
	return c.Choices != nil && len(c.Choices) == 0 && c.Usage != nil
}
