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
// ever.
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
				_, err = io.WriteString(out, d.piece)
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
