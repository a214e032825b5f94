package sandboxcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"cookoff/sandbox"
)

// Staging says which task's environment a shell is opened in.
type Staging struct {
	Recipe string // a name, as commands take it; "": the one that is found
	Task   string // a glob
	Seed   int64  // that the task is drawn from; 0: as the recipe says
	Allow  []string
}

func shellCommand(env Env) *cobra.Command {
	var o options
	var s Staging
	c := &cobra.Command{
		Use:   "shell [flags]",
		Short: "Open a shell in a fresh sandbox, or in a task's environment",
		Long: `Opens a shell in a fresh sandbox over a copy of --workdir, or with --task in the
environment of a recipe's task after its setup, as a model meets it. It ends with
"exit" or the end of standard input; all changes are gone then.`,
		Example: `  cookoff sandbox shell --workdir .
  cookoff sandbox shell --task '*port*'
  echo 'id; ls /' | cookoff sandbox shell`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s takes no argument: %q\n  hint: cookoff sandbox run -- COMMAND runs one",
					c.CommandPath(), args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := onlyOne(c, s); err != nil {
				return err
			}
			open := func() (sandbox.Sandbox, func(), error) { return o.open(c.Context(), env) }
			if s.Task != "" {
				open = func() (sandbox.Sandbox, func(), error) { return env.Stage(c.Context(), s) }
			}
			return shell(c.Context(), env, open)
		},
	}
	o.flags(c)
	f := c.Flags()
	f.StringVar(&s.Task, "task", "", "stage the task whose title matches this `GLOB`; "+
		"the recipe says what its sandbox is like")
	f.StringVar(&s.Recipe, "recipe", "", "with --task: the recipe (default: the one that run finds)")
	f.Int64Var(&s.Seed, "seed", 0, "with --task: draw the task from seed `N` (0: as the recipe says)")
	f.StringArrayVar(&s.Allow, "allow", nil, "with --task: let the recipe do `THIS` (cookoff help trust)")
	return c
}

// onlyOne refuses flags that have no effect.
func onlyOne(c *cobra.Command, s Staging) error {
	var wrong error
	c.Flags().Visit(func(f *pflag.Flag) {
		ofTask := f.Name == "task" || f.Name == "recipe" || f.Name == "seed" || f.Name == "allow"
		switch {
		case c.InheritedFlags().Lookup(f.Name) != nil:
		case ofTask && s.Task == "":
			wrong = fmt.Errorf("--%s has no effect without --task", f.Name)
		case !ofTask && s.Task != "":
			wrong = fmt.Errorf("--%s has no effect with --task\n"+
				"  hint: the recipe says what the sandbox of its tasks is like",
				f.Name)
		}
	})
	return wrong
}

// bash starts the shell; a shell that runs a script would drop an inherited PS1.
const bash = `PS1='sandbox:\w$ ' exec bash --noprofile --norc -i`

// shell talks with a bash inside: on a terminal where there is one, line by
// line where not.
func shell(ctx context.Context, env Env, open func() (sandbox.Sandbox, func(), error)) (err error) {
	sb, clean, err := open()
	if clean != nil {
		defer clean()
	}
	if err != nil {
		return &ExitError{SetupFailed, err}
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	starter, ok := sb.(sandbox.Starter)
	if !ok {
		return &ExitError{SetupFailed, errors.New("this backend has no shell")}
	}
	cmd := sandbox.Cmd{Script: bash + " 2>&1"}
	in, onTerminal := env.terminal()
	if onTerminal {
		cmd.Script, cmd.Terminal = bash, windowOf(in)
		cmd.Env = append(cmd.Env, "TERM="+env.Term)
	}
	p, err := starter.Start(ctx, cmd)
	if err != nil {
		return &ExitError{SetupFailed, err}
	}
	out := env.Out
	if onTerminal {
		back, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return &ExitError{SetupFailed, fmt.Errorf("taking the terminal: %w", err)}
		}
		defer func() { _ = term.Restore(int(in.Fd()), back) }()
		defer follow(ctx, p, in)()
		out = &tame{w: env.Out}
	} else if env.Clean != nil {
		out = cleaned{env}
	}
	go func() {
		_, _ = io.Copy(p, env.Stdin)
		_ = p.Close()
	}()
	// A program inside may take no notice of the end of its terminal.
	defer context.AfterFunc(ctx, func() { _ = sb.Close() })()
	_, _ = io.Copy(out, readOnly{p})
	if err := ctx.Err(); err != nil {
		return err
	}
	if r, ended := p.Result(); ended && r.Exit != 0 {
		return &ExitError{Code: r.Exit}
	}
	return nil
}

// terminal gives the terminal that the shell is typed into, when there is one
// for its output too.
func (e Env) terminal() (*os.File, bool) {
	f, ok := e.Stdin.(*os.File)
	return f, ok && e.Term != "" && term.IsTerminal(int(f.Fd()))
}

func windowOf(f *os.File) *sandbox.Window {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil || w < 1 || h < 1 {
		w, h = 80, 24
	}
	return &sandbox.Window{Rows: uint16(h), Columns: uint16(w)}
}

// follow tells the program inside of every change of the terminal's size,
// until the function that it gives is called.
func follow(ctx context.Context, p sandbox.Program, f *os.File) (stop func()) {
	changed, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changed, unix.SIGWINCH)
	go func() {
		for {
			select {
			case <-changed:
				_ = p.Resize(ctx, *windowOf(f))
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changed)
		close(done)
	}
}

// readOnly hides what else a program can do from io.Copy.
type readOnly struct{ io.Reader }

// cleaned prints through Env.Clean.
type cleaned struct{ Env }

func (c cleaned) Write(b []byte) (int, error) {
	c.print(c.Out, b)
	return len(b), nil
}
