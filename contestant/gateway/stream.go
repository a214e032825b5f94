package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"cookoff/contestant/gateway/translate"
	"cookoff/model"
	"cookoff/trial"
)

const (
	chunk    = 32 << 10 // bytes that are read at once
	maxLine  = 8 << 20  // bytes of one line of a stream
	maxReply = 64 << 20 // bytes of a reply
)

// passWhole hands on a reply in one piece.
func (x *exchange) passWhole(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	x.rec.Received = int64(len(body))
	switch {
	case err != nil:
		x.failed(ctx, err)
		return &model.RetryError{Begun: true, Err: err}
	case len(body) > maxBody: // it has asked for that: a model does not write so much
		x.rec.Outcome, x.rec.Why = trial.RequestRejected, fmt.Sprintf("the reply is larger than %d MiB", maxBody>>20)
		x.guess()
		x.answer(badGateway(x.rec.Why))
		return nil
	}
	x.meter.bytes = len(body)
	var each []json.RawMessage
	if json.Unmarshal(body, &each) == nil { // as Gemini streams where nobody asks for events
		for _, part := range each {
			x.meter.read(part)
		}
	} else {
		x.meter.read(body)
	}
	x.rec.Outcome, x.rec.Status = trial.RequestOK, resp.StatusCode
	x.settleUsage()
	if x.meter.failed != "" {
		err = x.failedReply()
	}
	x.done(err)
	x.home()
	x.whole(resp, body)
	return err
}

// whole hands on a reply in one piece, in the agent's dialect.
func (x *exchange) whole(resp *http.Response, body []byte) {
	var err error
	switch {
	case x.asked == nil:
	case x.meter.failed != "":
		x.answer(badGateway(short(x.meter.failed)))
		return
	case x.call.stream: // the provider streams nothing
		body, err = translate.Whole(x.asked.Stream(), body)
		resp.Header.Set("Content-Type", "text/event-stream")
	default:
		body, err = x.asked.Reply(body)
	}
	if err != nil {
		x.rec.Outcome, x.rec.Why, x.meter.failed = trial.RequestProvider, err.Error(), err.Error()
		x.answer(badGateway(err.Error()))
		return
	}
	x.reply(resp, resp.StatusCode, x.g.redact.bytes(body))
}

// passStream hands a stream on line by line, as it comes; its end once the agent has its
// place again.
func (x *exchange) passStream(ctx context.Context, cancel context.CancelCauseFunc, resp *http.Response) error {
	idle := time.AfterFunc(x.g.opts.Upstream.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	x.headers(resp.Header)
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(resp.StatusCode)
	x.rec.Status = resp.StatusCode
	if x.asked != nil {
		x.back = x.asked.Stream()
	}
	end, err := x.copy(resp.Body, idle)
	cause := context.Cause(ctx)
	late := errors.Is(cause, errTimeout) || errors.Is(cause, errIdle)
	switch {
	case ctx.Err() != nil && !late:
		err = errLeft
	case x.meter.ended && !errors.Is(err, errLeft) && !errors.Is(err, errLarge):
		err = nil // what comes after its end says nothing
	case late:
		err = cause
	case err == nil && x.meter.failed == "":
		err = errCut
	}
	x.settleUsage()
	if x.back != nil && err == nil {
		last := x.back.End
		if x.meter.failed != "" {
			last = func() []byte { return x.back.Fail(short(x.meter.failed)) }
		}
		end = append(end, x.g.redact.bytes(last())...)
	}
	verdict := x.judge(err)
	x.done(verdict)
	if x.rec.Outcome == trial.RequestLeft {
		return nil
	}
	x.home()
	if err := x.pass(end); err != nil && x.rec.Outcome == trial.RequestOK {
		x.rec.Outcome, x.rec.Why = trial.RequestLeft, errLeft.Error() // it was paid for as it came
	}
	return verdict
}

// judge says what became of a streamed reply that err ended. Its error is the provider's.
func (x *exchange) judge(err error) error {
	switch {
	case errors.Is(err, errLeft):
		x.leave()
	case errors.Is(err, errLarge), errors.Is(err, errTimeout) && x.meter.lines > 0: // what it asks for has no end
		x.rec.Outcome, x.rec.Why, x.cut = trial.RequestRejected, err.Error(), true
	case err != nil:
		x.rec.Outcome, x.rec.Why = trial.RequestProvider, err.Error()
		x.cut = true
		return &model.RetryError{Begun: true, Arrived: x.meter.bytes, Err: err}
	case x.meter.failed != "":
		return x.failedReply()
	default:
		x.rec.Outcome = trial.RequestOK
	}
	return nil
}

// farewell is how long is waited for what follows the end of a reply, as its usage.
const farewell = 3 * time.Second

// copy hands whole lines on, but for those with the reply's end, and what follows: those
// it gives. Its error is errLeft where the agent is gone, else what broke on the
// provider's side.
func (x *exchange) copy(from io.Reader, idle *time.Timer) (last []byte, err error) {
	patience := x.g.opts.Upstream.Idle
	buf := make([]byte, 0, chunk)
	out := make([]byte, 0, chunk)
	for {
		if len(buf) == cap(buf) {
			if cap(buf) >= maxLine {
				return last, fmt.Errorf("%w: a line is longer than %d MiB", errLarge, maxLine>>20)
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		if !x.meter.ended {
			idle.Reset(patience)
		}
		x.rec.Received += int64(n)
		end := bytes.LastIndexByte(buf[len(buf):len(buf)+n], '\n')
		if end >= 0 {
			end += len(buf) + 1
		}
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			end = len(buf)
		}
		if end > 0 {
			lines := x.lines(out[:0], buf[:end])
			switch {
			case x.meter.ended:
				if last == nil {
					idle.Reset(min(patience, farewell))
					last = make([]byte, 0, len(lines))
				}
				last = append(last, lines...)
			case x.pass(lines) != nil:
				return nil, errLeft
			}
			buf = buf[:copy(buf, buf[end:])]
		}
		switch {
		case err == io.EOF:
			return last, nil
		case err != nil:
			return last, err
		case x.rec.Received > maxReply:
			return last, fmt.Errorf("%w: more than %d MiB", errLarge, maxReply>>20)
		}
	}
}

func (x *exchange) pass(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if _, err := x.w.Write(out); err != nil {
		return err
	}
	return x.w.flush()
}

// lines meters whole lines, and gives what of them goes on.
func (x *exchange) lines(out, text []byte) []byte {
	if x.back == nil && !x.meter.telling(text) {
		x.meter.count(text)
		return x.g.redact.bytes(text)
	}
	stripped := false
	for line := range bytes.Lines(text) {
		x.meter.line(line)
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && x.back != nil {
			out = append(out, x.g.redact.bytes(x.back.Chunk(bytes.TrimSpace(data)))...)
		}
		stripped = stripped || x.call.strip && onlyUsage(line)
	}
	switch {
	case x.back != nil:
		return out
	case stripped:
		text = without(text)
	}
	return x.g.redact.bytes(text)
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
	decodeInto(bytes.TrimSpace(data), &c)
	return c.Choices != nil && len(c.Choices) == 0 && c.Usage != nil
}

// settleUsage notes what the reply took: as the provider says, else about.
func (x *exchange) settleUsage() {
	x.rec.Served = x.meter.served
	if x.rec.Usage = x.meter.usage(); !x.rec.Usage.Known {
		x.guess()
	}
}

// guess estimates what a call took: what was sent, and what had come.
func (x *exchange) guess() {
	const tokenBytes = 4
	output := x.meter.bytes / tokenBytes
	if x.call.stream { // each token has a frame around it
		output = x.meter.lines
	}
	x.rec.Usage = model.Usage{Input: max(len(x.call.body)/tokenBytes, 1), Output: output, Known: true}
	x.rec.Guessed = true
}
