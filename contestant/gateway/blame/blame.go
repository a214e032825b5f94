// Package blame says whose doing it is that a call of a model failed: the provider's, or
// the request's own.
package blame

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/model/endpoint"
)

// Call is one that failed.
type Call struct {
	Provider *endpoint.Endpoint // whose words are sorted
	Body     []byte             // of the request
	Answered bool               // the provider has answered a call of the trial before
}

// Fault is whose doing it is that a call failed.
type Fault struct {
	Own   bool  // the request's: another one could go well
	Final error // the provider's, and no call would go better; nil: one may
}

// Answer says whose doing an answer is that is no reply. Words that excuse the agent
// count only where it has not put them there itself.
func (c Call) Answer(status int, header http.Header, body []byte) Fault {
	err := c.Provider.ByStatus(status, header, body)
	var (
		tooLong     *model.ContextError
		declined    *model.RefusedError
		badCall     *endpoint.BadCallError
		unsupported *model.UnsupportedError
		auth        *model.AuthError
		unknown     *model.NotFoundError
		retry       *model.RetryError
	)
	switch {
	case status >= 300 && status < 400:
		return Fault{}
	case noEndpoint.Match(body), errors.As(err, &tooLong), errors.As(err, &declined), errors.As(err, &badCall),
		errors.As(err, &unsupported):
		return Fault{Own: true}
	case status == http.StatusForbidden: // who was answered before may ask; a page is a filter's
		p := endpoint.Read(body)
		own := p.Text == "" || p.Filter() || c.Answered
		if own {
			return Fault{Own: true}
		}
		return Fault{Final: &model.NotFoundError{Err: err}}
	case status == http.StatusTooManyRequests && tooLargeAlone(endpoint.Read(body).Text):
		return Fault{Own: true}
	case errors.As(err, &auth):
		if status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(c.Body), []byte(emptyAccount)) {
			return Fault{Own: true}
		}
		return Fault{Final: err}
	case errors.As(err, &unknown): // who was answered before has a model; what else is not there it named itself
		if c.Answered || namesOther(endpoint.Read(body).Text) {
			return Fault{Own: true}
		}
		return Fault{Final: err}
	case errors.As(err, &retry):
		return Fault{}
	}
	return Fault{Own: status < 500}
}

var (
	quoted = pattern.New("'[^']*'|\"[^\"]*\"|`[^`]*`")
	things = pattern.New(
		`(?i)\b(items?|files?|(previous[ _])?responses?|conversations?|containers?|vector[ _]stores?|prompts?` +
			`|cached ?contents?|api[-_ ]?versions?)\b`)
	models = pattern.New(`(?i)\b(models?|deployments?)\b`)
)

// namesOther reports whether what is not found is something in a request, and no model.
func namesOther(text string) bool {
	text = quoted.Regexp().ReplaceAllString(text, "")
	return things.MatchString(text) && !models.MatchString(text)
}

// emptyAccount are the words of a provider that calls an empty account a bad request.
const emptyAccount = "credit balance is too low"

var (
	allowance = pattern.New(`(?i)\blimit:? ([0-9]+),? requested:? ([0-9]+)`)
	// noEndpoint: of the model there is one, but none for such a request.
	noEndpoint = pattern.New(`(?i)no endpoints found that support`)
	alone      = pattern.New(
		`(?i)request too large|request is too large|tokens must be reduced|reduce the (length|size)`)
)

// tooLargeAlone reports whether it is one request that is larger than what the provider
// takes in a minute, so that waiting is of no use.
func tooLargeAlone(text string) bool {
	if m := allowance.Regexp().FindStringSubmatch(text); m != nil {
		limit, _ := strconv.ParseFloat(m[1], 64)
		asked, _ := strconv.ParseFloat(m[2], 64)
		return asked > limit
	}
	return alone.MatchString(text)
}

// Reply says whose doing an error within a reply is.
func (c Call) Reply(body []byte) Fault {
	p := endpoint.Read(body)
	for _, own := range []string{"invalid_prompt", "bio_policy", "misalignment_policy_violation",
		"invalid_request_error", "invalid_request", "request_too_large", "content_filter",
		"context_length_exceeded", "cyber_policy"} {
		if p.Code == own || p.Kind == own {
			return Fault{Own: true}
		}
	}
	if strings.Contains(p.Code, "image") {
		return Fault{Own: true}
	}
	status, err := strconv.Atoi(p.Code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	f := c.Answer(status, nil, body)
	f.Final = nil // it has begun to answer
	return f
}
