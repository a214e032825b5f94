package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
	"cookoff/trial"
)

// fault is whose doing it is that a call failed.
type fault struct {
	own   bool  // the request's: another one could go well
	final error // the provider's, and no call would go better; nil: one may
}

// endpointOf is a provider as its words are read.
func endpointOf(u wire.Upstream) *endpoint.Endpoint {
	return &endpoint.Endpoint{Name: "the provider", BaseURL: u.BaseURL, Model: u.Model, Key: u.Key, KeyEnv: u.KeyEnv}
}

// blame says whose doing an answer is that is no reply. Words that excuse the agent
// count only where it has not put them there itself.
func (x *exchange) blame(status int, header http.Header, body []byte) fault {
	err := x.g.provider.ByStatus(status, header, body)
	var (
		tooLong     *model.ContextError
		declined    *model.RefusedError
		badCall     *endpoint.BadCallError
		unsupported *model.UnsupportedError
		auth        *model.AuthError
		unknown     *model.NotFoundError
		retry       *model.RetryError
	)
	switch {
	case status >= 300 && status < 400:
		return fault{}
	case noEndpoint.Match(body), errors.As(err, &tooLong), errors.As(err, &declined), errors.As(err, &badCall),
		errors.As(err, &unsupported):
		return fault{own: true}
	case status == http.StatusForbidden: // who was answered before may ask; a page is a filter's
		p := endpoint.Read(body)
		own := p.Text == "" || p.Filter() || x.g.answered()
		if own {
			return fault{own: true}
		}
		return fault{final: &model.NotFoundError{Err: err}}
	case status == http.StatusTooManyRequests && tooLargeAlone(endpoint.Read(body).Text):
		return fault{own: true}
	case errors.As(err, &auth):
		if status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(x.call.body), []byte(emptyAccount)) {
			return fault{own: true}
		}
		return fault{final: err}
	case errors.As(err, &unknown): // who was answered before has a model; what else is not there it named itself
		if x.g.answered() || namesOther(endpoint.Read(body).Text) {
			return fault{own: true}
		}
		return fault{final: err}
	case errors.As(err, &retry):
		return fault{}
	}
	return fault{own: status < 500}
}

var (
	quoted = pattern.New("'[^']*'|\"[^\"]*\"|`[^`]*`")
	things = pattern.New(`(?i)\b(items?|files?|(previous[ _])?responses?|conversations?|containers?|vector[ _]stores?|prompts?` +
		`|cached ?contents?|api[-_ ]?versions?)\b`)
	models = pattern.New(`(?i)\b(models?|deployments?)\b`)
)

// namesOther reports whether what is not found is something in a request, and no model.
func namesOther(text string) bool {
	text = quoted.Regexp().ReplaceAllString(text, "")
	return things.MatchString(text) && !models.MatchString(text)
}

// emptyAccount are the words of a provider that calls an empty account a bad request.
const emptyAccount = "credit balance is too low"

// answered reports whether the provider has answered a call of the trial.
func (g *Gateway) answered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tally.Calls+g.tally.Helpers > 0
}

var (
	allowance = pattern.New(`(?i)\blimit:? ([0-9]+),? requested:? ([0-9]+)`)
	// noEndpoint: of the model there is one, but none for such a request.
	noEndpoint = pattern.New(`(?i)no endpoints found that support`)
	alone      = pattern.New(`(?i)request too large|request is too large|tokens must be reduced|reduce the (length|size)`)
)

// tooLargeAlone reports whether it is one request that is larger than what the provider
// takes in a minute, so that waiting is of no use.
func tooLargeAlone(text string) bool {
	if m := allowance.Regexp().FindStringSubmatch(text); m != nil {
		limit, _ := strconv.ParseFloat(m[1], 64)
		asked, _ := strconv.ParseFloat(m[2], 64)
		return asked > limit
	}
	return alone.MatchString(text)
}

// blameReply says whose doing an error within a reply is.
func (x *exchange) blameReply(body []byte) fault {
	p := endpoint.Read(body)
	for _, own := range []string{"invalid_prompt", "bio_policy", "misalignment_policy_violation", "invalid_request_error",
		"invalid_request", "request_too_large", "content_filter",
		"context_length_exceeded", "cyber_policy"} {
		if p.Code == own || p.Kind == own {
			return fault{own: true}
		}
	}
	if strings.Contains(p.Code, "image") {
		return fault{own: true}
	}
	status, err := strconv.Atoi(p.Code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	f := x.blame(status, nil, body)
	f.final = nil // it has begun to answer
	return f
}

// failedReply notes an error within a reply.
func (x *exchange) failedReply() error {
	x.rec.Outcome, x.rec.Why = trial.RequestProvider, x.meter.failed
	if x.blameReply(x.meter.failure).own {
		x.rec.Outcome = trial.RequestRejected
		return nil
	}
	return &model.RetryError{Begun: true, Err: errors.New(x.meter.failed)}
}

// passError hands on what the provider says went wrong. Without a limit of the reply
// that was put in it may go better: then again is true, and nothing is handed on.
func (x *exchange) passError(resp *http.Response) (again bool, err error) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what could be read explains enough
	x.rec.Received = int64(len(body))
	status, why := resp.StatusCode, said(body)
	if x.call.without != nil && status < 500 && limitTold.Match(body) {
		x.g.mu.Lock()
		x.g.unlimited = true
		x.g.mu.Unlock()
		x.call.body, x.call.without = x.call.without, nil
		return true, nil
	}
	if status < 400 {
		status, why = http.StatusBadGateway, fmt.Sprintf("status %d: it redirects, which is not followed", status)
		body = nil
	}
	x.rec.Status, x.rec.Why = status, fmt.Sprintf("status %d: %s", resp.StatusCode, why)
	f := x.blame(resp.StatusCode, resp.Header, body)
	x.rec.Outcome = trial.RequestProvider
	if f.own {
		x.rec.Outcome = trial.RequestRejected
	}
	switch {
	case body == nil:
		x.answer(badGateway("the provider redirects, which is not followed"))
	case x.asked != nil:
		bad := byStatus(status, f)
		bad.text = short(why)
		x.headers(resp.Header)
		x.answer(bad)
	default:
		if f.own || f.final != nil {
			x.w.Header().Set("X-Should-Retry", "false")
		}
		x.reply(resp, status, x.g.redact.bytes(body))
	}
	if f.final != nil {
		x.g.lost(f.final)
	}
	if x.rec.Outcome == trial.RequestRejected {
		return false, nil
	}
	return false, x.retry(resp)
}

var limitTold = pattern.New(`(?i)max_?(completion|output)?_?tokens`)

// maxError is how much of an error is handed on, in bytes.
const maxError = 1 << 20

func (x *exchange) retry(resp *http.Response) error {
	status := resp.StatusCode
	return &model.RetryError{After: endpoint.RetryAfter(resp.Header, time.Now()),
		Busy: status == http.StatusTooManyRequests || status == 529,
		Down: status == http.StatusServiceUnavailable, Err: errors.New(cmp.Or(x.rec.Why, "it failed"))}
}
