// Package preflight asks providers whether they are there, before a run.
package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/report/number"
	"cookoff/runner"
)

// askTimeout is how long a model has to answer one word.
const askTimeout = 2 * time.Minute

// listTimeout is how long a provider has to list its models, looks how often
// one that fails is asked.
const (
	listTimeout = 20 * time.Second
	looks       = 3
)

// lister is a chat whose provider can say which models it has.
type lister interface {
	model.Chat
	Models(ctx context.Context) ([]string, error)
}

// looked is what came of asking one provider, or one model of it.
type looked struct {
	problem error // nil: it answers
	warning string
	usd     float64 // that it cost, as far as it is known
	asked   int     // models that a request was sent to
}

// Asker asks providers.
type Asker struct {
	Config *config.Config
	Limit  float64      // USD that the run may spend; 0: any. Beside it a word costs next to nothing, or is not asked
	Clock  runner.Clock // nil: the real one
	Notify func(host.Notice)

	silent *silence // nil: nobody is told who is waited for
}

// Error says that providers don't answer as they have to.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives what each of them said.
func (e *Error) Unwrap() error { return e.Err }

// Providers groups models by their providers, in order of the first of each; what
// is asked over no network is left out.
func Providers(models []string) (order []string, byProvider map[string][]string) {
	byProvider = map[string][]string{}
	for _, id := range models {
		name, _, _ := strings.Cut(id, "/")
		if id == "" || name == "baseline" || name == "replay" || slices.Contains(byProvider[name], id) {
			continue
		}
		if byProvider[name] == nil {
			order = append(order, name)
		}
		byProvider[name] = append(byProvider[name], id)
	}
	return order, byProvider
}

// Ask asks every provider of the models whether it is there, takes the key and has
// the models, before anything is paid or waited for: by its list of models, which
// costs nothing, and by the shortest of requests, of one of the models that the list
// has and of all that it lacks (decision 205). An *Error names all that is wrong; the
// only other error is ctx's. usd is what it cost, as far as that is known.
func (a Asker) Ask(ctx context.Context, models []string) (usd float64, err error) {
	order, byProvider := Providers(models)
	if len(order) == 0 {
		return 0, nil
	}
	results := make([][]looked, len(order))
	a.silent = &silence{}
	stop := a.silent.tell(ctx, a.Notify)
	var wg sync.WaitGroup
	for i, name := range order {
		wg.Go(func() { results[i] = a.look(ctx, byProvider[name]) })
	}
	wg.Wait()
	stop()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return a.lookedAt(slices.Concat(results...))
}

// Free asks the provider of a model what costs nothing: whether it is there, takes the key and lists the model, of
// which a warning is told where it does not. An error is ctx's, or says what is wrong.
func (a Asker) Free(ctx context.Context, id string) error {
	chat, err := a.Config.Chat(id)
	if err != nil {
		return err
	}
	listed, err := a.list(ctx, chat)
	if err != nil || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), a.advised(id, listed, err))
	}
	if _, name, _ := strings.Cut(id, "/"); len(listed) > 0 && !has(listed, name) {
		a.Notify(host.Notice{Text: text.Line(id + " is not in the provider's list of models"), Warning: true})
	}
	return nil
}

// lookedAt says what came of asking.
func (a Asker) lookedAt(all []looked) (usd float64, err error) {
	var problems []error
	n := 0
	for _, l := range all {
		if l.problem != nil {
			problems = append(problems, l.problem)
		}
		if l.warning != "" {
			a.Notify(host.Notice{Text: text.Line(l.warning), Warning: true})
		}
		usd, n = usd+l.usd, n+l.asked
	}
	if n > 0 && usd > 0 {
		a.Notify(host.Notice{Text: fmt.Sprintf("%s asked with a request of a few tokens, for %s",
			text.Count(n, "model"), number.Money(&usd))})
	}
	if len(problems) == 0 {
		return usd, nil
	}
	return usd, &Error{errors.Join(problems...)}
}

// word is the most that is said of a word: what is asked, with a tool, and the reply.
var word = model.Usage{Input: 500, Output: lookTokens, Known: true}

// mayAsk reports whether a model may be asked for a word, beside the limit of the run.
func (a Asker) mayAsk(id string) bool {
	if a.Limit == 0 {
		return true
	}
	usd, ok := a.Config.Prices().Cost(id, word)
	return ok && usd <= a.Limit/100
}

// look asks one provider about its models, by requests too where it may be paid.
func (a Asker) look(ctx context.Context, ids []string) []looked {
	chats := make([]model.Chat, len(ids))
	for i, id := range ids {
		chat, err := a.Config.Chat(id)
		if err != nil {
			return []looked{{problem: err}}
		}
		chats[i] = chat
	}
	answered := a.silent.asks(ids[0])
	listed, err := a.list(ctx, chats[0])
	answered()
	if err != nil {
		return []looked{{problem: a.advised(ids[0], listed, err)}}
	}
	var out []looked
	proven := false // that it answers, takes the key and has money left
	for i, id := range ids {
		_, name, _ := strings.Cut(id, "/")
		switch {
		case has(listed, name) && (proven || !a.mayAsk(id)):
		case a.mayAsk(id):
			proven = true // or a problem is told
			one := a.lookAt(ctx, id, chats[i])
			if has(listed, name) && errors.Is(one.problem, errSilent) { // a server of one's own may load it for long
				one.problem, one.warning = nil, one.problem.Error()
			}
			one.problem = a.advised(id, listed, one.problem)
			out = append(out, one)
		case listed != nil:
			out = append(out, looked{warning: fmt.Sprintf("%s is not in the provider's list of models", id)})
		}
	}
	return out
}

// list gives the models that a provider says it has, nil where it can't say. The
// error says that it can't be asked at all.
func (a Asker) list(ctx context.Context, chat model.Chat) ([]string, error) {
	l, ok := chat.(lister)
	if !ok {
		return nil, nil
	}
	var names []string
	err := a.again(ctx, func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		names, err = l.Models(ctx)
		return err
	})
	retry, down := errors.AsType[*model.RetryError](err)
	_, rejected := errors.AsType[*model.AuthError](err)
	if rejected || down && retry.Down {
		return nil, err
	}
	return names, nil // it may still answer requests
}

// again calls f until it does not fail by the provider's doing, a few times.
func (a Asker) again(ctx context.Context, f func() error) error {
	for n := 1; ; n++ {
		err := f()
		retry, ok := errors.AsType[*model.RetryError](err)
		if !ok || retry.Busy || retry.Page || n == looks || a.pause(ctx, time.Duration(n)*time.Second) != nil {
			return err
		}
	}
}

func (a Asker) pause(ctx context.Context, d time.Duration) error {
	if a.Clock != nil {
		return a.Clock.Sleep(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// has reports whether a list of models holds one: some servers write models/NAME
// or NAME:latest for NAME.
func has(listed []string, name string) bool {
	return slices.ContainsFunc(listed, func(l string) bool {
		return l == name || l == name+":latest" || l == "models/"+name
	})
}

// lookTokens is how long the reply to the shortest of requests may get.
const lookTokens = 16

// errSilent is a model that says nothing: it would say no more to another request.
var errSilent = errors.New("no answer")

// Word is the shortest of requests: it asks for a word, and offers a tool.
func Word() *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.User, Content: "Answer with the one word ok."}},
		Tools: []model.ToolSpec{{Name: "look", Description: "Does nothing.",
			Parameters: []byte(`{"type":"object","properties":{}}`)}}}
}

// TakesNoTools reports whether an error says that a request has to do without tools.
func TakesNoTools(err error) bool {
	without, ok := errors.AsType[*model.UnsupportedError](err)
	return ok && without.What == model.Tools
}

// NoTools says of a model that it takes none.
const NoTools = "takes no tools: they will be put into its prompt"

// lookAt asks a model for a word, and offers it a tool.
func (a Asker) lookAt(ctx context.Context, id string, chat model.Chat) (out looked) {
	defer a.silent.asks(id)()
	req := Word()
	req.Params.MaxTokens = new(lookTokens)
	var reply *model.Reply
	ask := func() error {
		return a.again(ctx, func() (err error) {
			out.asked = 1
			ctx, cancel := context.WithTimeout(ctx, askTimeout)
			defer cancel()
			reply, err = chat.Generate(ctx, req)
			if errors.Is(err, context.DeadlineExceeded) {
				err = fmt.Errorf("asking %s: %w within %v", id, errSilent, askTimeout)
			}
			return err
		})
	}
	err := ask()
	if TakesNoTools(err) {
		out.warning = id + " " + NoTools
		req.Tools = nil
		err = ask()
	}
	if err != nil && !telling(err) { // some spend any limit on thinking, and call that an error
		if a.Limit > 0 {
			return out // nobody knows how long the reply would get, and this was one of a sort
		}
		req.Params = model.Params{}
		err = ask()
	}
	_, refused := errors.AsType[*model.RefusedError](err)
	retry, failed := errors.AsType[*model.RetryError](err)
	switch {
	case refused:
	case failed && retry.Busy:
		out.warning = retry.Error() + Waits(err)
	case err != nil:
		out.problem = err
	default:
		used := reply.Usage
		if !used.Known && a.Limit > 0 {
			used = word
		}
		if usd, ok := a.Config.Prices().Cost(id, used); ok {
			out.usd = usd
		}
	}
	return out
}

// Waits says how long a provider asks to wait that is busy: "" where it says nothing of that.
func Waits(err error) string {
	if retry, ok := errors.AsType[*model.RetryError](err); ok && retry.Busy && retry.After > 0 {
		return "; it asks to wait " + text.Clock(retry.After)
	}
	return ""
}

// telling reports whether an error says what is wrong: the same request without
// a limit of tokens would meet it again.
func telling(err error) bool {
	for _, kind := range []any{new(*model.RetryError), new(*model.AuthError), new(*model.NotFoundError),
		new(*model.RefusedError)} {
		if errors.As(err, kind) {
			return true
		}
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, errSilent)
}
