package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"cookoff/cmd/cookoff/internal/sandboxcmd"
	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/sandbox"
)

// sandboxCommand is "sandbox" with its subcommands. Their exit codes are those
// of the commands they run.
func (a *app) sandboxCommand() *cobra.Command {
	env := sandboxcmd.Env{
		Stdin: a.stdin, Out: a.out, Err: a.err, Tools: a.sandboxTools,
		Backend: func() (sandbox.Backend, error) { return a.backend(a.goCache(context.Background(), nil)) },
	}
	if a.out.Terminal {
		env.Clean = screen.Lines // bytes of an agent's making don't reach a terminal
	}
	cmd := sandboxcmd.Command(env)
	for _, c := range cmd.Commands() {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			var said *sandboxcmd.ExitError
			switch {
			case errors.Is(err, context.Canceled):
				return &failure{code: exitInterrupted}
			case errors.As(err, &said):
				return &failure{said.Code, said.Err}
			}
			return err
		}
	}
	return cmd
}

// sandboxTools are the tool chains in view: the user's, and Go.
func (a *app) sandboxTools() ([]string, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	return toolPaths(cfg.ToolPaths), nil
}
