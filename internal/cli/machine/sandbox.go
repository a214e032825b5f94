package machine

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/sandboxcmd"
	"cookoff/internal/ui/stdio"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
)

// Stage opens the environment of a task of a recipe.
type Stage func(context.Context, sandboxcmd.Staging) (sandbox.Sandbox, func(), error)

// newSandbox is "sandbox" with its subcommands. Their exit codes are those
// of the commands they run.
func newSandbox(c *cli.Common, stage Stage) *cobra.Command {
	env := sandboxcmd.Env{
		Stdin: c.Stdin, Out: c.Out, Err: c.Err, Tools: func() ([]string, error) { return sandboxTools(c) },
		Backend: func() (sandbox.Backend, error) {
			h, err := c.Host()
			if err != nil {
				return nil, err
			}
			tools := h.ChainsFor(context.Background(), nil).Paths
			return h.Backend(nil, h.GoCache(context.Background(), nil), tools)
		},
	}
	env.Stage = stage
	env.Concealed = func() ([]string, error) {
		h, err := c.Host()
		if err != nil {
			return nil, err
		}
		return h.Concealed(), nil
	}
	if c.Out.Terminal {
		if env.Term = c.Getenv("TERM"); env.Term == "" {
			env.Term = "xterm"
		}
		env.Clean = text.Lines // bytes of an agent's making don't reach a terminal
	}
	cmd := sandboxcmd.Command(env)
	for _, sub := range cmd.Commands() {
		run := sub.RunE
		sub.RunE = func(cmd *cobra.Command, args []string) error {
			if out, ok := c.Out.File(); ok {
				ctx, stop := stdio.WhileRead(cmd.Context(), out)
				defer stop()
				cmd.SetContext(ctx)
			}
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
func sandboxTools(c *cli.Common) ([]string, error) {
	h, err := c.Host()
	if err != nil {
		return nil, err
	}
	return h.ChainsFor(context.Background(), nil).Paths, nil
}
