package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"cookoff/model"
)

// noChoiceError is an answer that looks like a reply but holds none.
type noChoiceError struct{ body []byte }

func (e *noChoiceError) Error() string { return "the reply holds no choice" }

// badCallError is a tool call that the provider did not let through: the model
// wrote it, so it is no fault of the provider.
type badCallError struct{ text string }

func (e *badCallError) Error() string { return "the provider rejected the reply: " + e.text }

// kind says what an error means for the caller. Whatever is not known to be
// final is the way there and back, and may go well another time.
func (c *Chat) kind(ctx context.Context, x *exchange, err error) error {
	err = c.sorted(ctx, x, err)
	if retry, ok := errors.AsType[*model.RetryError](err); ok && !retry.Busy {
		retry.Begun, retry.Arrived = x.begun, x.arrived
	}
	return err
}

func (c *Chat) sorted(ctx context.Context, x *exchange, err error) error {
	var (
		status   *statusError
		noChoice *noChoiceError
		api      *goopenai.APIError
		refused  *model.RefusedError
	)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return c.retry(0, "no reply within %v", c.cfg.Timeout)
	case errors.Is(cause, errIdle):
		return c.retry(0, "the reply has stalled: no bytes for %v", c.cfg.Idle)
	case errors.As(err, &refused):
		refused.Reason = c.words(refused.Reason)
		return refused
	case errors.As(err, &status):
		return c.byStatus(status.status, status.header, status.body)
	case errors.As(err, &noChoice):
		return c.inReply(noChoice.body)
	case errors.As(err, &api):
		code, _ := api.Code.(int)
		return c.byProblem(code, nil, problem{fmt.Sprint(api.Code), api.Type, param(api.Param), api.Message})
	}
	return c.transport(x, err)
}

// transport names what broke on the way, or in the form of the answer.
func (c *Chat) transport(x *exchange, err error) error {
	var (
		syntax *json.SyntaxError
		shape  *json.UnmarshalTypeError
		sent   *url.Error
	)
	if errors.As(err, &sent) { // nothing came back at all
		return &model.RetryError{Down: true, Err: c.fault("%s", c.words(sent.Err.Error()))}
	}
	switch {
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return c.retry(0, "%v: it began %s", errCut, c.quote(x.start.Bytes()))
	case errors.As(err, &syntax):
		return c.retry(0, "the answer is broken JSON: it began %s", c.quote(x.start.Bytes()))
	case errors.As(err, &shape):
		return c.retry(0, "the answer is no chat completion: it began %s", c.quote(x.start.Bytes()))
	}
	return c.retry(0, "%s", c.words(err.Error()))
}

// inReply is an answer of status 200 that is an error, or nothing.
func (c *Chat) inReply(body []byte) error {
	p := read(body)
	if p.text == "" {
		return c.retry(0, "the reply holds no choice: %s", c.quote(body))
	}
	status, err := strconv.Atoi(p.code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return c.byProblem(status, nil, p)
}

func (c *Chat) byStatus(status int, header http.Header, body []byte) error {
	switch {
	case status >= 300 && status < 400:
		return c.fault("status %d: redirects to %s, which is not followed\nhint: set base_url to where it leads", status, c.quote([]byte(header.Get("Location"))))
	case status < 300: // a page in the place of a reply
		if p := read(body); p.text != "" {
			return c.inReply(body)
		}
		return c.retry(0, "the answer is %s, no reply: %s\nhint: check base_url, and whether the server can stream", c.words(header.Get("Content-Type")), c.quote(body))
	}
	p := read(body)
	if p.text == "" {
		p.text = "no reason given"
		if len(body) > 0 {
			p.text = strconv.Quote(string(body[:min(len(body), 4*maxWords)]))
		}
	}
	return c.byProblem(status, header, p)
}

// byProblem sorts what a provider said by status and words; status 0 is an
// error in the middle of a stream.
func (c *Chat) byProblem(status int, header http.Header, p problem) error {
	text := c.words(p.text)
	if status != 0 {
		text = fmt.Sprintf("status %d: %s", status, text)
	}
	switch {
	case status == http.StatusRequestEntityTooLarge, p.tooLong():
		return &model.ContextError{Err: c.fault("%s", text)}
	case p.filtered() && status != http.StatusTooManyRequests:
		return &model.RefusedError{Reason: text}
	case p.code == "tool_use_failed": // Groq's word for it
		return &badCallError{text}
	case p.unsupported(status) != "":
		return &model.UnsupportedError{What: p.unsupported(status), Err: c.fault("%s", text)}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return c.auth("%s\nhint: check %s", text, c.keyName())
	case status == http.StatusPaymentRequired, p.code == "insufficient_quota":
		return c.auth("%s\nhint: the account behind %s has no credit", text, c.keyName())
	case status == http.StatusNotFound:
		return &model.NotFoundError{Err: c.fault("%s\nhint: check the model's name and base_url (%s)", text, c.words(c.cfg.BaseURL))}
	case status == 0, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooEarly, status == http.StatusTooManyRequests,
		status >= 500 && status != http.StatusNotImplemented:
		busy := status == http.StatusTooManyRequests || status == overloaded || p.code == "rate_limit_exceeded"
		return &model.RetryError{After: retryAfter(header, time.Now()), Busy: busy, Down: status == http.StatusServiceUnavailable, Err: c.fault("%s", text)}
	}
	return c.fault("%s", text)
}

// overloaded is the status by which Anthropic and others say that they are.
const overloaded = 529

// problem is what a provider says went wrong.
type problem struct{ code, kind, param, text string }

// tooLong knows the ways in which providers say that a conversation is too
// long for the model.
func (p problem) tooLong() bool {
	if p.code == "context_length_exceeded" || p.kind == "exceed_context_size_error" {
		return true
	}
	return p.says("maximum context length", "context window", "context length", "context size", "context limit",
		"maximum prompt length", "prompt is too long", "input is too long", "prompt too long",
		"exceeds the maximum number of tokens", "reduce the length of the messages")
}

// filtered knows the ways in which providers say that they decline content.
func (p problem) filtered() bool {
	switch p.code {
	case "content_filter", "content_policy_violation", "content_filter_error":
		return true
	}
	return p.says("content management policy", "requires moderation", "flagged for", "content policy", "usage policies")
}

func (p problem) says(phrases ...string) bool {
	text := strings.ToLower(p.text)
	for _, s := range phrases {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// read finds the words of an error in a body, in the forms that providers
// give them. The zero problem: none were found.
func read(body []byte) problem {
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
		return problem{}
	}
	var e struct {
		Message json.RawMessage `json:"message"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
		Param   any             `json:"param"`
	}
	if json.Unmarshal(b.Error, &e) == nil && len(e.Message) > 0 {
		return problem{code(e.Code), e.Type, code(e.Param), plain(e.Message)}
	}
	for _, m := range []json.RawMessage{b.Error, b.Message, b.Detail} {
		if len(m) > 0 && string(m) != "null" {
			return problem{code(b.Code), b.Type, "", plain(m)}
		}
	}
	return problem{}
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

// retryAfter reads how long a provider asks to wait: milliseconds, seconds or
// a date, which is measured by the provider's own clock where it tells it.
func retryAfter(h http.Header, now time.Time) time.Duration {
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

func (c *Chat) fault(format string, args ...any) error {
	return fmt.Errorf("asking %s: "+format, append([]any{c.id()}, args...)...)
}

func (c *Chat) retry(after time.Duration, format string, args ...any) error {
	return &model.RetryError{After: after, Err: c.fault(format, args...)}
}

func (c *Chat) auth(format string, args ...any) error {
	return &model.AuthError{Env: c.cfg.KeyEnv, Err: c.fault(format, args...)}
}

func (c *Chat) keyName() string {
	if c.cfg.KeyEnv == "" {
		return "the key: this provider is set up without one (api_key_env)"
	}
	if c.cfg.Key == "" {
		return "the variable " + c.cfg.KeyEnv + ", which is not set"
	}
	return "the variable " + c.cfg.KeyEnv
}
