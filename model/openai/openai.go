// Package openai talks to OpenAI and to every endpoint that speaks its chat
// completions, through go-openai. One request is one attempt; what went wrong
// comes back as the kinds of errors that model.Chat names.
package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
)

// Limits of a reply, and how long one may take.
const (
	DefaultTimeout = 10 * time.Minute
	DefaultIdle    = 2 * time.Minute

	maxBody = endpoint.MaxBody
)

// Names of the parameter that limits the tokens of a reply.
const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
)

// Config says which model is asked, and how. Only Name, BaseURL and Model are
// required.
type Config struct {
	Name    string // of the provider, as in provider/model: for error texts
	BaseURL string // up to and without /chat/completions
	Key     string // sent as a bearer token to BaseURL and nowhere else; "" sends none
	KeyEnv  string // the variable that Key was read from: error texts name it
	NoKey   bool   // Key may be missing though KeyEnv is named: the server may need none
	Model   string // as the provider calls it

	Stream         bool
	NoStreamUsage  bool              // do not ask a stream for its usage: for servers that reject the question
	MaxTokensField string            // MaxTokens when empty
	EchoReasoning  bool              // send reasoning_content back beside the calls that came with it
	Traits         model.Traits      // what is known of the model
	Headers        map[string]string // sent with every request
	KeyHeader      string            // the header that a request's Key goes into; "": the provider knows no such keys
	Timeout        time.Duration     // of a whole request; DefaultTimeout when 0
	Idle           time.Duration     // between two bytes of a stream; DefaultIdle when 0
	HTTPClient     *http.Client      // its redirects are never followed; a new one when nil
	Dialects       []wire.Dialect    // that the provider speaks; nil: chat completions alone
}

// Chat is a model behind an OpenAI-compatible endpoint.
type Chat struct {
	cfg    Config
	at     *endpoint.Endpoint
	client *http.Client

	// What the endpoint turned out not to take. It is the same request under
	// another name, or without a question about it.
	otherLimit    atomic.Bool // the limit of tokens goes by its other name
	noStreamUsage atomic.Bool
}

var (
	_ model.Streamer = (*Chat)(nil)
	_ model.Known    = (*Chat)(nil)
	_ wire.Speaker   = (*Chat)(nil)
)

// Upstream says where the model is asked, for an agent that asks it itself.
func (c *Chat) Upstream() wire.Upstream {
	dialects := c.cfg.Dialects
	if dialects == nil {
		dialects = []wire.Dialect{wire.Chat}
	}
	u := c.at.Upstream(dialects)
	u.NoStreamUsage, u.MaxTokensField = c.cfg.NoStreamUsage, c.cfg.MaxTokensField
	return u
}

// Traits says what is known of the model.
func (c *Chat) Traits() model.Traits { return c.cfg.Traits }

// New makes a Chat. It sends nothing.
func New(cfg Config) *Chat {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Idle == 0 {
		cfg.Idle = DefaultIdle
	}
	if cfg.MaxTokensField == "" {
		cfg.MaxTokensField = MaxTokens
	}
	client := endpoint.NewClient(cfg.HTTPClient)
	at := &endpoint.Endpoint{Name: cfg.Name, BaseURL: cfg.BaseURL, Key: cfg.Key, KeyEnv: cfg.KeyEnv, NoKey: cfg.NoKey,
		Model:   cfg.Model,
		Dialect: wire.Chat, Headers: cfg.Headers, Timeout: cfg.Timeout, Idle: cfg.Idle, Client: client}
	return &Chat{cfg: cfg, at: at, client: client}
}

// Models asks the endpoint which models it has.
func (c *Chat) Models(ctx context.Context) ([]string, error) { return c.at.Models(ctx) }

// NewTransport gives a transport that many trials can share.
func NewTransport() *http.Transport { return endpoint.NewTransport() }

// Generate makes one request. Its errors are those of model.Chat.
func (c *Chat) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	return c.generate(ctx, req, mode{c.cfg.Stream, func(string) {}})
}

// GenerateStream makes one request and hands its text on as it arrives, at
// once where the endpoint does not stream. When it fails, what was handed on
// counts for nothing.
func (c *Chat) GenerateStream(ctx context.Context, req *model.Request, onText func(string)) (*model.Reply, error) {
	return c.generate(ctx, req, mode{true, onText})
}

// mode is how a reply is to arrive.
type mode struct {
	stream bool
	onText func(string)
}

func (c *Chat) generate(ctx context.Context, req *model.Request, m mode) (*model.Reply, error) {
	if err := c.at.Keyless(); err != nil {
		return nil, err
	}
	reply, err := c.once(ctx, req, m)
	if unsupported, ok := errors.AsType[*model.UnsupportedError](err); ok {
		if note := c.adjust(unsupported.What); note != "" {
			again := *req
			if again.Key != "" {
				again.Key += "-2" // another request: this one has another body
			}
			if reply, err = c.once(ctx, &again, m); err == nil {
				reply.Notes = append(reply.Notes, note)
			}
		}
	}
	return reply, err
}

// adjust changes how requests are put, and says what it changed: nothing when
// there is no other way.
func (c *Chat) adjust(what string) string {
	field := c.limitField()
	switch {
	case what == "stream_options" && c.noStreamUsage.CompareAndSwap(false, true):
		return "the endpoint can't be asked for the usage of a stream"
	case (what == MaxTokens || what == MaxCompletionTokens) && c.otherLimit.CompareAndSwap(false, true):
		return fmt.Sprintf("the endpoint takes %s in the place of %s", c.limitField(), field)
	}
	return ""
}

// limitField is the name that the limit of tokens goes by.
func (c *Chat) limitField() string {
	if (c.cfg.MaxTokensField == MaxTokens) != c.otherLimit.Load() {
		return MaxTokens
	}
	return MaxCompletionTokens
}

// once makes one request as the endpoint is known to take it.
func (c *Chat) once(ctx context.Context, req *model.Request, m mode) (*model.Reply, error) {
	cfg := c.cfg
	cfg.Stream = m.stream
	cfg.MaxTokensField, cfg.NoStreamUsage = c.limitField(), cfg.NoStreamUsage || c.noStreamUsage.Load()
	body, err := encode(cfg, req)
	if err != nil {
		return nil, c.at.Fault("encoding the request: %v", err)
	}
	asked := time.Now()
	own, patience, done := c.at.Wait(ctx)
	defer done()
	x := &exchange{chat: c, body: body, key: req.Key, stream: m.stream, wait: patience}

	ask := c.whole
	if m.stream {
		ask = c.stream
	}
	reply, err := ask(own, x, m.onText)
	switch {
	case err == nil:
		endpoint.Mend(reply, req)
		return reply, nil
	case ctx.Err() != nil && !patience.Stalled():
		return nil, c.at.Left(ctx, asked, x.events && !x.started)
	case errors.Is(err, errTooLarge):
		reply, err = c.tooLarge(x, req.Params.MaxTokens)
		if retry, ok := errors.AsType[*model.RetryError](err); ok {
			retry.Partial, retry.Arrived = x.started, x.arrived
		}
		return reply, err
	}
	err = c.kind(c.at.GaveUp(ctx, own), x, err)
	if bad := (*endpoint.BadCallError)(nil); errors.As(err, &bad) {
		return unfit(model.FinishUnknown, bad.Error()), nil
	}
	return nil, err
}

// unfit is a reply of which nothing can be used, by the model's own doing.
func unfit(f model.Finish, note string) *model.Reply {
	return &model.Reply{Message: model.Message{Role: model.Assistant}, Finish: f, Notes: []string{note}}
}

// whole asks for a reply in one piece.
func (c *Chat) whole(ctx context.Context, x *exchange, onText func(string)) (*model.Reply, error) {
	_, err := c.goopenai(x).CreateChatCompletion(ctx, goopenai.ChatCompletionRequest{Model: c.cfg.Model})
	switch {
	case x.plain != nil:
		return c.reply(x.plain, onText)
	case err != nil:
		return nil, err
	}
	return nil, &noChoiceError{x.start.Bytes()}
}

// reply makes a reply of a response that holds a choice.
func (c *Chat) reply(resp *completion, onText func(string)) (*model.Reply, error) {
	choice := resp.Choices[0]
	text := choice.Message.Content
	for _, part := range choice.Message.MultiContent {
		text += part.Text
	}
	r := &model.Reply{
		Message: model.Message{Role: model.Assistant, Content: text},
		Finish:  finish(choice.FinishReason),
		Served:  resp.Model,
	}
	if c.cfg.EchoReasoning {
		r.Message.Reasoning = choice.Message.ReasoningContent
	}
	for _, tc := range choice.Message.ToolCalls {
		r.Message.Calls = append(r.Message.Calls,
			model.Call{ID: tc.ID, Name: tc.Function.Name, Arguments: tc.Function.Arguments})
	}
	if f := choice.Message.FunctionCall; f != nil && f.Name != "" {
		r.Message.Calls = append(r.Message.Calls, model.Call{Name: f.Name, Arguments: f.Arguments})
	}
	r.Usage = usage(resp.Usage, r)
	if err := unusable(r, choice.FinishReason, choice.Message.Refusal); err != nil {
		return nil, err
	}
	if text != "" {
		onText(text)
	}
	return r, nil
}

// stream asks for a reply piece by piece and puts it together.
func (c *Chat) stream(ctx context.Context, x *exchange, onText func(string)) (*model.Reply, error) {
	s, err := c.goopenai(x).CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{Model: c.cfg.Model})
	if x.plain != nil { // the server streams nothing
		return c.reply(x.plain, onText)
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	a := assembly{reasons: c.cfg.EchoReasoning}
	for {
		raw, err := s.RecvRaw()
		if errors.Is(err, io.EOF) && (x.done || a.ended()) {
			return a.reply()
		}
		if errors.Is(err, io.EOF) {
			return nil, errCut
		}
		if err != nil {
			return nil, err
		}
		text, err := a.add(raw)
		if err != nil {
			return nil, err
		}
		x.started, x.arrived = true, a.size()
		if x.arrived > 0 {
			x.wait.Wrote()
		}
		if text != "" {
			onText(text)
		}
	}
}

// goopenai gives a client for one exchange: go-openai hides the headers of an
// error and drops zeros from a request, so each request goes through a doer of
// its own.
func (c *Chat) goopenai(x *exchange) *goopenai.Client {
	cfg := goopenai.DefaultConfig(c.cfg.Key)
	cfg.BaseURL = strings.TrimRight(c.cfg.BaseURL, "/")
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = maxBody // the exchange bounds a reply already
	return goopenai.NewClientWithConfig(cfg)
}
