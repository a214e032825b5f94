package endpoint_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/messages"
	"cookoff/model/openai"
	"cookoff/model/responses"
	"cookoff/model/wire"
)

// dripping answers with a beginning, and then with the same piece each ten seconds for
// ever, or with nothing more.
type dripping struct{ media, first, piece string }

func (d dripping) RoundTrip(r *http.Request) (*http.Response, error) {
	in, out := io.Pipe()
	go func() {
		_, err := io.WriteString(out, d.first)
		for err == nil {
			select {
			case <-r.Context().Done():
				err = r.Context().Err()
				out.CloseWithError(err)
			case <-time.After(10 * time.Second):
				if d.piece != "" {
					_, err = io.WriteString(out, d.piece)
				}
			}
		}
	}()
	return &http.Response{StatusCode: http.StatusOK,
		Header: http.Header{"Content-Type": {d.media}}, Body: in, Request: r}, nil
}

// TestKeptOpen: where a caller's time runs out, a stream that had brought nothing but what
// keeps a connection open, for longer than one may be silent, is the provider's silence.
// With one event of a reply, or in one piece, it may be the model that is slow.
func TestKeptOpen(t *testing.T) {
	const events, whole, comment = "text/event-stream", "application/json", ": keep-alive\n\n"
	const pinged = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	for name, c := range map[string]struct {
		dialect wire.Dialect
		d       dripping
		limit   time.Duration // of the caller
		idle    bool
	}{
		"chat, comments":     {wire.Chat, dripping{events, "", comment}, 5 * time.Minute, true},
		"chat, blanks":       {wire.Chat, dripping{events, "", "\n"}, 5 * time.Minute, true},
		"chat, not for long": {wire.Chat, dripping{events, "", comment}, 110 * time.Second, false},
		"chat, begun": {wire.Chat, dripping{events,
			"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n", comment}, 5 * time.Minute, false},
		"chat, in one piece": {wire.Chat, dripping{whole, "", "\n"}, 5 * time.Minute, false},
		"messages, comments": {wire.Messages, dripping{events, "", comment}, 5 * time.Minute, true},
		"messages, pings":    {wire.Messages, dripping{events, pinged, pinged}, 5 * time.Minute, true},
		"messages, begun": {wire.Messages,
			dripping{events, "data: {\"type\":\"message_start\",\"message\":{}}\n\n", pinged}, 5 * time.Minute, false},
		"responses, comments": {wire.Responses, dripping{events, "", comment}, 5 * time.Minute, true},
		"responses, begun": {wire.Responses, dripping{events, "data: {\"type\":\"response.created\"}\n\n", comment},
			5 * time.Minute, false},
		"responses, one piece": {wire.Responses, dripping{whole, "{", " "}, 5 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				began := time.Now()
				_, err := speaking(c.dialect, c.d, c.d.media == events).Generate(ctx, hello())
				retry, ok := errors.AsType[*model.RetryError](err)
				if ok && retry.Idle != c.idle || !ok && (c.idle || !errors.Is(err, context.DeadlineExceeded)) {
					t.Errorf("%v", err)
				}
				if ok && (retry.Partial || !strings.Contains(err.Error(),
					"nothing came for 5m0s but what keeps a connection open")) {
					t.Errorf("%#v", retry)
				}
				if took := time.Since(began); took != c.limit {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // who leaves by himself finds no fault
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Minute, cancel)
		if _, err := speaking(wire.Messages, dripping{events, "", comment}, true).Generate(ctx,
			hello()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Beginnings of a reply in each dialect, of which the model has written something.
const (
	chatBegun     = "data: {\"choices\":[{\"delta\":{\"content\":\"I have\"}}]}\n\n"
	messagesBegun = "data: {\"type\":\"content_block_start\",\"index\":0," +
		"\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" + messagesMore
	messagesMore = "data: {\"type\":\"content_block_delta\",\"index\":0," +
		"\"delta\":{\"type\":\"text_delta\",\"text\":\"I have\"}}\n\n"
	responsesBegun = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"I have\"}\n\n"
)

// TestStalledReplies: a reply that stops in the middle is the provider's, be the caller's
// time over meanwhile or not; one that comes slowly, or that was silent before its first
// word, has the caller's time for its own.
func TestStalledReplies(t *testing.T) {
	const events, whole = "text/event-stream", "application/json"
	const unknown = -1
	for name, c := range map[string]struct {
		dialect wire.Dialect
		d       dripping
		limit   time.Duration // of the caller
		took    time.Duration // until it was given up; unknown: it was the caller's time
		idle    bool          // which was over
	}{
		"chat":               {wire.Chat, dripping{events, chatBegun, ""}, 5 * time.Minute, 2 * time.Minute, false},
		"chat, late":         {wire.Chat, dripping{events, chatBegun, ""}, time.Minute, 2 * time.Minute, true},
		"chat, slow":         {wire.Chat, dripping{events, chatBegun, chatBegun}, 15 * time.Second, unknown, false},
		"chat, no word yet":  {wire.Chat, dripping{events, "data: {\"choices\":[]}\n\n", ""}, time.Minute, unknown, false},
		"chat, no event yet": {wire.Chat, dripping{events, "", ""}, time.Minute, unknown, false},
		"chat, whole":        {wire.Chat, dripping{whole, `{"choices":`, ""}, 5 * time.Minute, 2 * time.Minute, false},
		"chat, whole, late":  {wire.Chat, dripping{whole, `{"choices":`, ""}, time.Minute, 2 * time.Minute, true},
		"chat, whole, none":  {wire.Chat, dripping{whole, "\n", ""}, 5 * time.Minute, unknown, false},
		"messages, late":     {wire.Messages, dripping{events, messagesBegun, ""}, time.Minute, 2 * time.Minute, true},
		"messages, slow":     {wire.Messages, dripping{events, messagesBegun, messagesMore}, 15 * time.Second, unknown, false},
		"responses, late":    {wire.Responses, dripping{events, responsesBegun, ""}, time.Minute, 2 * time.Minute, true},
		"responses, whole":   {wire.Responses, dripping{whole, `{"output":`, ""}, time.Minute, 2 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := model.Limited(t.Context(), c.limit)
				defer cancel()
				began := time.Now()
				_, err := speaking(c.dialect, c.d, c.d.media == events).Generate(ctx, hello())
				retry, ok := errors.AsType[*model.RetryError](err)
				took := time.Since(began)
				switch {
				case c.took == unknown && (ok || !errors.Is(err, context.DeadlineExceeded)):
					t.Errorf("%v", err)
				case c.took == unknown && took > c.limit+10*time.Second:
					t.Errorf("it took %v", took)
				case c.took != unknown && (!ok || retry.Idle != c.idle || !retry.Partial || took != c.took ||
					!strings.Contains(err.Error(), "the reply has stalled: no bytes for 2m0s")):
					t.Errorf("it took %v: %#v, %v", took, retry, err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // who leaves is not kept by a reply that may go on
		before, leave := context.WithCancel(t.Context())
		ctx, cancel := model.Limited(before, time.Minute)
		defer cancel()
		time.AfterFunc(90*time.Second, leave)
		began := time.Now()
		_, err := speaking(wire.Chat, dripping{events, chatBegun, ""}, true).Generate(ctx, hello())
		if !errors.Is(err, context.Canceled) || time.Since(began) != 90*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func hello() *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.User, Content: "hello"}}}
}

// speaking is a model behind a transport.
func speaking(d wire.Dialect, via http.RoundTripper, stream bool) model.Chat {
	client := &http.Client{Transport: via}
	if d == wire.Chat {
		return openai.New(openai.Config{Name: "acme",
			BaseURL: "http://acme/v1", Model: "one", Stream: stream, HTTPClient: client})
	}
	at := endpoint.Endpoint{Name: "acme", BaseURL: "http://acme/v1", Model: "one", Timeout: openai.DefaultTimeout,
		Idle: openai.DefaultIdle, Client: endpoint.NewClient(client)}
	cfg := endpoint.Config{Endpoint: at, Dialects: []wire.Dialect{d}}
	if d == wire.Messages {
		return messages.New(cfg)
	}
	return responses.New(cfg)
}
