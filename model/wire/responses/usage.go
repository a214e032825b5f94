// Package responses has the parts of OpenAI's Responses that are read and
// written here.
package responses

import (
	"cookoff/model"
	"cookoff/model/wire"
)

// Usage is what a reply took, as the provider counts it.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	InputDetails struct {
		CachedTokens     int `json:"cached_tokens"`
		CacheWriteTokens int `json:"cache_write_tokens,omitempty"`
	} `json:"input_tokens_details"`
	OutputTokens  int `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`

	unread bool // it has another form
}

// UnmarshalJSON reads what a provider says. What has another form, as "many" or
// 12.5 in the place of a number, makes the usage unknown, and breaks no reply.
func (u *Usage) UnmarshalJSON(raw []byte) error {
	type plain Usage
	u.unread = !wire.Read(raw, (*plain)(u))
	return nil
}

// Record gives the usage in our own form; the zero Usage where it can't be true.
func (u *Usage) Record() model.Usage {
	if u == nil || u.unread || u.InputTokens <= 0 {
		return model.Usage{}
	}
	out := model.Usage{Input: u.InputTokens, Output: u.OutputTokens, Cached: u.InputDetails.CachedTokens,
		CacheWrite5m: u.InputDetails.CacheWriteTokens, Reasoning: u.OutputDetails.ReasoningTokens, Known: true}
	if !out.Plausible() {
		return model.Usage{}
	}
	return out
}

// UsageOf is the other way round.
func UsageOf(u model.Usage) *Usage {
	out := &Usage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Input + u.Output}
	out.InputDetails.CachedTokens, out.InputDetails.CacheWriteTokens = u.Cached, u.CacheWrite5m+u.CacheWrite1h
	out.OutputDetails.ReasoningTokens = u.Reasoning
	return out
}
