package runner

import (
	"encoding/json"
	"errors"
	"math"

	"cookoff/model"
)

// assumedReply is how many tokens a reply has at most where nobody limits it and
// none has been seen.
const assumedReply = 16_384

// longestReply is how many tokens the next reply may have: max_tokens, as far as the
// provider keeps to it. Where it does not, and where there is no limit, twice the
// longest that was seen.
func (l *loop) longestReply(limit *int) int {
	seen := 0
	l.r.habits.at(l.id, func(h *habit) { seen = h.longest })
	if p := l.r.env.Past; p != nil {
		seen = max(seen, p.longest)
	}
	switch {
	case limit != nil && seen <= *limit:
		return *limit
	case limit == nil && seen == 0:
		return assumedReply
	}
	return 2 * seen
}

// most is what a request can cost at most: no token is shorter than a byte.
func (l *loop) most(req *model.Request) float64 {
	if l.claim == nil || l.r.models[l.id].baseline != "" {
		return 0
	}
	text, err := json.Marshal(req)
	if err != nil {
		return math.MaxFloat64 // no such request can be made
	}
	u := model.Usage{Input: len(text), Output: l.longestReply(req.Params.MaxTokens), Known: true}
	plain, _ := l.r.cost(l.id, u)
	u.Reasoning = u.Output
	thought, _ := l.r.cost(l.id, u)
	return max(plain, thought)
}

// atMost is what a request costs at most, for the journal; nil: nobody knows.
func (l *loop) atMost(a asking) *float64 {
	params := a.req.Params
	if l.r.models[l.id].baseline == "" && params.MaxTokens == nil {
		return nil
	}
	u := model.Usage{Input: l.inputAtMost(a), Known: true}
	if params.MaxTokens != nil {
		u.Output = *params.MaxTokens
	}
	plain, known := l.r.cost(l.id, u)
	u.Reasoning = u.Output
	thought, _ := l.r.cost(l.id, u)
	if !known {
		return nil
	}
	return new(max(plain, thought))
}

// inputAtMost is how many tokens a request sends at most: what the provider
// counted before, and no token of what came since is shorter than a byte.
func (l *loop) inputAtMost(a asking) int {
	const frame = 16                                       // bytes that a message has around it
	if len(a.req.Tools) == 0 && len(a.req.Messages) == 1 { // a summary: another conversation
		return size(a.req.Messages[0]) + frame
	}
	if l.exact > 0 {
		return l.exact + max(l.size-l.at, 0) + frame*len(a.req.Messages)
	}
	return l.size + l.specs + frame*len(a.req.Messages)
}

// took is what a request did cost. What nobody tells counts in full; a request
// that the provider turned away costs nothing.
func (l *loop) took(held float64, reply *model.Reply, err error) float64 {
	var usage model.Usage
	var retry *model.RetryError
	var tooLong *model.ContextError
	var auth *model.AuthError
	var missing *model.NotFoundError
	var refused *model.RefusedError
	var without *model.UnsupportedError
	switch {
	case err == nil:
		usage = reply.Usage
	case errors.As(err, &refused):
		usage = refused.Usage
	case errors.As(err, &retry) && retry.Busy, errors.As(err, &tooLong), errors.As(err, &auth), errors.As(err, &missing), errors.As(err, &without):
		return 0
	}
	if usd, ok := l.r.cost(l.id, usage); ok {
		return usd
	}
	return held
}
