package main

import (
	"context"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/sandboxcmd"
	"cookoff/internal/ui/text"
	"cookoff/runner"
	"cookoff/sandbox"
)

// stage opens the environment of a task. No model is needed for it.
func (a *app) stage(ctx context.Context, s sandboxcmd.Staging) (sandbox.Sandbox, func(), error) {
	for _, p := range s.Allow {
		if err := cli.OneOf("allow", p, permissions()...); err != nil {
			return nil, nil, err
		}
	}
	f := runFlags{models: []string{"baseline/noop"}, task: s.Task, allow: s.Allow}
	if err := checkTask(f.task); err != nil {
		return nil, nil, err
	}
	r, ps, err := a.discover(ctx, s.Recipe)
	if err != nil {
		return nil, nil, err
	}
	if r == nil {
		return nil, nil, cli.Fail(cli.ExitUsage, ps)
	}
	a.loaded(r, s.Recipe)
	over := f.over(r)
	c, err := a.check(over, ps, checkOptions{offline: true, allow: f.allow})
	if err != nil {
		return nil, nil, err
	}
	if len(c.problems.Errors()) > 0 {
		return nil, nil, cli.Fail(cli.ExitUsage, c.problems)
	}
	filter, err := c.filter(over, f)
	if err != nil {
		return nil, nil, err
	}
	if len(filter) > 1 {
		return nil, nil, cli.Usage("--task %q matches %d tasks\n  hint: %s", s.Task, len(filter), strings.Join(filter, "; "))
	}
	f.allow = c.env.Allow
	if err := a.trust(ctx, r, f); err != nil {
		return nil, nil, err
	}
	if c.env.Backend, err = a.WarmBackend(ctx, over); err != nil {
		return nil, nil, err
	}
	bound, err := over.BuildRunner()
	if err != nil {
		return nil, nil, err
	}
	built, err := runner.New(bound, c.env)
	if err != nil {
		return nil, nil, err
	}
	a.Say("staging: %s", text.Line(filter[0]))
	return built.Stage(ctx, filter[0])
}
