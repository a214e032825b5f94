package sandboxcmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"cookoff/sandbox"
)

func shellCommand(env Env) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "shell [flags]",
		Short: "Open a shell in a fresh sandbox",
		Long: `Opens a shell in a fresh sandbox over a copy of --workdir, to look around in
what an agent would see. It ends with "exit" or the end of standard input.`,
		Example: `  cookoff sandbox shell --workdir .
  echo 'id; ls /' | cookoff sandbox shell`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.shell(c.Context(), env) },
	}
	o.flags(c)
	return c
}

// shell talks with a bash inside, line by line.
func (o *options) shell(ctx context.Context, env Env) (err error) {
	sb, clean, err := o.open(ctx, env)
	defer clean()
	if err != nil {
		return &ExitError{SetupFailed, err}
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	starter, ok := sb.(sandbox.Starter)
	if !ok {
		return &ExitError{SetupFailed, errors.New("this backend has no shell")}
	}
	p, err := starter.Start(ctx, sandbox.Cmd{Script: "exec bash --noprofile --norc -i 2>&1", Env: []string{"PS1=sandbox:\\w$ "}})
	if err != nil {
		return &ExitError{SetupFailed, err}
	}
	go func() {
		_, _ = io.Copy(p, env.Stdin)
		_ = p.Close()
	}()
	b := make([]byte, 32<<10)
	for {
		n, err := p.Read(b)
		env.print(env.Out, b[:n])
		if err != nil {
			break
		}
	}
	if r, ended := p.Result(); ended && r.Exit != 0 {
		return &ExitError{Code: r.Exit}
	}
	return nil
}
