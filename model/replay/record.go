package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"cookoff/model"
	"cookoff/model/wire"
)

// Writer makes a recording. It is safe for concurrent use.
type Writer struct {
	redact redactor

	mu       sync.Mutex
	f        *os.File
	models   []string
	traits   map[string]*model.Traits
	dialects map[string][]wire.Dialect
	have     map[string]bool // pieces that are in the file
	err      error
}

// NewWriter gives a Writer without a file: Create comes before the first trial.
// secrets maps names to values that must never be written.
func NewWriter(secrets map[string]string) *Writer {
	return &Writer{redact: newRedactor(secrets), have: map[string]bool{}, traits: map[string]*model.Traits{},
		dialects: map[string][]wire.Dialect{}}
}

// Create starts the recording at path, which must not be there yet.
func (w *Writer) Create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f = f
	w.put(line{Schema: schema})
	w.known()
	return w.err
}

// Continue goes on with a recording that was begun: f is open to write behind
// its last whole line. Close closes it.
func (w *Writer) Continue(f *os.File) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f = f
	w.known()
	return w.err
}

// known writes the models, and what is known of them.
func (w *Writer) known() {
	for _, id := range w.models {
		w.put(line{Model: id, Traits: w.traits[id], Dialects: w.dialects[id]})
	}
}

// Close ends the recording. It gives the first error of writing: what was
// recorded then is not whole.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return nil
	}
	if err := w.f.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// Chat gives chat with a record of what it is asked in trials. It comes before
// Create.
func (w *Writer) Chat(id string, chat model.Chat) model.Chat {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.models, id) {
		w.models = append(w.models, id)
		if u, ok := wire.UpstreamOf(chat); ok {
			w.dialects[id] = u.Dialects
		}
		if t := model.TraitsOf(chat); t.ToolFormat != "" || len(t.Omit) > 0 {
			w.traits[id] = &t
		}
	}
	return &recorded{w, id, chat}
}

type recorded struct {
	w    *Writer
	id   string
	chat model.Chat
}

// Generate asks outside of a trial, which is not recorded.
func (r *recorded) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	return r.chat.Generate(ctx, req)
}

// Traits says what is known of the model.
func (r *recorded) Traits() model.Traits { return model.TraitsOf(r.chat) }

// ForTrial gives the chat of one trial.
func (r *recorded) ForTrial(t model.TrialID) model.Chat { return &inTrial{r, t} }

type inTrial struct {
	*recorded
	trial model.TrialID
}

// Generate asks, and records the answer unless another try may follow. A
// recording that can't be kept is no fault of the model: it fails the request.
func (r *inTrial) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	return r.record(ctx, req, func() (*model.Reply, error) { return r.chat.Generate(ctx, req) })
}

// GenerateStream does so, and hands the text on as it arrives.
func (r *inTrial) GenerateStream(ctx context.Context, req *model.Request, onText func(string)) (*model.Reply, error) {
	return r.record(ctx, req, func() (*model.Reply, error) {
		if s, ok := r.chat.(model.Streamer); ok {
			return s.GenerateStream(ctx, req, onText)
		}
		return r.chat.Generate(ctx, req)
	})
}

func (r *inTrial) record(ctx context.Context, req *model.Request, ask func() (*model.Reply, error)) (*model.Reply,
	error) {
	reply, err := ask()
	if ctx.Err() != nil {
		return reply, err
	}
	e := &exchange{Model: r.id, Task: r.trial.Task, N: r.trial.N, Attempt: r.trial.Attempt}
	if err != nil {
		if t := learned(err); t != nil {
			if bad := r.w.learn(r.id, t); bad != nil {
				return nil, fmt.Errorf("recording what is known of a model: %w", bad)
			}
		}
		if e.Error = failureOf(err); e.Error == nil {
			return nil, err
		}
	}
	if bad := r.w.add(e, req, reply); bad != nil {
		return nil, fmt.Errorf("recording an exchange: %w", bad)
	}
	return reply, err
}

// learn writes what was learned of a model.
func (w *Writer) learn(id string, t *model.Traits) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(line{Model: id, Traits: t})
	return w.err
}

// add writes an exchange, after the pieces of it that are new.
func (w *Writer) add(e *exchange, req *model.Request, reply *model.Reply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range req.Messages {
		e.Messages = append(e.Messages, w.blob(m))
	}
	if len(req.Tools) > 0 {
		e.Tools = w.blob(req.Tools)
	}
	e.Params = w.blob(params{req.Params, req.Functions})
	if reply != nil {
		e.Reply = w.blob(reply)
	} else {
		text, _ := json.Marshal(e.Error.Text) // a string always marshals
		_ = json.Unmarshal([]byte(w.redact.r.Replace(string(text))), &e.Error.Text)
	}
	w.put(line{Exchange: e})
	return w.err
}

// blob writes a piece unless it is there, and gives its digest.
func (w *Writer) blob(v any) string {
	b, err := w.redact.piece(v)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return ""
	}
	d := digest(b)
	if !w.have[d] {
		w.have[d] = true
		w.put(line{Blob: d, JSON: b})
	}
	return d
}

func (w *Writer) put(l line) {
	if w.err != nil {
		return
	}
	if w.f == nil {
		w.err = errors.New("the recording was not created")
		return
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = w.f.Write(append(b, '\n'))
	}
	w.err = err
}
