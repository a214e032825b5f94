package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/meter"
	"cookoff/contestant/gateway/request"
	"cookoff/contestant/gateway/translate"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/trial"
)

const (
	chunk    = 32 << 10 // bytes that are read at once
	maxLine  = 8 << 20  // bytes of one line of a stream
	maxReply = 64 << 20 // bytes of a reply
)

// passing hands on what a provider replies.
type passing struct{ *exchange }

// whole hands on a reply in one piece.
func (x passing) whole(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	x.rec.Received = int64(len(body))
	switch {
	case err != nil:
		x.failed(ctx, err)
		return &model.RetryError{Partial: true, Err: err}
	case len(body) > maxBody: // it has asked for that: a model does not write so much
		x.rec.Outcome, x.rec.Why = trial.RequestRejected, fmt.Sprintf("the reply is larger than %d MiB", maxBody>>20)
		x.rec.Usage, x.rec.Guessed = guess(x.call, &x.meter), true
		x.answer(badGateway(x.rec.Why))
		return nil
	case endpoint.IsPage(resp.Header, body):
		page := x.g.provider.Page(body[:min(len(body), endpoint.Kept)])
		x.rec.Outcome, x.rec.Why = trial.RequestProvider, page.Error()
		x.answer(badGateway(x.rec.Why))
		return page
	}
	x.meter.Bytes = len(body)
	var each []json.RawMessage
	if json.Unmarshal(body, &each) == nil { // as Gemini streams where nobody asks for events
		for _, part := range each {
			x.meter.Read(part)
		}
	} else {
		x.meter.Read(body)
	}
	x.rec.Outcome, x.rec.Status = trial.RequestOK, resp.StatusCode
	x.settleUsage()
	if x.meter.Failed != "" {
		err = x.failedReply()
	}
	x.done(err)
	x.home()
	x.asAsked(resp, body)
	return err
}

// asAsked hands on a reply in one piece, in the agent's dialect.
func (x passing) asAsked(resp *http.Response, body []byte) {
	var err error
	switch {
	case x.asked == nil:
	case x.meter.Failed != "":
		x.answer(badGateway(document.Short(x.meter.Failed)))
		return
	case x.call.Stream: // the provider streams nothing
		body, err = translate.Whole(x.asked.Stream(), body)
		resp.Header.Set("Content-Type", "text/event-stream")
	default:
		body, err = x.asked.Reply(body)
	}
	if err != nil {
		x.rec.Outcome, x.rec.Why, x.meter.Failed = trial.RequestProvider, err.Error(), err.Error()
		x.answer(badGateway(err.Error()))
		return
	}
	x.reply(resp, resp.StatusCode, x.g.redact.bytes(body))
}

// stream hands a stream on line by line, as it comes; its end once the agent has its
// place again.
func (x passing) stream(ctx context.Context, cancel context.CancelCauseFunc, resp *http.Response) error {
	idle := time.AfterFunc(x.g.opts.Upstream.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	passBack(x.w.Header(), resp.Header, x.g.redact)
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(resp.StatusCode)
	x.rec.Status = resp.StatusCode
	f := &feed{to: x.w, meter: &x.meter, redact: x.g.redact, strip: x.call.Strip, over: &x.over,
		onPiece: func() { notePiece(x.exchange) }}
	if x.asked != nil {
		f.back = x.asked.Stream()
	}
	end, err := f.copy(resp.Body, idle, x.g.opts.Upstream.Idle)
	x.rec.Received = f.received
	cause := context.Cause(ctx)
	late := errors.Is(cause, errTimeout) || errors.Is(cause, errIdle)
	switch {
	case ctx.Err() != nil && !late:
		err = errLeft
	case x.meter.Ended && !errors.Is(err, errLeft) && !errors.Is(err, errLarge):
		err = nil // what comes after its end says nothing
	case late:
		err = cause
	case err == nil && x.meter.Failed == "":
		err = errCut
	}
	x.settleUsage()
	if f.back != nil && err == nil {
		last := f.back.End
		if x.meter.Failed != "" {
			last = func() []byte { return f.back.Fail(document.Short(x.meter.Failed)) }
		}
		end = append(end, x.g.redact.bytes(last())...)
	}
	verdict := x.judge(err)
	fallSilent(x.exchange, verdict != nil && errors.Is(err, errIdle))
	x.done(verdict)
	if x.rec.Outcome == trial.RequestLeft {
		return nil
	}
	x.home()
	if err := f.pass(end); err != nil && x.rec.Outcome == trial.RequestOK {
		x.rec.Outcome, x.rec.Why = trial.RequestLeft, errLeft.Error() // it was paid for as it came
	}
	return verdict
}

// judge says what became of a streamed reply that err ended. Its error is the provider's.
func (x passing) judge(err error) error {
	switch {
	case errors.Is(err, errLeft):
		x.leave()
	case errors.Is(err, errLarge), errors.Is(err, errTimeout) && x.meter.Lines > 0: // what it asks for has no end
		x.rec.Outcome, x.rec.Why, x.cut = trial.RequestRejected, err.Error(), true
	case err != nil:
		x.rec.Outcome, x.rec.Why = trial.RequestProvider, err.Error()
		x.cut = true
		return &model.RetryError{Partial: true, Arrived: x.meter.Bytes, Err: err}
	case x.meter.Failed != "":
		return x.failedReply()
	default:
		x.rec.Outcome = trial.RequestOK
	}
	return nil
}

// settleUsage notes what the reply took: as the provider says, else about.
func (x *exchange) settleUsage() {
	x.rec.Served = x.meter.Served
	if x.rec.Usage = x.meter.Usage(); !x.rec.Usage.Known {
		x.rec.Usage, x.rec.Guessed = guess(x.call, &x.meter), true
	}
}

// guess estimates what a call took: what was sent, and what had come.
func guess(c *request.Call, m *meter.Meter) model.Usage {
	const tokenBytes = 4
	output := m.Bytes / tokenBytes
	if c.Stream { // each token has a frame around it
		output = m.Lines
	}
	return model.Usage{Input: max(len(c.Body)/tokenBytes, 1), Output: output, Known: true}
}
