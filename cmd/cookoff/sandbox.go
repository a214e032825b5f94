package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/sandboxcmd"
	"cookoff/internal/ui/text"
	"cookoff/runner"
	"cookoff/sandbox"
)

// sandboxCommand is "sandbox" with its subcommands. Their exit codes are those
// of the commands they run.
func (a *app) sandboxCommand() *cobra.Command {
	env := sandboxcmd.Env{
		Stdin: a.Stdin, Out: a.Out, Err: a.Err, Tools: a.sandboxTools,
		Backend: func() (sandbox.Backend, error) {
			h, err := a.Host()
			if err != nil {
				return nil, err
			}
			return h.Backend(nil, h.GoCache(context.Background(), nil))
		},
	}
	env.Stage = a.stage
	env.Concealed = func() ([]string, error) {
		h, err := a.Host()
		if err != nil {
			return nil, err
		}
		return h.Concealed(), nil
	}
	if a.Out.Terminal {
		if env.Term = a.Getenv("TERM"); env.Term == "" {
			env.Term = "xterm"
		}
		env.Clean = text.Lines // bytes of an agent's making don't reach a terminal
	}
	cmd := sandboxcmd.Command(env)
	for _, c := range cmd.Commands() {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			var said *sandboxcmd.ExitError
			var own *cli.Failure // of staging a task: a slip, or a recipe's problems
			switch {
			case errors.As(err, &own):
				return own
			case errors.Is(err, context.Canceled):
				return cli.Fail(cli.ExitInterrupted, nil)
			case errors.As(err, &said):
				return cli.Fail(said.Code, said.Err)
			}
			return err
		}
	}
	return cmd
}

// sandboxTools are the tool chains in view: the user's, Go, and the project's.
func (a *app) sandboxTools() ([]string, error) {
	h, err := a.Host()
	if err != nil {
		return nil, err
	}
	return h.ChainsFor(context.Background(), nil).Paths, nil
}

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
