package trial

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"cookoff/model"
)

// ErrNoJournal is wrapped by errors about what does not even begin as a journal.
var ErrNoJournal = errors.New("it is no journal of a run")

// Read calls each with every event of a journal or of a part of one, in order.
// torn reports a last line that was cut off while it was written; it is not an
// error. Kinds and fields of a later version are skipped; any other line that is
// no event is an error that names its number.
func Read(r io.Reader, each func(Event) error) (torn bool, err error) {
	return read(r, whole, nil, each)
}

// Outline is Read without what was said and done: only what numbers are made
// of, which is what began and what ended, and replies without their messages.
// It takes a fraction of the time. A line of another kind is looked at only to
// see that it is whole.
func Outline(r io.Reader, each func(Event) error) (torn bool, err error) {
	return read(r, outlined, nil, each)
}

// ReadFile reads the journal at path, or the one in the bundle at path. See
// Read. An event that is there twice, out of its place or of another run is an
// error, too, and so is one behind events that are missing.
func ReadFile(path string, each func(Event) error) (torn bool, err error) {
	return readFile(path, func(r io.Reader) (bool, error) { return read(r, whole, &order{}, each) })
}

// OutlineFile is Outline of the journal at path, or of the one in the bundle at
// path, with the errors of ReadFile.
func OutlineFile(path string, each func(Event) error) (torn bool, err error) {
	return readFile(path, func(r io.Reader) (bool, error) { return read(r, outlined, &order{}, each) })
}

func readFile(path string, read func(io.Reader) (bool, error)) (torn bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	in, err := unbundled(f)
	if err == nil {
		torn, err = read(in)
	}
	if err != nil {
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	return torn, err
}

// decoder makes an event of a line; ok is false for one that is left out, of which
// number, kind, trial and attempt are set.
type decoder func(line []byte, e *Event) (ok bool, err error)

// errKindless is an object that is no event.
var errKindless = errors.New("it has no kind")

// read reads lines; in sees that they stand where they belong, nil: nobody does.
func read(r io.Reader, decode decoder, in *order, each func(Event) error) (torn bool, err error) {
	lines := newLineReader(r)
	for n := 1; ; n++ {
		line, readErr := lines.next()
		if readErr != nil && readErr != io.EOF {
			return false, fmt.Errorf("line %d: %w", n, readErr)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var e Event
			ok, err := decode(line, &e)
			if err == nil && e.Kind == "" {
				err = errKindless
			}
			if err != nil {
				if readErr == io.EOF {
					return true, nil
				}
				if n == 1 {
					return false, fmt.Errorf("%w: line 1 is no event: %v", ErrNoJournal, err)
				}
				return false, corrupt(n, "is no event", err)
			}
			if err := known(e); err != nil {
				return false, err
			}
			if in != nil {
				if err := in.add(&e); err != nil {
					return false, corrupt(n, "is not what belongs there", err)
				}
			}
			if ok {
				if err := each(e); err != nil {
					return false, err
				}
			}
		}
		if readErr == io.EOF {
			return false, nil
		}
	}
}

func corrupt(line int, what string, err error) error {
	return fmt.Errorf("line %d %s: %v\n"+
		"  hint: with --ignore-corrupt cookoff report and cookoff resume lose the trial it belongs to, "+
		"and nothing else", line, what, err)
}

// maxLine bounds a line of a journal: the longest reply that is taken, and room for
// what JSON makes of it.
const maxLine = 128 << 20

// lineReader gives lines, each until the next is asked for.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line that is longer than r's buffer
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 256<<10)}
}

func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	l.long = l.long[:0]
	for err == bufio.ErrBufferFull {
		if len(l.long) > maxLine {
			return nil, fmt.Errorf("it is longer than %d MiB, which no cookoff writes", maxLine>>20)
		}
		l.long = append(l.long, line...)
		line, err = l.r.ReadSlice('\n')
	}
	l.long = append(l.long, line...)
	return l.long, err
}

func whole(line []byte, e *Event) (bool, error) { return true, json.Unmarshal(line, e) }

func outlined(line []byte, e *Event) (bool, error) {
	switch kind := kindOf(line); kind {
	case ModelCalled:
		return true, outlineCalled(line, e)
	case Note:
		if bytes.Contains(line, []byte(`"failure":{`)) {
			return true, json.Unmarshal(line, e)
		}
		return false, cmp.Or(closed(line), headOf(line, e))
	case ToolCalled, HookDecided, ToolReturned, Judged:
		return false, cmp.Or(closed(line), headOf(line, e))
	case ModelReplied:
		return true, outlineReply(line, e)
	}
	return true, json.Unmarshal(line, e) // also of lines that another program wrote
}

// outlineCalled decodes a request without what it says.
func outlineCalled(line []byte, e *Event) error {
	var o struct {
		Seq     int       `json:"seq"`
		Kind    Kind      `json:"kind"`
		At      time.Time `json:"at"`
		Trial   string    `json:"trial"`
		Attempt int       `json:"attempt"`
		Step    int       `json:"step"`
		Agent   string    `json:"agent"`
		Called  *struct {
			Try     int      `json:"try"`
			MostUSD *float64 `json:"most_usd"`
			Request int      `json:"request"`
		} `json:"called"`
	}
	if err := json.Unmarshal(line, &o); err != nil {
		return err
	}
	*e = Event{Seq: o.Seq, Kind: o.Kind, At: o.At, Trial: o.Trial, Attempt: o.Attempt, Step: o.Step, Agent: o.Agent}
	if c := o.Called; c != nil {
		e.Called = &Called{Try: c.Try, MostUSD: c.MostUSD, Request: c.Request}
	}
	return nil
}

// outlineReply decodes a reply without its message.
func outlineReply(line []byte, e *Event) error {
	var o struct {
		Seq     int       `json:"seq"`
		Kind    Kind      `json:"kind"`
		At      time.Time `json:"at"`
		Trial   string    `json:"trial"`
		Attempt int       `json:"attempt"`
		Step    int       `json:"step"`
		Agent   string    `json:"agent"`
		Replied *struct {
			Reply struct {
				Usage  model.Usage `json:"usage"`
				Served string      `json:"served"`
			} `json:"reply"`
			CostUSD *float64 `json:"cost_usd"`
			Seconds float64  `json:"seconds"`
		} `json:"replied"`
	}
	if err := json.Unmarshal(line, &o); err != nil {
		return err
	}
	*e = Event{Seq: o.Seq, Kind: o.Kind, At: o.At, Trial: o.Trial, Attempt: o.Attempt, Step: o.Step, Agent: o.Agent}
	if r := o.Replied; r != nil {
		e.Replied = &Replied{Reply: model.Reply{Usage: r.Reply.Usage, Served: r.Reply.Served}, CostUSD: r.CostUSD,
			Seconds: r.Seconds}
	}
	return nil
}

// kindOf gives the kind of a line that begins as a Journal writes it, with the
// number and the kind; "" for any other.
func kindOf(line []byte) Kind {
	rest, ok := after(line, "{", `"seq"`, ":")
	if !ok {
		return ""
	}
	rest, ok = after(bytes.TrimLeft(rest, " 0123456789"), ",", `"kind"`, ":", `"`)
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return Kind(name)
}

// headOf sets number, kind, trial and attempt of a line.
func headOf(line []byte, e *Event) error {
	if shortHead(line, e) {
		return nil
	}
	var o struct {
		Seq     int    `json:"seq"`
		Kind    Kind   `json:"kind"`
		Trial   string `json:"trial"`
		Attempt int    `json:"attempt"`
	}
	err := json.Unmarshal(line, &o)
	e.Seq, e.Kind, e.Trial, e.Attempt = o.Seq, o.Kind, o.Trial, o.Attempt
	return err
}

// shortHead is headOf of a line that begins as a Journal writes it; false: it does
// not.
func shortHead(line []byte, e *Event) (ok bool) {
	var word []byte
	if line, e.Seq, ok = numberAfter(line, "{", `"seq"`, ":"); !ok {
		return false
	}
	if line, word, ok = wordAfter(line, ",", `"kind"`, ":"); !ok {
		return false
	}
	e.Kind = Kind(word)
	if line, _, ok = wordAfter(line, ",", `"at"`, ":"); !ok {
		return false
	}
	if line, word, ok = wordAfter(line, ",", `"trial"`, ":"); !ok {
		return false
	}
	e.Trial = string(word)
	_, e.Attempt, ok = numberAfter(line, ",", `"attempt"`, ":")
	return ok
}

// numberAfter gives the number that follows tokens, of at most nine digits.
func numberAfter(line []byte, tokens ...string) (rest []byte, n int, ok bool) {
	if line, ok = after(line, tokens...); !ok {
		return nil, 0, false
	}
	line = bytes.TrimLeft(line, " ")
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		n = 10*n + int(line[digits]-'0')
		if digits++; digits > 9 {
			return nil, 0, false
		}
	}
	return line[digits:], n, digits > 0 && digits < len(line) && (line[digits] == ',' || line[digits] == ' ')
}

// wordAfter gives the string that follows tokens, one without escapes.
func wordAfter(line []byte, tokens ...string) (rest, word []byte, ok bool) {
	if line, ok = after(line, tokens...); !ok {
		return nil, nil, false
	}
	if line, ok = after(line, `"`); !ok {
		return nil, nil, false
	}
	end := bytes.IndexAny(line, `"\`)
	if end < 0 || line[end] != '"' {
		return nil, nil, false
	}
	return line[end+1:], line[:end], true
}

// after gives what follows tokens with spaces before them.
func after(line []byte, tokens ...string) (rest []byte, ok bool) {
	for _, t := range tokens {
		if line, ok = bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte(t)); !ok {
			return nil, false
		}
	}
	return line, true
}

// closed refuses a line whose object does not end with it: one that was cut off,
// or that another was written behind.
func closed(line []byte) error {
	line = bytes.TrimRight(line, " \t\r\n")
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			n := stringEnd(line[i+1:])
			if n < 0 {
				return io.ErrUnexpectedEOF
			}
			i += n + 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 || depth == 0 && i < len(line)-1 {
				return fmt.Errorf("character %d ends what did not begin", i+1)
			}
		}
	}
	if depth > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// stringEnd gives the place of the quote that ends a string, -1 for none.
func stringEnd(s []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(s[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		escapes := 0
		for i := at - 1; i >= 0 && s[i] == '\\'; i-- {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
		at++
	}
}
