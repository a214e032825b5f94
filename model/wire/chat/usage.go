// Package chat has the parts of OpenAI's Chat Completions that are read and
// written here.
package chat

import (
	"cookoff/model"
	"cookoff/model/wire"
)

// Usage is what a reply took, as the provider counts it.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens     int `json:"cached_tokens"`
		CacheWriteTokens int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`

	unread bool // it has another form
}

// UnmarshalJSON reads what a provider says. What has another form, as "many" or
// 12.5 in the place of a number, makes the usage unknown, and breaks no reply.
func (u *Usage) UnmarshalJSON(raw []byte) error {
	type plain Usage
	u.unread = !wire.Read(raw, (*plain)(u))
	return nil
}

// Told reports whether it says anything: some providers put zeros into each
// event of a stream, or behind the numbers.
func (u *Usage) Told() bool { return u != nil && (u.unread || u.PromptTokens != 0) }

// Record gives the usage in our own form; the zero Usage where it can't be true.
// Some providers leave reasoning out of the output; the total tells.
func (u *Usage) Record() model.Usage {
	if u == nil || u.unread || u.PromptTokens <= 0 {
		return model.Usage{}
	}
	out := model.Usage{Input: u.PromptTokens, Output: u.CompletionTokens, Cached: u.PromptDetails.CachedTokens,
		CacheWrite5m: u.PromptDetails.CacheWriteTokens, Reasoning: u.CompletionDetails.ReasoningTokens, Known: true}
	if apart := u.TotalTokens - out.Input - out.Output; apart > 0 && out.Output >= 0 {
		out.Output += apart
		out.Reasoning = max(out.Reasoning, apart)
	}
	if !out.Plausible() {
		return model.Usage{}
	}
	return out
}
