package repairs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/internal/verifycmd"
	"cookoff/recipe/problem"
	"cookoff/sandbox"
)

// verifyCommand is "verify" with its subcommands, which know nothing of
// configuration and exit codes.
func newVerify(c *cli.Common) *cobra.Command {
	cmd := verifycmd.Command(verifycmd.Env{
		Stdin: c.Stdin, Out: c.Out, Err: c.Err, Clean: text.Line, Open: openVerify(c), Args: cli.Positional,
		Say: func(name string, ps problem.List, asJSON bool) error {
			if asJSON {
				return c.PrintJSON(cli.ProblemsJSON(ps))
			}
			if len(ps) == 0 {
				c.Say("%s: nothing is wrong", text.Line(name))
			}
			cli.PrintProblems(c.Err, ps)
			return nil
		},
	})
	for _, c := range append(cmd.Commands(), cmd) {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error { return verifyFailure(run(cmd, args)) }
	}
	return cmd
}

// verifyFailure gives an error of "verify" its exit code.
func verifyFailure(err error) error {
	var said *verifycmd.ExitError
	switch {
	case errors.As(err, &said):
		return cli.Fail(said.Code, nil)
	case errors.Is(err, context.Canceled):
		return cli.Fail(cli.ExitInterrupted, nil)
	case errors.Is(err, sandbox.ErrUnavailable):
		return cli.Fail(cli.ExitInfra, err)
	}
	if unread, ok := errors.AsType[*fs.PathError](err); ok {
		return cli.Unread(unread.Path, err, "")
	}
	return err
}

// openVerify opens the sandboxes of blocks by hand: no network, the user's
// tool chains in view. Nothing is looked for before the first is opened.
func openVerify(c *cli.Common) func(context.Context, string, sandbox.State, sandbox.Profile) (sandbox.Sandbox, error) {
	var tools []string
	prepared := sync.OnceValues(func() (backend sandbox.Backend, err error) {
		h, err := c.Host()
		if err != nil {
			return nil, err
		}
		tools = h.ChainsFor(context.Background(), nil).Paths
		return h.Backend(nil, h.GoCache(context.Background(), nil), tools)
	})
	return func(ctx context.Context, project string, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		backend, err := prepared()
		if err != nil {
			return nil, err
		}
		spec := sandbox.Spec{Network: sandbox.NoNetwork, State: st, Profile: p, ToolPaths: tools}
		if st == nil {
			if spec.Project, err = filepath.Abs(project); err != nil {
				return nil, err
			}
			if st, err := os.Stat(project); err != nil || !st.IsDir() {
				return nil, fmt.Errorf("--root %q is no directory", project)
			}
		}
		return backend.Open(ctx, spec)
	}
}
