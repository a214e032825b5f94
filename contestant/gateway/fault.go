package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"cookoff/contestant/gateway/blame"
	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/meter"
	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
	"cookoff/trial"
)

// endpointOf is a provider as its words are read.
func endpointOf(u wire.Upstream) *endpoint.Endpoint {
	return &endpoint.Endpoint{Name: "the provider", BaseURL: u.BaseURL, Model: u.Model, Key: u.Key, KeyEnv: u.KeyEnv}
}

// blame is what the call's failure is judged by.
func (x *exchange) blame() blame.Call {
	t := x.g.Tally()
	return blame.Call{Provider: x.g.provider, Body: x.call.Body, Answered: t.Calls+t.Helpers > 0}
}

// failedReply notes an error within a reply.
func (x *exchange) failedReply() error {
	x.rec.Outcome, x.rec.Why = trial.RequestProvider, x.meter.Failed
	if x.blame().Reply(x.meter.Failure).Own {
		x.rec.Outcome = trial.RequestRejected
		return nil
	}
	return &model.RetryError{Partial: true, Err: errors.New(x.meter.Failed)}
}

// passError hands on what the provider says went wrong. Without a limit of the reply
// that was put in it may go better: then again is true, and nothing is handed on.
func (x *exchange) passError(resp *http.Response) (again bool, err error) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what could be read explains enough
	x.rec.Received = int64(len(body))
	status, why := resp.StatusCode, meter.ErrorText(body)
	if x.call.Without != nil && status < 500 && limitTold.Match(body) {
		x.g.mu.Lock()
		x.g.unlimited = true
		x.g.mu.Unlock()
		x.call.Body, x.call.Without = x.call.Without, nil
		return true, nil
	}
	if status < 400 {
		status, why = http.StatusBadGateway, fmt.Sprintf("status %d: it redirects, which is not followed", status)
		body = nil
	}
	x.rec.Status, x.rec.Why = status, fmt.Sprintf("status %d: %s", resp.StatusCode, why)
	f := x.blame().Answer(resp.StatusCode, resp.Header, body)
	x.rec.Outcome = trial.RequestProvider
	if f.Own {
		x.rec.Outcome = trial.RequestRejected
	}
	switch {
	case body == nil:
		x.answer(badGateway("the provider redirects, which is not followed"))
	case x.asked != nil:
		bad := byStatus(status, f)
		bad.text = document.Short(why)
		passBack(x.w.Header(), resp.Header, x.g.redact)
		x.answer(bad)
	default:
		if f.Own || f.Final != nil {
			x.w.Header().Set("X-Should-Retry", "false")
		}
		x.reply(resp, status, x.g.redact.bytes(body))
	}
	if f.Final != nil {
		x.g.lost(f.Final)
	}
	if x.rec.Outcome == trial.RequestRejected {
		return false, nil
	}
	return false, retryOf(resp, x.rec.Why)
}

var limitTold = pattern.New(`(?i)max_?(completion|output)?_?tokens`)

// maxError is how much of an error is handed on, in bytes.
const maxError = 1 << 20

// retryOf says of an answer when a call may be made again.
func retryOf(resp *http.Response, why string) error {
	status := resp.StatusCode
	return &model.RetryError{After: endpoint.RetryAfter(resp.Header, time.Now()),
		Busy: status == http.StatusTooManyRequests || status == 529,
		Down: status == http.StatusServiceUnavailable, Err: errors.New(cmp.Or(why, "it failed"))}
}
