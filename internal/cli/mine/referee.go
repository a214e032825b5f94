package mine

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/sandbox"
)

// referee is what sandboxes are made with, and who proves tasks.
type referee struct {
	*cookoff.Worlds
	door *door.Door
	one  sync.Mutex // two that prepare the same do it once
}

// referee makes sandboxes ready.
func (m *mining) referee(ctx context.Context, o *mine.Options) (*referee, error) {
	read, err := recipe.ParseContent([]byte(ground(o)))
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, about(err))
	}
	opt := m.Options(false, false)
	opt.Offline = true
	c, err := cookoff.Check(ctx, read.Over(recipe.Defaults()), nil, opt)
	if err != nil {
		return nil, door.Failure(ctx, about(err))
	}
	w, err := c.Worlds(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, cli.Fail(cli.ExitInterrupted, nil)
		}
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	return &referee{Worlds: w, door: m.Door}, nil
}

// ground is a recipe of worlds alone. It has the test command: what that names is shown in
// them, also where no file of the project tells what the project needs.
func ground(o *mine.Options) string {
	named := recipe.Task{Prompt: "mine", After: []recipe.Check{{Script: o.Test}}}
	return o.Document([]recipe.Task{named}, nil).MarshalMarkdown()
}

// about gives problems of a recipe that nobody wrote the place of the flags.
func about(err error) error {
	ps, ok := errors.AsType[problem.List](err)
	for i := range ps {
		ps[i].Pos = problem.Pos{File: "mine"}
	}
	if ok {
		return ps
	}
	return err
}

// Prepare is that of cookoff.Worlds, by one at a time.
func (r *referee) Prepare(ctx context.Context, dir, from string) (made string, own bool, err error) {
	r.one.Lock()
	defer r.one.Unlock()
	return r.Worlds.Prepare(ctx, dir, from)
}

// Open is that of cookoff.Worlds.
func (r *referee) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	return r.Worlds.Open(ctx, spec)
}

// Prove tries the tasks of a recipe as a run does.
func (r *referee) Prove(ctx context.Context, file string) (refusal.Reason, string, error) {
	opt := r.door.Options(false, false)
	opt.Offline, opt.Notify = true, nil
	opt.Parallel = 1
	read, ps, err := cookoff.Find(ctx, file, opt)
	if err != nil {
		return "", "", err
	}
	if read == nil {
		return refusal.Unproven, first(ps), nil
	}
	c, err := cookoff.Check(ctx, read, ps, opt)
	if wrong, ok := errors.AsType[problem.List](err); ok {
		return refusal.Unproven, first(wrong.Errors()), nil
	}
	if err != nil {
		return "", "", err
	}
	found, _, err := c.Lint(ctx, cookoff.Proving, nil, nil)
	if err != nil {
		return "", "", err
	}
	if bad := found.Errors(); len(bad) > 0 {
		return refusal.Unproven, first(bad), nil
	}
	return "", "", nil
}

// first is what the first of several problems says.
func first(ps problem.List) string {
	if len(ps) == 0 {
		return ""
	}
	return cmp.Or(ps[0].InTask, ps[0].Msg)
}
