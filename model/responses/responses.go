// Package responses talks to OpenAI, and to every endpoint that speaks its
// Responses. Nothing is stored there: what a model thought comes encrypted, and
// is sent back as it came.
package responses

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
)

// Chat is a model behind an endpoint that speaks Responses.
type Chat struct {
	*endpoint.Speaker
	// plain: the model has no encrypted thoughts to be asked for.
	plain atomic.Bool
}

var (
	_ model.Streamer = (*Chat)(nil)
	_ model.Known    = (*Chat)(nil)
	_ wire.Speaker   = (*Chat)(nil)
)

// New makes a Chat. It sends nothing.
func New(cfg endpoint.Config) *Chat { return &Chat{Speaker: endpoint.NewSpeaker(cfg, wire.Responses)} }

// Upstream says where the model is asked, for an agent that asks it itself.
func (c *Chat) Upstream() wire.Upstream {
	u := c.Speaker.Upstream()
	u.MaxTokensField = "max_completion_tokens" // who speaks Responses knows it
	return u
}

// Generate makes one request. Its errors are those of model.Chat.
func (c *Chat) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	return c.GenerateStream(ctx, req, func(string) {})
}

// GenerateStream makes one request and hands its text on as it arrives. When it
// fails, what was handed on counts for nothing.
func (c *Chat) GenerateStream(ctx context.Context, req *model.Request, onText func(string)) (*model.Reply, error) {
	if err := c.At.Keyless(); err != nil {
		return nil, err
	}
	reply, err := c.once(ctx, req, 1, onText)
	if err != nil && c.unencrypted(err) {
		reply, err = c.once(ctx, req, 2, onText)
	}
	return reply, err
}

// unencrypted reports whether a request was not taken since the model has no
// encrypted thoughts, and was not known to have none.
func (c *Chat) unencrypted(err error) bool {
	var retry *model.RetryError
	return !errors.As(err, &retry) && strings.Contains(strings.ToLower(err.Error()), "encrypted") &&
		c.plain.CompareAndSwap(false, true)
}

// once makes one request as the endpoint is known to take it.
func (c *Chat) once(ctx context.Context, req *model.Request, try int, onText func(string)) (*model.Reply, error) {
	body := func() ([]byte, error) { return c.encode(req) }
	return c.Ask(ctx, req, endpoint.Asked{Path: "/responses", Body: body, Try: try}, &assembly{onText: onText})
}
