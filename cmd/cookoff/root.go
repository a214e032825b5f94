package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/help"
	"cookoff/internal/cli/machine"
	"cookoff/internal/cli/recipes"
	"cookoff/internal/cli/repairs"
	"cookoff/internal/cli/report"
	"cookoff/internal/ui/screen"
	"cookoff/internal/version"
	"cookoff/runner"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// app is the commands that have no package of their own yet.
type app struct {
	cli.Common
	clock runner.Clock // nil: the real one
	after trial.Sink   // nil, or told of each event once it is recorded

	locked bool            // --locked, of the commands that read recipes
	ctx    context.Context // of the command that runs
}

// run is the whole program: it carries out args and gives the exit code.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	off := noColorAsked(args)
	a := &app{Common: cli.Common{Stdin: stdin, Getenv: os.Getenv, Out: screen.New(stdout, os.Getenv, off), Err: screen.New(stderr, os.Getenv, off)}}
	return a.run(ctx, args)
}

// run carries out args in the working directory.
func (a *app) run(ctx context.Context, args []string) int {
	a.ctx, a.AtEnd = ctx, &cli.Closers{}
	defer a.AtEnd.Close()
	var err error
	if a.Dir, err = os.Getwd(); err != nil {
		return a.finish(ctx, cli.Fail(cli.ExitInfra, err))
	}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Out.Writer)
	root.SetErr(a.Err.Writer)
	return a.finish(ctx, root.ExecuteContext(ctx))
}

// noColorAsked looks for --no-color before flags are parsed, so that messages
// about flags follow it too.
func noColorAsked(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--no-color")
}

// finish prints what went wrong and gives the exit code. What cobra itself
// reports (flags, arguments, commands) is a usage error.
func (a *app) finish(ctx context.Context, err error) int {
	if err == nil {
		return cli.ExitOK
	}
	f := &cli.Failure{Code: cli.ExitUsage, Err: err}
	errors.As(err, &f)
	if f.Err != nil {
		a.PrintError(f.Err)
	}
	if f.Code == cli.ExitInterrupted {
		return cli.InterruptCode(ctx)
	}
	return f.Code
}

// root makes the tree of commands.
func (a *app) root() *cobra.Command {
	var f shootoutFlags
	root := &cobra.Command{
		Use:   "cookoff",
		Short: "Which model really fixes it? Ask with evidence.",
		Long: `cookoff answers one question with evidence: which model really fixes it?

A recipe.md stages broken environments. Every model gets the same tools in the
same sandbox; what it leaves behind is judged where it can't reach; the answer
is a table of fix success by model.`,
		Example: `  cookoff run                      the built-in recipe, no key needed
  cookoff run my.recipe.md --models openai/gpt-5,baseline/oracle
  cookoff report                   the latest run again
  cookoff                          on a terminal: the interactive shoot-out`,
		Args: cli.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.shootout(cmd.Context(), "", f) },
		PersistentPreRunE: func(*cobra.Command, []string) error { // also where it has no effect
			if _, err := native.Choose(native.Choice{Name: a.Sandbox}, native.Options{}); err != nil {
				return fmt.Errorf("--sandbox: %w", err)
			}
			return nil
		},
		Version:           version.Read().String(),
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		SilenceUsage:      true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	fl := root.PersistentFlags()
	fl.BoolVarP(&a.Quiet, "quiet", "q", false, "print results and errors only")
	fl.BoolVarP(&a.Verbose, "verbose", "v", false, "print a line for each finished trial, and more detail")
	fl.BoolVar(&a.NoColor, "no-color", false, "print without colour")
	fl.BoolVar(&a.NoInput, "no-input", false, "never ask: take defaults, refuse what needs an answer")
	fl.StringVar(&a.Config, "config", "", "read the configuration in `FILE` instead of the user's own")
	fl.StringVar(&a.Sandbox, "sandbox", "", "make sandboxes by `BACKEND`: "+strings.Join(native.Names(), ", ")+" (cookoff doctor tries them)")
	_ = root.RegisterFlagCompletionFunc("sandbox", cobra.FixedCompletions(native.Names(), cobra.ShellCompDirectiveNoFileComp))
	fl.SortFlags = false
	f.flags(root, a)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpCommand(help.Command(root))
	root.SetCompletionCommandGroupID("other")
	root.AddGroup(&cobra.Group{ID: "compare", Title: "Compare models:"}, &cobra.Group{ID: "shoot", Title: "By hand, on a terminal:"}, &cobra.Group{ID: "write", Title: "Write recipes:"}, &cobra.Group{ID: "other", Title: "This machine:"})
	commands := a.commands()
	commands["write"] = slices.Concat(commands["write"], recipes.Commands(&a.Common), repairs.Commands(&a.Common))
	for group, cmds := range commands {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(help.Topics()...)
	return root
}

func (a *app) commands() map[string][]*cobra.Command {
	return map[string][]*cobra.Command{
		"compare": append(report.Commands(&a.Common), a.runCommand(), a.resumeCommand(), a.applyCommand(), a.judgeCommand()),
		"shoot":   {a.shootoutCommand(), a.sessionsCommand(), a.statsCommand()},
		"write":   {a.lintCommand(), a.initCommand()},
		"other":   machine.Commands(&a.Common, a.stage),
	}
}
