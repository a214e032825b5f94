package gateway

import (
	"errors"
	"fmt"
	"net/http"

	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/request"
	"cookoff/trial"
)

// stop ends the gateway's service: every call from now on is refused. The lock
// is held.
func (g *Gateway) stop(why trial.Stop, text string) {
	if g.tally.Stop == "" && g.tally.Final == nil {
		g.tally.Stop, g.tally.Why = why, g.redact.text(text)
		close(g.over)
	}
}

// lost ends the gateway's service for what the provider says to every call.
func (g *Gateway) lost(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tally.Final == nil && g.tally.Stop == "" {
		g.tally.Final = why
		close(g.over)
	}
}

// reserve takes one of the calls that a trial may make; its refusal says which
// limit is met. give gives it back, where the call was not answered.
func (g *Gateway) reserve(helper bool) (give func(answered bool), bad *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tally.Final != nil {
		return nil, &refusal{http.StatusBadGateway, "api_error", "server_error",
			document.Short(g.redact.text(g.tally.Final.Error())), true}
	}
	if g.tally.Stop != "" {
		return nil, limited("no more calls are answered: " + g.tally.Why)
	}
	at, most := &g.steps, g.opts.MaxSteps
	if helper {
		at, most = &g.helpers, helpersEach*g.opts.MaxSteps+extraCalls
	}
	if g.opts.MaxSteps > 0 && *at >= most {
		what := "model calls"
		if helper {
			what = "helper calls"
		}
		g.stop(trial.StopMaxSteps, fmt.Sprintf("the trial has had its %d %s", most, what))
		return nil, limited(g.tally.Why)
	}
	*at++
	return func(answered bool) {
		if !answered {
			g.mu.Lock()
			*at--
			g.mu.Unlock()
		}
	}, nil
}

// helper reports whether a call with these tools is one beside the agent's work:
// it offers none, or less than half of those that it works with. Who has never offered
// any works without: each of its calls is one of its work, but for the first of an
// agent that may only have asked for a title.
func (g *Gateway) helper(tools []string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(tools) == 0 {
		first := !g.toolless
		g.toolless = true
		return len(g.tools) > 0 || first && !g.opts.Toolless
	}
	if len(g.tools) == 0 || len(tools) > 2*len(g.tools) {
		g.tools = map[string]bool{}
		for _, t := range tools {
			g.tools[t] = true
		}
		return false
	}
	shared := 0
	for _, t := range tools {
		if g.tools[t] {
			shared++
		}
	}
	return 2*shared < len(g.tools)
}

// read takes a request's body apart.
func (g *Gateway) read(rt request.Route, body []byte) (*request.Call, *refusal) {
	c, err := request.Read(rt, body, g.rules)
	if unknown, ok := errors.AsType[*request.UnknownModelError](err); ok {
		return c, &refusal{http.StatusNotFound, "not_found_error", "model_not_found", unknown.Error(), true}
	}
	if err != nil {
		return c, invalid(err.Error())
	}
	return c, nil
}
