// Package scripted is a model that says what a test wrote down: replies and
// errors in order, with a record of what it was asked.
package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cookoff/model"
)

// Step is what the model does with one request: it looks at it, then waits,
// then answers.
type Step struct {
	Reply *model.Reply
	Err   error
	// Look is asked first, when set; its error fails the script.
	Look func(*model.Request) error
	// Until keeps the request waiting, when set, until it is closed or the
	// request is cancelled.
	Until <-chan struct{}
}

// usage is what every reply made by Text and Calls reports.
func usage() model.Usage { return model.Usage{Input: 100, Output: 10, Known: true} }

// Text answers with a final text.
func Text(text string) Step {
	return Step{Reply: &model.Reply{Finish: model.FinishStop, Usage: usage(),
		Message: model.Message{Role: model.Assistant, Content: text}}}
}

// Calls answers with tool calls.
func Calls(calls ...model.Call) Step {
	return Step{Reply: &model.Reply{Finish: model.FinishCalls, Usage: usage(),
		Message: model.Message{Role: model.Assistant, Calls: calls}}}
}

// Call answers with one tool call whose arguments are args as JSON; a string
// is taken as the arguments themselves, valid or not.
func Call(id, tool string, args any) Step {
	text, raw := args.(string)
	if !raw {
		b, err := json.Marshal(args)
		if err != nil {
			return Step{Err: fmt.Errorf("scripted call of %q: %w", tool, err)}
		}
		text = string(b)
	}
	return Calls(model.Call{ID: id, Name: tool, Arguments: text})
}

// Fails answers with an error.
func Fails(err error) Step { return Step{Err: err} }

// Stalls never answers: the request ends when it is cancelled.
func Stalls() Step { return Step{Until: make(chan struct{})} }

// Model plays its steps, one a request, in the order in which requests come.
// It is safe for concurrent use.
type Model struct {
	mu       sync.Mutex
	steps    []Step
	requests []model.Request
	broken   []error
}

// New makes a model of steps. A request beyond the last step fails, and so
// does Check.
func New(steps ...Step) *Model { return &Model{steps: steps} }

// Generate plays the next step. Beyond the last it gives an error that holds
// the whole request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	step, err := m.next(req)
	if err != nil {
		return nil, err
	}
	if step.Until != nil {
		select {
		case <-step.Until:
		case <-ctx.Done():
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case step.Err != nil:
		return nil, step.Err
	case step.Reply == nil: // only Until was set, and it was closed
		return nil, errors.New("the script gives no reply")
	}
	r := *step.Reply
	r.Message.Calls = slices.Clone(r.Message.Calls)
	return &r, nil
}

// GenerateStream plays the next step, its text in two pieces.
func (m *Model) GenerateStream(ctx context.Context, req *model.Request, onText func(string)) (*model.Reply, error) {
	r, err := m.Generate(ctx, req)
	if err != nil || r.Message.Content == "" {
		return r, err
	}
	runes := []rune(r.Message.Content)
	for _, part := range [][]rune{runes[:len(runes)/2], runes[len(runes)/2:]} {
		if len(part) > 0 {
			onText(string(part))
		}
	}
	return r, nil
}

func (m *Model) next(req *model.Request) (Step, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, model.Request{
		Messages: slices.Clone(req.Messages), Tools: slices.Clone(req.Tools), Params: req.Params})
	n := len(m.requests)
	if n > len(m.steps) {
		text, err := json.MarshalIndent(req, "", "  ")
		return Step{}, m.breaks(errors.Join(fmt.Errorf("request %d was not expected, the script has %d:\n%s",
			n, len(m.steps), text), err))
	}
	step := m.steps[n-1]
	if step.Look != nil {
		if err := step.Look(req); err != nil {
			return Step{}, m.breaks(fmt.Errorf("request %d: %w", n, err))
		}
	}
	if step.Reply == nil && step.Err == nil && step.Until == nil {
		return Step{}, m.breaks(fmt.Errorf("step %d of the script is empty", n))
	}
	return step, nil
}

// breaks keeps err for Check, so that a caller that swallows it hides nothing.
func (m *Model) breaks(err error) error {
	m.broken = append(m.broken, err)
	return err
}

// Requests gives what was asked so far, in order.
func (m *Model) Requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Check tells what went against the script: requests that were not expected
// or not as looked for, and steps that nobody asked for. Tests call it at the end.
func (m *Model) Check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := errors.Join(m.broken...)
	if left := len(m.steps) - len(m.requests); left > 0 {
		err = errors.Join(err, fmt.Errorf("the script was not played to its end: %d of %d steps are left", left,
			len(m.steps)))
	}
	return err
}

// Func makes a function a model, for tests whose answer follows from the
// request. It must be safe for concurrent use.
type Func func(context.Context, *model.Request) (*model.Reply, error)

// Generate calls f.
func (f Func) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	return f(ctx, req)
}
