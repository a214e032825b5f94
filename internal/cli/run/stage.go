package run

import (
	"context"
	"strings"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/sandboxcmd"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
)

// Stage opens the environment of a task. No model is needed for it.
func Stage(ctx context.Context, d *door.Door, s sandboxcmd.Staging) (sandbox.Sandbox, func(), error) {
	for _, p := range s.Allow {
		if err := cli.OneOf("allow", p, door.Permissions()...); err != nil {
			return nil, nil, err
		}
	}
	var named choice.Globs
	if s.Task != "" {
		named = choice.Globs{s.Task}
	}
	if err := named.Check("task"); err != nil {
		return nil, nil, err
	}
	o := d.Options(false, false)
	o.Seed = s.Seed
	o.Models, o.Allow, o.Offline = []string{"baseline/noop"}, s.Allow, true
	r, ps, err := d.Find(ctx, s.Recipe, o)
	if err != nil {
		return nil, nil, err
	}
	if r == nil {
		return nil, nil, cli.Fail(cli.ExitUsage, ps)
	}
	d.Loaded(r, s.Recipe)
	o.Select = func(tasks []string) ([]string, error) {
		left, err := named.Pick(tasks, nil)
		if err == nil && len(left) > 1 {
			err = cli.Usage("--task %q matches %d tasks\n  hint: %s", s.Task, len(left), strings.Join(left, "; "))
		}
		if err == nil && len(left) == 1 {
			d.Say("staging: %s", text.Line(left[0]))
		}
		return left, err
	}
	c, err := cookoff.Check(ctx, r, ps, o)
	if err != nil {
		return nil, nil, door.Failure(ctx, err)
	}
	return c.Stage(ctx)
}
