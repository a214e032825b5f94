package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cookoff/model"
)

// BadCallError is a tool call that the provider did not let through: the model
// wrote it, so it is no fault of the provider.
type BadCallError struct{ Text string }

func (e *BadCallError) Error() string { return "the provider rejected the reply: " + e.Text }

// InReply is an answer of status 200 that is an error, or nothing.
func (e *Endpoint) InReply(body []byte) error {
	p := Read(body)
	if p.Text == "" {
		return e.Retry(0, "the reply holds no choice: %s", e.Quote(body))
	}
	status, err := strconv.Atoi(p.Code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return e.ByProblem(status, nil, p)
}

// ByStatus is an answer that is no reply, or a page in the place of one.
func (e *Endpoint) ByStatus(status int, header http.Header, body []byte) error {
	switch {
	case status >= 300 && status < 400:
		return e.Fault("status %d: redirects to %s, which is not followed\nhint: set base_url to where it leads",
			status, e.Quote([]byte(header.Get("Location"))))
	case status < 300: // a page in the place of a reply
		if p := Read(body); p.Text != "" {
			return e.InReply(body)
		}
		if IsPage(header, body) {
			return e.Page(body)
		}
		return e.Retry(0, "the answer is %s, no reply: %s\nhint: check base_url, and whether the server can stream",
			e.Words(header.Get("Content-Type")), e.Quote(body))
	}
	p := Read(body)
	if p.Text == "" {
		p.Text = "no reason given"
		if len(body) > 0 {
			p.Text = strconv.Quote(string(body[:min(len(body), 4*maxWords)]))
		}
	}
	return e.ByProblem(status, header, p)
}

// ByProblem sorts what a provider said by status and words; status 0 is an
// error in the middle of a stream.
func (e *Endpoint) ByProblem(status int, header http.Header, p Problem) error {
	text := e.Words(p.Text)
	if status != 0 {
		text = fmt.Sprintf("status %d: %s", status, text)
	}
	switch {
	case status == http.StatusRequestEntityTooLarge, p.tooLong():
		return &model.ContextError{Err: e.Fault("%s", text)}
	case p.filtered() && status != http.StatusTooManyRequests:
		return &model.RefusedError{Reason: text}
	case p.Code == "tool_use_failed": // Groq's word for it
		return &BadCallError{text}
	case p.unsupported(status) != "":
		return &model.UnsupportedError{What: p.unsupported(status), Value: p.ofValue(), Err: e.Fault("%s", text)}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return e.Auth("%s\nhint: check %s", text, e.keyName())
	case status == http.StatusProxyAuthRequired: // no provider says so
		return &model.RetryError{Down: true, Trouble: model.ProxyRefuses, Err: e.Fault("%s", text)}
	case status == http.StatusPaymentRequired, p.Code == "insufficient_quota", p.says("credit balance is too low"):
		return e.Auth("%s\nhint: %s has no money left", text, e.account())
	case status == http.StatusNotFound:
		return &model.NotFoundError{Err: e.Fault("%s\nhint: check the model's name and base_url (%s)", text,
			e.Words(e.BaseURL))}
	case status == 0, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooEarly, status == http.StatusTooManyRequests,
		status >= 500 && status != http.StatusNotImplemented:
		busy := status == http.StatusTooManyRequests || status == overloaded || p.Code == "rate_limit_exceeded" ||
			p.Kind == "overloaded_error" || p.Kind == "rate_limit_error" && status == 0
		return &model.RetryError{After: RetryAfter(header, time.Now()), Busy: busy,
			Down: status == http.StatusServiceUnavailable, Err: e.Fault("%s", text)}
	}
	return e.Fault("%s", text)
}

// overloaded is the status by which Anthropic and others say that they are.
const overloaded = 529

// Problem is what a provider says went wrong.
type Problem struct{ Code, Kind, Param, Text string }

// tooLong knows the ways in which providers say that a conversation is too
// long for the model.
func (p Problem) tooLong() bool {
	if p.Code == "context_length_exceeded" || p.Kind == "exceed_context_size_error" {
		return true
	}
	return p.says("maximum context length", "context window", "context length", "context size", "context limit",
		"maximum prompt length", "prompt is too long", "input is too long", "prompt too long",
		"exceeds the maximum number of tokens", "reduce the length of the messages")
}

// filtered knows the ways in which providers say that they decline content.
func (p Problem) filtered() bool {
	switch p.Code {
	case "content_filter", "content_policy_violation", "content_filter_error",
		"invalid_prompt", "bio_policy", "cyber_policy", "misalignment_policy_violation": // of Responses
		return true
	}
	return p.says("content management policy", "requires moderation", "flagged for", "content policy", "usage policies")
}

// Filter reports whether the words are those of a filter of content.
func (p Problem) Filter() bool {
	return p.filtered() || p.says("moderation", "flagged", "content filter", "safety system", "safety filter",
		"usage policy", "violates")
}

func (p Problem) says(phrases ...string) bool {
	text := strings.ToLower(p.Text)
	for _, s := range phrases {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// Read finds the words of an error in a body, in the forms that providers
// give them. The zero problem: none were found.
func Read(body []byte) Problem {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Gemini wraps it
		body = list[0]
	}
	var b struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(body, &b) != nil {
		return Problem{}
	}
	var e struct {
		Message json.RawMessage `json:"message"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
		Param   any             `json:"param"`
	}
	if json.Unmarshal(b.Error, &e) == nil && len(e.Message) > 0 {
		return Problem{code(e.Code), e.Type, code(e.Param), plain(e.Message)}
	}
	for _, m := range []json.RawMessage{b.Error, b.Message, b.Detail} {
		if len(m) > 0 && string(m) != "null" {
			return Problem{code(b.Code), b.Type, "", plain(m)}
		}
	}
	return Problem{}
}

// plain gives a JSON string as its text and everything else as it stands.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func code(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// longest is the longest wait that is believed.
const longest = 24 * time.Hour

// RetryAfter reads how long a provider asks to wait: milliseconds, seconds or
// a date, which is measured by the provider's own clock where it tells it.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return bounded(s)
	}
	at, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return bounded(at.Sub(now).Seconds())
}

func bounded(seconds float64) time.Duration {
	if !(seconds > 0) { // also what is no number
		return 0
	}
	return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second))
}

// Fault is an error that names who was asked.
func (e *Endpoint) Fault(format string, args ...any) error {
	return fmt.Errorf("asking %s: "+format, append([]any{e.ID()}, args...)...)
}

// Retry is a fault after which a later attempt may succeed; after is how long
// the provider asked to wait, 0 when it did not say.
func (e *Endpoint) Retry(after time.Duration, format string, args ...any) error {
	return &model.RetryError{After: after, Err: e.Fault(format, args...)}
}

// Auth is a fault of the key.
func (e *Endpoint) Auth(format string, args ...any) error {
	return &model.AuthError{Env: e.KeyEnv, Err: e.Fault(format, args...)}
}

func (e *Endpoint) account() string {
	if e.KeyEnv == "" {
		return "the account that the provider charges"
	}
	return "the account that " + e.KeyEnv + " belongs to"
}

func (e *Endpoint) keyName() string {
	if e.KeyEnv == "" {
		return "the key: this provider is set up without one (api_key_env)"
	}
	if e.Key == "" {
		return "the variable " + e.KeyEnv + ", which is not set"
	}
	return "the variable " + e.KeyEnv
}
