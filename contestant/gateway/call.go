package gateway

import (
	"fmt"
	"net/http"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// call is a request of the model as the agent put it.
type call struct {
	route
	doc     *document.Document
	asked   string
	stream  bool
	tools   []string // their names
	output  int      // tokens, at most; 0: it does not say
	dropped []string
	strip   bool // the usage that the agent did not ask a stream for
	body    []byte
	speaks  wire.Dialect // of the body
	// without is the body without the limit of the reply that was put in; nil: none was.
	without []byte
}

// maxOutput is how many tokens a call may ask for: what it could cost is held back.
const maxOutput = 1 << 17

// read takes a request's body apart, and makes of it what is sent on.
func (g *Gateway) read(rt route, body []byte) (*call, *refusal) {
	doc, err := document.Open(body, guarded[rt.dialect])
	if err != nil {
		return nil, invalid(err.Error())
	}
	c := &call{route: rt, doc: doc}
	if c.asked, c.stream = rt.model, rt.action == "streamGenerateContent"; rt.dialect != wire.Gemini {
		named, ok := doc.Text("model")
		streams, plain := doc.Flag("stream")
		switch {
		case !ok || named == "":
			return c, invalid("the request names no model")
		case !plain:
			return c, invalid("stream is neither true nor false")
		}
		c.asked, c.stream = named, streams
	}
	if g.opts.Strict && !g.same(c.asked) {
		return c, &refusal{http.StatusNotFound, "not_found_error", "model_not_found",
			fmt.Sprintf("there is no model %q here, only %q", short(c.asked), g.opts.Upstream.Model), true}
	}
	for _, check := range []func() error{c.forbidden, c.limits, func() error { return c.readTools(g.opts.ServerTools) },
		func() error { return nested(rt.dialect, body, g.opts.Reach) }} {
		if err := check(); err != nil {
			return c, invalid(err.Error())
		}
	}
	return c, nil
}

// same reports whether a name means the trial's model.
func (g *Gateway) same(name string) bool {
	return name == g.opts.Model || name == g.opts.Upstream.Model || name == "models/"+g.opts.Upstream.Model
}
