// Package messages talks to Anthropic, and to every endpoint that speaks its
// Messages. Marks in each request let a long conversation be read from the
// provider's cache, and what a model thought is sent back as it came.
package messages

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
)

// Chat is a model behind an endpoint that speaks Messages.
type Chat struct {
	*endpoint.Speaker

	// What the endpoint turned out to take.
	most   atomic.Int64 // tokens of a reply; 0: not known
	budget atomic.Bool  // it is told how much to think in tokens, not in words
}

var (
	_ model.Streamer = (*Chat)(nil)
	_ model.Known    = (*Chat)(nil)
	_ wire.Speaker   = (*Chat)(nil)
)

// New makes a Chat. It sends nothing.
func New(cfg endpoint.Config) *Chat { return &Chat{Speaker: endpoint.NewSpeaker(cfg, wire.Messages)} }

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
	var notes []string
	for try := 1; ; try++ {
		reply, err := c.once(ctx, req, try, onText)
		if err == nil {
			reply.Notes = append(reply.Notes, notes...)
			return reply, nil
		}
		note := c.adjust(req, err)
		if note == "" || try == 3 {
			return nil, unthinking(req, err)
		}
		notes = append(notes, note)
	}
}

// unthinking says that a model can't be told to think, or can't have what else it is told
// beside that, where this is what is wrong.
func unthinking(req *model.Request, err error) error {
	var retry *model.RetryError
	if effort(req) == "" || errors.As(err, &retry) || !strings.Contains(err.Error(), "thinking") {
		return err
	}
	switch text := err.Error(); {
	case req.Params.Temperature != nil && strings.Contains(text, "temperature"):
		return &model.UnsupportedError{What: "temperature", Value: true, Err: err}
	case req.Params.TopP != nil && strings.Contains(text, "top_p"):
		return &model.UnsupportedError{What: "top_p", Value: true, Err: err}
	}
	return &model.UnsupportedError{What: "reasoning_effort", Err: err}
}

// once makes one request as the endpoint is known to take it.
func (c *Chat) once(ctx context.Context, req *model.Request, try int, onText func(string)) (*model.Reply, error) {
	body := func() ([]byte, error) { return c.encode(req) }
	return c.Ask(ctx, req, endpoint.Asked{Path: "/messages", Body: body, Try: try}, &assembly{onText: onText})
}

var (
	tooMany    = pattern.New(`max_tokens: \d+ > (\d+)`)
	noAdaptive = pattern.New(`(?i)adaptive|output_config|effort`)
)

// adjust changes how requests are put, after one that was not taken, and says
// what it changed: nothing when there is no other way.
func (c *Chat) adjust(req *model.Request, err error) string {
	var retry *model.RetryError
	if errors.As(err, &retry) {
		return ""
	}
	text := err.Error()
	if m := tooMany.FindStringSubmatch(text); m != nil && req.Params.MaxTokens == nil {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n > 0 && n != c.most.Swap(n) {
			return fmt.Sprintf("the model writes %d tokens at most", n)
		}
	}
	if effort(req) != "" && noAdaptive.MatchString(text) && c.budget.CompareAndSwap(false, true) {
		return "the model is told in tokens how much to think"
	}
	return ""
}
