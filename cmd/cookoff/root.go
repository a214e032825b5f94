package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/apply"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/help"
	"cookoff/internal/cli/hosts"
	"cookoff/internal/cli/initialize"
	"cookoff/internal/cli/judge"
	"cookoff/internal/cli/lint"
	"cookoff/internal/cli/machine"
	"cookoff/internal/cli/mine"
	"cookoff/internal/cli/recipes"
	"cookoff/internal/cli/repairs"
	"cookoff/internal/cli/report"
	compare "cookoff/internal/cli/run"
	"cookoff/internal/cli/shoot"
	"cookoff/internal/profile"
	"cookoff/internal/sandboxcmd"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/screen"
	"cookoff/internal/version"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// run is the whole program: it carries out args and gives the exit code.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	off := noColorAsked(args)
	return carryOut(ctx, &door.Door{Common: &cli.Common{Stdin: stdin, Getenv: os.Getenv,
		Out: screen.New(stdout, os.Getenv, off), Err: screen.New(stderr, os.Getenv, off)}}, args)
}

// carryOut carries out args in the working directory.
func carryOut(ctx context.Context, d *door.Door, args []string) int {
	defer temporary.End()
	d.AtEnd = &cli.Closers{}
	defer d.AtEnd.Close()
	var err error
	if dir := d.Getenv(profile.Variable); dir != "" {
		end, err := profile.Start(dir)
		if err != nil {
			return finish(ctx, d.Common, cli.Fail(cli.ExitInfra, err))
		}
		defer func() {
			if err := end(); err != nil {
				d.PrintError(err)
			}
		}()
	}
	if d.Dir, err = os.Getwd(); err != nil {
		err = fmt.Errorf("the directory that this command was started in: %w\n  hint: it was removed or can't be reached: "+
			"cd to one that is there", err)
		return finish(ctx, d.Common, cli.Fail(cli.ExitInfra, err))
	}
	if real, err := filepath.EvalSymlinks(d.Dir); err == nil {
		d.Dir = real // what walks it would see a link, and nothing in it
	}
	root := newRoot(d)
	root.SetArgs(args)
	root.SetIn(d.Stdin)
	printed := d.Out.Heed()
	root.SetOut(d.Out.Writer)
	root.SetErr(d.Err.Writer)
	if err := cli.HelpOfNone(root, args); err != nil {
		return finish(ctx, d.Common, err)
	}
	if err = root.ExecuteContext(ctx); err == nil {
		err = cli.Written(printed())
	}
	return finish(ctx, d.Common, err)
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
func finish(ctx context.Context, c *cli.Common, err error) int {
	if err == nil {
		return cli.ExitOK
	}
	var f *cli.Failure
	errors.As(door.Failure(ctx, err), &f)
	if f.Err != nil {
		c.PrintError(f.Err)
	}
	if f.Code == cli.ExitInterrupted {
		return cli.InterruptCode(ctx)
	}
	return f.Code
}

// newRoot makes the tree of commands.
func newRoot(d *door.Door) *cobra.Command {
	var f shoot.Flags
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
		RunE: func(cmd *cobra.Command, _ []string) error { return f.Run(cmd.Context(), d, "") },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { // also where it has no effect
			if _, err := native.Choose(native.Choice{Name: d.Sandbox}, native.Options{}); err != nil {
				return fmt.Errorf("--sandbox: %w", err)
			}
			return cli.ReadGiven(cmd)
		},
		Version:           version.Read().String(),
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		SilenceUsage:      true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	fl := root.PersistentFlags()
	fl.BoolVarP(&d.Quiet, "quiet", "q", false, "print results and errors only")
	fl.BoolVarP(&d.Verbose, "verbose", "v", false, "print a line for each finished trial, and more detail")
	fl.BoolVar(&d.NoColor, "no-color", false, "print without colour")
	fl.BoolVar(&d.NoInput, "no-input", false, "never ask: take defaults, refuse what needs an answer")
	fl.StringVar(&d.Config, "config", "", "read the configuration in `FILE` instead of the user's own")
	fl.StringVar(&d.Sandbox, "sandbox", "", "make sandboxes by `BACKEND`: "+strings.Join(native.Names(),
		", ")+" (cookoff doctor tries them)")
	_ = root.RegisterFlagCompletionFunc("sandbox",
		cobra.FixedCompletions(native.Names(), cobra.ShellCompDirectiveNoFileComp))
	fl.SortFlags = false
	f.Add(root, d)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpCommand(help.Command(root))
	root.SetCompletionCommandGroupID("other")
	root.AddGroup(&cobra.Group{ID: "compare", Title: "Compare models:"},
		&cobra.Group{ID: "shoot", Title: "By hand, on a terminal:"}, &cobra.Group{ID: "write", Title: "Write recipes:"},
		&cobra.Group{ID: "other", Title: "This machine:"})
	commands := commands(d)
	commands["write"] = slices.Concat(commands["write"], recipes.Commands(d.Common), repairs.Commands(d.Common))
	for group, cmds := range commands {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(help.Topics()...)
	cli.AddJSON(root)
	root.InitDefaultCompletionCmd()
	cli.Groups(root)
	return root
}

func commands(d *door.Door) map[string][]*cobra.Command {
	stage := func(ctx context.Context, s sandboxcmd.Staging) (sandbox.Sandbox, func(), error) {
		return compare.Stage(ctx, d, s)
	}
	return map[string][]*cobra.Command{
		"compare": append(report.Commands(d.Common), compare.Run(d), compare.Resume(d), apply.Command(d),
			judge.Judge(d), judge.Why(d)),
		"shoot": {shoot.Command(d), shoot.Sessions(d), shoot.Stats(d)},
		"write": append(mine.Commands(d), lint.Command(d), initialize.Command(d)),
		"other": append(machine.Commands(d.Common, stage), hosts.Commands(d.Common)...),
	}
}
