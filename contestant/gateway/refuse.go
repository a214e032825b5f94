package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"

	"cookoff/contestant/gateway/blame"
	"cookoff/model/wire"
)

// refusal is an answer that the gateway itself gives.
type refusal struct {
	status int
	kind   string // in Anthropic's words
	code   string // in OpenAI's
	text   string
	final  bool // asked again it would say the same
}

func (r *refusal) Error() string { return r.text }

func invalid(text string) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_request_error", "invalid_request", text, true}
}

func limited(text string) *refusal {
	return &refusal{http.StatusTooManyRequests, "rate_limit_error", "insufficient_quota", text, true}
}

func busy(text string) *refusal {
	return &refusal{http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", text, false}
}

func unavailable(text string) *refusal {
	return &refusal{http.StatusServiceUnavailable, "overloaded_error", "server_error", text, false}
}

func badGateway(text string) *refusal {
	return &refusal{http.StatusBadGateway, "api_error", "server_error", text, false}
}

// byStatus is an error of the provider's in the words of another dialect.
func byStatus(status int, f blame.Fault) *refusal {
	r := &refusal{status: status, kind: "api_error", code: "server_error", final: f.Own || f.Final != nil}
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		r.kind, r.code = "invalid_request_error", "invalid_request"
	case http.StatusUnauthorized:
		r.kind, r.code = "authentication_error", "invalid_api_key"
	case http.StatusForbidden:
		r.kind, r.code = "permission_error", "permission_denied"
	case http.StatusNotFound:
		r.kind, r.code = "not_found_error", "not_found"
	case http.StatusRequestEntityTooLarge:
		r.kind, r.code = "request_too_large", "request_too_large"
	case http.StatusTooManyRequests:
		r.kind, r.code = "rate_limit_error", "rate_limit_exceeded"
	case http.StatusServiceUnavailable, 529:
		r.kind = "overloaded_error"
	}
	return r
}

// write answers in the form of errors that a dialect has.
func (r *refusal) write(w http.ResponseWriter, d wire.Dialect) (int64, error) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Should-Retry", strconv.FormatBool(!r.final))
	body, _ := json.Marshal(r.form(d)) // of strings and numbers
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(r.status)
	n, err := w.Write(body)
	return int64(n), err
}

// form gives the body of a refusal as an API of this dialect would word it, so that agents
// treat it as theirs.
func (r *refusal) form(d wire.Dialect) any {
	type object = map[string]any
	switch d {
	case wire.Messages:
		return object{"type": "error", "error": object{"type": r.kind, "message": r.text}}
	case wire.Gemini:
		names := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND",
			413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
		name := names[r.status]
		if name == "" {
			name = "INTERNAL"
		}
		return object{"error": object{"code": r.status, "message": r.text, "status": name}}
	}
	kind := r.kind
	switch {
	case r.code == "insufficient_quota":
		kind = r.code
	case r.status >= 500:
		kind = "server_error"
	case r.kind == "not_found_error", r.kind == "request_too_large":
		kind = "invalid_request_error"
	}
	return object{"error": object{"message": r.text, "type": kind, "code": r.code, "param": nil}}
}
