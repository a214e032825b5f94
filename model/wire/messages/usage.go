// Package messages has the parts of Anthropic's Messages that are read and
// written here.
package messages

import (
	"cookoff/model"
	"cookoff/model/wire"
)

// Usage is what a reply took, as the provider counts it: input_tokens holds
// neither what was read from a cache nor what was written to one. In a stream
// it comes in several events, each of which may leave parts out: nil.
type Usage struct {
	InputTokens  *int           `json:"input_tokens,omitempty"`
	CacheWrite   *int           `json:"cache_creation_input_tokens,omitempty"`
	CacheRead    *int           `json:"cache_read_input_tokens,omitempty"`
	CacheWrites  *CacheCreation `json:"cache_creation,omitempty"`
	OutputTokens *int           `json:"output_tokens,omitempty"`
	OutputParts  *OutputParts   `json:"output_tokens_details,omitempty"`

	unread bool // a part of it has another form
}

// UnmarshalJSON reads what a provider says. What has another form, as "many" or
// 12.5 in the place of a number, makes the usage unknown, and breaks no reply.
func (u *Usage) UnmarshalJSON(raw []byte) error {
	type plain Usage
	u.unread = !wire.Read(raw, (*plain)(u))
	return nil
}

// CacheCreation says how long what was written to a cache stays.
type CacheCreation struct {
	FiveMinutes int `json:"ephemeral_5m_input_tokens"`
	Hour        int `json:"ephemeral_1h_input_tokens"`
}

// OutputParts are counted in the output.
type OutputParts struct {
	ThinkingTokens int `json:"thinking_tokens"`
}

// Merge puts what v says over what u says: the numbers of a stream are
// cumulative, so the last one holds.
func (u *Usage) Merge(v *Usage) {
	if v == nil {
		return
	}
	u.unread = u.unread || v.unread
	over(&u.InputTokens, v.InputTokens)
	over(&u.CacheWrite, v.CacheWrite)
	over(&u.CacheRead, v.CacheRead)
	over(&u.CacheWrites, v.CacheWrites)
	over(&u.OutputTokens, v.OutputTokens)
	over(&u.OutputParts, v.OutputParts)
}

func over[T any](p **T, v *T) {
	if v != nil {
		*p = v
	}
}

// Record gives the usage in our own form; the zero Usage where it is not whole
// or can't be true.
func (u *Usage) Record() model.Usage {
	if u == nil || u.unread || u.InputTokens == nil || u.OutputTokens == nil {
		return model.Usage{}
	}
	read, written := value(u.CacheRead), value(u.CacheWrite)
	out := model.Usage{Input: *u.InputTokens + read + written, Cached: read, CacheWrite5m: written,
		Output: *u.OutputTokens, Known: true}
	if w := u.CacheWrites; w != nil && w.Hour > 0 && w.Hour <= written {
		out.CacheWrite1h, out.CacheWrite5m = w.Hour, written-w.Hour
	}
	if u.OutputParts != nil {
		out.Reasoning = u.OutputParts.ThinkingTokens
	}
	if *u.InputTokens < 0 || out.Input <= 0 || !out.Plausible() {
		return model.Usage{}
	}
	return out
}

func value(p *int) int {
	if p == nil {
		return 0
	}
	return *p
}

// UsageOf is the other way round. All parts are there: agents count on them.
func UsageOf(u model.Usage) *Usage {
	return &Usage{
		InputTokens: new(u.Input - u.Cached - u.CacheWrite5m - u.CacheWrite1h), CacheRead: new(u.Cached),
		CacheWrite: new(u.CacheWrite5m + u.CacheWrite1h), CacheWrites: &CacheCreation{u.CacheWrite5m, u.CacheWrite1h},
		OutputTokens: new(u.Output),
	}
}
