// Package request takes apart what an agent asks of its model. What nobody could count,
// or what goes past the gateway, is refused; tools that the provider runs are left out.
package request

import (
	"errors"
	"fmt"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// Call is a request of the model as the agent put it.
type Call struct {
	Route
	Doc         *document.Document
	Asked       string // the model, as it calls it
	Stream      bool
	Tools       []string     // their names
	Output      int          // tokens, at most; 0: it does not say
	Dropped     []string     // what was left out
	Strip       bool         // the usage that the agent did not ask a stream for
	Body        []byte       // that is sent on
	BodyDialect wire.Dialect // of Body
	// Without is the body without the limit of the reply that was put in; nil: none was.
	Without []byte
}

// Rules say what a call may ask for.
type Rules struct {
	Model    string // provider/model: the trial's
	Upstream wire.Upstream
	// Strict refuses a model of another name.
	Strict bool
	// ServerTools lets tools pass that the provider itself runs.
	ServerTools bool
	// Reach says of a host that the trial may reach it; nil: none.
	Reach func(host string) bool
}

// UnknownModelError says that a call is for a model that is not there.
type UnknownModelError struct{ Asked, Have string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("there is no model %q here, only %q", document.Short(e.Asked), e.Have)
}

// maxOutput is how many tokens a call may ask for: what it could cost is held back.
const maxOutput = 1 << 17

// Read takes a request's body apart. The call is what was read of it, also where an error
// says why it is not taken; nil: nothing was. The error is an *UnknownModelError, or the
// request is invalid.
func Read(rt Route, body []byte, rules Rules) (*Call, error) {
	doc, err := document.Open(body, guarded[rt.Dialect])
	if err != nil {
		return nil, err
	}
	c := &Call{Route: rt, Doc: doc}
	if c.Asked, c.Stream = rt.Model, rt.Action == "streamGenerateContent"; rt.Dialect != wire.Gemini {
		named, ok := doc.Text("model")
		streams, plain := doc.Flag("stream")
		switch {
		case !ok || named == "":
			return c, errors.New("the request names no model")
		case !plain:
			return c, errors.New("stream is neither true nor false")
		}
		c.Asked, c.Stream = named, streams
	}
	if rules.Strict && !rules.Same(c.Asked) {
		return c, &UnknownModelError{c.Asked, rules.Upstream.Model}
	}
	for _, check := range []func() error{c.forbidden, c.limits, func() error { return c.readTools(rules.ServerTools) },
		func() error { return nested(rt.Dialect, body, rules.Reach) }} {
		if err := check(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Same reports whether a name means the trial's model.
func (r Rules) Same(name string) bool {
	return name == r.Model || name == r.Upstream.Model || name == "models/"+r.Upstream.Model
}
