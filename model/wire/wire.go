// Package wire holds what models are asked with over HTTP: the dialects, where
// a model is asked, and, in a package each, the parts of the dialects that are
// read here. It knows the forms of bodies, not what is in a conversation.
package wire

import (
	"net/http"
	"slices"
	"time"
)

// Dialect is a way to put requests to a model and to answer them.
type Dialect string

// The dialects.
const (
	Chat      Dialect = "chat"      // OpenAI Chat Completions: POST …/chat/completions
	Responses Dialect = "responses" // OpenAI Responses: POST …/responses
	Messages  Dialect = "messages"  // Anthropic Messages: POST …/messages
	Gemini    Dialect = "gemini"    // Gemini: POST …/models/M:generateContent
)

// Upstream is where a model is asked, and how.
type Upstream struct {
	Dialects []Dialect // that the provider speaks at BaseURL, the best first
	BaseURL  string    // up to and without /chat/completions, /responses, /messages, /models
	Model    string    // as the provider calls it
	// Key is sent to BaseURL and nowhere else, in the header that the dialect
	// has for it; "" sends none. KeyEnv is the variable that it was read from:
	// what stands in its place in texts.
	Key, KeyEnv string
	Headers     map[string]string // sent with every request
	// Params are put into every request, over what it says, by the names that
	// the dialect has for them.
	Params map[string]any
	// NoStreamUsage: it rejects the question for the usage of a stream.
	NoStreamUsage bool
	// MaxTokensField is what it calls the limit of a chat's reply; "":
	// max_tokens. It counts where a request is translated.
	MaxTokensField string
	Timeout        time.Duration // of a whole request; 0: DefaultTimeout
	Idle           time.Duration // between two bytes of a reply; 0: DefaultIdle
	// Transport carries the requests; nil: http.DefaultTransport. Redirects are
	// not followed.
	Transport http.RoundTripper
}

// How long a reply may take.
const (
	DefaultTimeout = 10 * time.Minute
	DefaultIdle    = 2 * time.Minute
)

// HasDialect reports whether the provider speaks a dialect.
func (u Upstream) HasDialect(d Dialect) bool { return slices.Contains(u.Dialects, d) }

// Speaker is a model whose upstream is known: one that an agent can be given.
// An Upstream without dialects is none.
type Speaker interface{ Upstream() Upstream }

// UpstreamOf gives where a chat's model is asked, if that is known.
func UpstreamOf(chat any) (u Upstream, ok bool) {
	if s, is := chat.(Speaker); is {
		u = s.Upstream()
	}
	return u, len(u.Dialects) > 0
}
