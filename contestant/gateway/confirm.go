package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/meter"
	"cookoff/contestant/gateway/request"
	"cookoff/model/wire"
	"cookoff/trial"
)

// How a failure is looked into.
const (
	confirmTime  = 2 * time.Minute // for all requests together
	confirmQuick = 30.0            // seconds that the failure may have taken
	plainTokens  = 16              // of the reply to a plain request
)

// mayBeOwn reports whether a failure is of a kind that a request can bring about by itself:
// an error of the server, or a connection that it ends. What a server says of how busy it
// is it may say to anybody.
func (x *exchange) mayBeOwn() bool {
	switch s := x.rec.Status; {
	case x.rec.Seconds > confirmQuick:
		return false
	case s == http.StatusServiceUnavailable || s == http.StatusGatewayTimeout || s == 529:
		return false
	default:
		return s >= 500
	}
}

// Own reports whether what the work ended with, a failure of its last request, is that
// request's own doing: the provider fails at it each time, and answers a plain one each
// time between. It asks nothing where there was no such failure. It is called once, by
// whoever has closed the gateway; Record is told of what it asks.
func (g *Gateway) Own(ctx context.Context) bool {
	g.mu.Lock()
	x, t := g.broken, g.tally
	g.mu.Unlock()
	if x == nil || t.Failing == 0 || t.Final != nil || t.Stop != "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	plain := *x.call
	plain.Body, plain.Output = plainBody(g.opts.Upstream, x.meter.Dialect), plainTokens
	own := true
	for _, c := range []*request.Call{&plain, x.call, &plain, x.call, &plain} {
		if answered := x.again(ctx, c); answered != (c == &plain) || ctx.Err() != nil {
			own = false
			break
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tally.Failed, g.tally.Failing, g.tally.LastFailure = t.Failed, t.Failing, t.LastFailure
	return own
}

// plainBody is a request that no provider can fail at by itself.
func plainBody(u wire.Upstream, dialect wire.Dialect) []byte {
	const word = "Answer with the one word ok."
	said := []object{{"role": "user", "content": word}}
	switch dialect {
	case wire.Responses:
		return document.Marshal(object{"model": u.Model, "input": word, "max_output_tokens": plainTokens,
			"store": false})
	case wire.Messages:
		return document.Marshal(object{"model": u.Model, "messages": said, "max_tokens": plainTokens})
	case wire.Gemini:
		return document.Marshal(object{"contents": []object{{"role": "user", "parts": []object{{"text": word}}}}})
	}
	field := "max_tokens"
	if u.MaxTokensField != "" {
		field = u.MaxTokensField
	}
	return document.Marshal(object{"model": u.Model, "messages": said, field: plainTokens})
}

type object = map[string]any

// again makes a call on the way of a failed one, and reports whether it was answered. The
// reply is nobody's, and of one that goes well the rest is not waited for.
func (x *exchange) again(ctx context.Context, c *request.Call) (answered bool) {
	g := x.g
	y := &exchange{g: g, from: x.from, call: c, asked: x.asked, began: g.opts.Clock.Now(),
		meter: meter.Meter{Dialect: x.meter.Dialect}}
	y.rec = trial.Request{Dialect: string(c.Dialect), To: x.rec.To, Asked: g.opts.Upstream.Model, Helper: true,
		Sent: int64(len(c.Body)), Why: "asked by cookoff, to see whose fault a failure is"}
	if g.opts.Admit != nil {
		g.mu.Lock()
		g.calls++
		y.rec.N = g.calls
		g.mu.Unlock()
		var err error
		if y.grant, err = g.opts.Admit(ctx, Ask{Input: len(c.Body), Output: c.Output, Helper: true,
			N: y.rec.N}); err != nil {
			return false
		}
	}
	defer y.finish()
	defer y.settle()
	y.rec.Outcome = trial.RequestProvider
	req, err := y.request(ctx)
	if err != nil {
		return false
	}
	resp, err := g.client.Do(req)
	if err != nil {
		y.rec.Why += fmt.Sprintf(": %v", err)
		return false
	}
	defer resp.Body.Close()
	y.rec.Status = resp.StatusCode
	if answered = resp.StatusCode >= 200 && resp.StatusCode < 300; !answered {
		y.rec.Why += fmt.Sprintf(": status %d", resp.StatusCode)
		return false
	}
	if c == x.call {
		y.sent = true
		y.leave()
		return true
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	if y.rec.Received = int64(len(body)); err != nil {
		return false
	}
	y.rec.Outcome = trial.RequestOK
	for line := range bytes.Lines(body) { // Gemini may stream it
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			y.meter.Read(bytes.TrimSpace(data))
		}
	}
	if json.Valid(body) {
		y.meter.Read(body)
	}
	y.settleUsage()
	return y.meter.Failed == ""
}
