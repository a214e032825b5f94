package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Asker names who asks a server outside of the trial's world: the contestant's
// trial, or the run before its trials (Model and Task are "").
type Asker struct {
	Server      string
	Model, Task string
	N, Attempt  int
}

// Round makes one request of a server and gives its response, both as JSON-RPC
// has them.
type Round = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// served is one request of a server and how it was answered.
type served struct {
	Server   string `json:"server"`
	Model    string `json:"model,omitempty"`
	Task     string `json:"task,omitempty"`
	N        int    `json:"n,omitempty"`
	Attempt  int    `json:"attempt,omitempty"`
	Method   string `json:"method"`
	Params   string `json:"params"`             // digest
	Response string `json:"response,omitempty"` // digest
	Failure  string `json:"failure,omitempty"`  // no response came
}

// hello is how a session begins. It names versions of programs, which may have
// changed since.
const hello = "initialize"

type servedKey struct {
	server, model, task string
	n                   int
}

func (s *served) key() servedKey { return servedKey{s.Server, s.Model, s.Task, s.N} }

// Served gives a round that is recorded.
func (w *Writer) Served(who Asker, next Round) Round {
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		raw, err := next(ctx, method, params)
		if ctx.Err() != nil {
			return raw, err
		}
		s := &served{Server: who.Server, Model: who.Model, Task: who.Task, N: who.N, Attempt: who.Attempt,
			Method: method}
		if bad := w.serve(s, params, raw, err); bad != nil {
			return nil, fmt.Errorf("recording an answer of the server %q: %w", who.Server, bad)
		}
		return raw, err
	}
}

// serve writes an answer after its pieces.
func (w *Writer) serve(s *served, params, response json.RawMessage, failed error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Params = w.blob(params)
	if failed != nil {
		s.Failure = w.redact.r.Replace(failed.Error())
	} else {
		s.Response = w.blob(response)
	}
	w.put(line{Served: s})
	return w.err
}

// keepServed adds an answer. A later attempt takes the place of an earlier one.
func (r *Recording) keepServed(s *served) error {
	if r.blobs[s.Params] == nil || s.Failure == "" && r.blobs[s.Response] == nil {
		return errors.New("an answer of a server without its content")
	}
	key := s.key()
	if had := r.served[key]; len(had) > 0 && had[0].Attempt != s.Attempt {
		r.served[key] = nil
	}
	r.served[key] = append(r.served[key], s)
	return nil
}

// Served gives a round that is answered from the recording: by what was asked
// in the same words, in the order in which it was; once that is used up, by the
// last of it. A server in a world that nothing was recorded of is as one that
// can't be reached.
func (r *Recording) Served(who Asker, _ Round) Round {
	key := servedKey{who.Server, who.Model, who.Task, who.N}
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		asked, err := newRedactor(nil).piece(params)
		if err != nil {
			return nil, err
		}
		at := r.playedOf(who)
		last, want := -1, digest(asked)
		for i, s := range r.served[key] {
			if s.Method != method || method != hello && want != s.Params {
				continue
			}
			if last = i; !at[i] {
				break
			}
		}
		if last < 0 {
			return nil, fmt.Errorf("the server %q was not asked this when it was recorded: %s %.200s",
				who.Server, method, params)
		}
		at[last] = true
		s := r.served[key][last]
		if s.Failure != "" {
			return nil, errors.New(s.Failure)
		}
		return r.blobs[s.Response], nil
	}
}

// playedOf is which answers an attempt has had. The lock is held.
func (r *Recording) playedOf(who Asker) map[int]bool {
	if r.played[who] == nil {
		r.played[who] = map[int]bool{}
	}
	return r.played[who]
}
