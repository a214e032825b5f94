package trial

import "cookoff/model"

// RequestOutcome is how a request of an agent ended.
type RequestOutcome string

// The ends of an agent's request.
const (
	RequestOK       RequestOutcome = "ok"
	RequestProvider RequestOutcome = "provider" // it failed, by the provider's doing or on the way there
	RequestRejected RequestOutcome = "rejected" // the provider would not take it: the request's own fault
	RequestRefused  RequestOutcome = "refused"  // by the gateway: a limit, another model, no token
	RequestLeft     RequestOutcome = "left"     // the agent went away before the reply was whole
)

// Request is one request that an agent made of its model, as the gateway before
// the provider saw it.
type Request struct {
	// N is the number of a call that went out, from 1: several may be under way at once.
	N       int    `json:"n,omitempty"`
	Dialect string `json:"dialect"`      // chat, responses, messages, gemini; "": none was told
	To      string `json:"to,omitempty"` // the dialect that it was translated to; "": passed on as it was
	Asked   string `json:"asked"`        // the model that the agent named
	Served  string `json:"served,omitempty"`
	// Helper: it offers no tools, or others than the agent works with: a title, a
	// classifier.
	Helper bool `json:"helper,omitempty"`
	Tools  int  `json:"tools,omitempty"` // offered
	Stream bool `json:"stream,omitempty"`
	// Dropped are parts of the request that were not sent on: tools that the
	// provider itself would have run.
	Dropped []string `json:"dropped,omitempty"`

	Outcome RequestOutcome `json:"outcome"`
	Status  int            `json:"status"`        // that the agent was given
	Why     string         `json:"why,omitempty"` // one sentence; "": it went well
	// Times counts requests that were refused and have no event of their own.
	Times int `json:"times,omitempty"`

	Usage   model.Usage `json:"usage"`
	Guessed bool        `json:"guessed,omitempty"` // nobody told the usage: it is an estimate
	CostUSD *float64    `json:"cost_usd,omitempty"`

	Sent     int64 `json:"sent"`     // bytes of the agent's body
	Received int64 `json:"received"` // bytes of the reply's, as the provider sent it
	// Seconds are those of the request without Wait: for a place among the
	// requests to the provider, and while that was down.
	Seconds float64 `json:"seconds"`
	Wait    float64 `json:"wait,omitempty"`
}
