package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cookoff/internal/screen"
	"cookoff/internal/toolchain"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// Exit codes; "cookoff help exit-codes" explains them.
const (
	exitOK          = 0
	exitGate        = 1
	exitUsage       = 2
	exitInfra       = 3
	exitSpent       = 4
	exitInterrupted = 130
	exitTerminated  = 143
)

// app is what every command works with: the streams, the place, the flags that
// all commands share.
type app struct {
	stdin    io.Reader
	out, err screen.Stream
	dir      string
	getenv   func(string) string
	clock    runner.Clock // nil: the real one
	after    trial.Sink   // nil, or told of each event once it is recorded

	quiet, verbose, noColor, noInput bool
	config                           string // --config
	sandbox                          string // --sandbox

	locked  bool            // --locked, of the commands that read recipes
	answers *bufio.Reader   // see ask
	ctx     context.Context // of the command that runs; what asks waits no longer
	atEnd   *closers
	follows *toolchain.Finder // see finder
}

// failure is an error of a command that ran, with its exit code. A nil err
// means that everything was said already.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.err.Error()
}

// usage is a failure of what was asked for: nothing was run.
func usage(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// run is the whole program: it carries out args and gives the exit code.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	off := noColorAsked(args)
	a := &app{stdin: stdin, getenv: os.Getenv, out: screen.New(stdout, os.Getenv, off), err: screen.New(stderr, os.Getenv, off)}
	return a.run(ctx, args)
}

// run carries out args in the working directory.
func (a *app) run(ctx context.Context, args []string) int {
	a.ctx, a.atEnd = ctx, &closers{}
	defer a.atEnd.close()
	var err error
	if a.dir, err = os.Getwd(); err != nil {
		return a.finish(ctx, &failure{exitInfra, err})
	}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.out.Writer)
	root.SetErr(a.err.Writer)
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
		return exitOK
	}
	f := &failure{exitUsage, err}
	errors.As(err, &f)
	if f.err != nil {
		a.printError(f.err)
	}
	if f.code == exitInterrupted {
		return interruptCode(ctx)
	}
	return f.code
}

// printError writes an error for people: problems of a recipe one a line, any
// other behind "error:"; hints stand on lines of their own.
func (a *app) printError(err error) {
	var ps recipe.Problems
	if errors.As(err, &ps) {
		printProblems(a.err, ps)
		return
	}
	seen := map[string]bool{} // joined errors may say the same
	for line := range strings.SplitSeq(screen.Lines(err.Error()), "\n") {
		switch {
		case seen[line]:
		case len(seen) == 0:
			fmt.Fprintf(a.err, "%s %s\n", a.err.Paint(screen.Red, "error:"), line)
		default:
			fmt.Fprintf(a.err, "  %s\n", strings.TrimSpace(line))
		}
		seen[line] = true
	}
}

// printProblems writes problems one a line, hints below.
func printProblems(s screen.Stream, ps recipe.Problems) {
	for _, p := range ps {
		word := s.Paint(screen.Red, "error:")
		if p.Warning {
			word = s.Paint(screen.Yellow, "warning:")
		}
		fmt.Fprintf(s, "%s: %s %s\n", s.Paint(screen.Bold, screen.Clean(p.Pos.String())), word, screen.Clean(p.Msg))
		if p.Hint != "" {
			fmt.Fprintf(s, "  hint: %s\n", screen.Clean(p.Hint))
		}
	}
}

// say writes a message, unless --quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
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
		Args: a.noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.shootout(cmd.Context(), "", f) },
		PersistentPreRunE: func(*cobra.Command, []string) error { // also where it has no effect
			if _, err := native.Choose(native.Choice{Name: a.sandbox}, native.Options{}); err != nil {
				return fmt.Errorf("--sandbox: %w", err)
			}
			return nil
		},
		Version:       newVersionInfo().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	fl := root.PersistentFlags()
	fl.BoolVarP(&a.quiet, "quiet", "q", false, "print results and errors only")
	fl.BoolVarP(&a.verbose, "verbose", "v", false, "print a line for each finished trial, and more detail")
	fl.BoolVar(&a.noColor, "no-color", false, "print without colour")
	fl.BoolVar(&a.noInput, "no-input", false, "never ask: take defaults, refuse what needs an answer")
	fl.StringVar(&a.config, "config", "", "read the configuration in `FILE` instead of the user's own")
	fl.StringVar(&a.sandbox, "sandbox", "", "make sandboxes by `BACKEND`: "+strings.Join(native.Names(), ", ")+" (cookoff doctor tries them)")
	_ = root.RegisterFlagCompletionFunc("sandbox", cobra.FixedCompletions(native.Names(), cobra.ShellCompDirectiveNoFileComp))
	fl.SortFlags = false
	f.flags(root, a)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(a.helpCommand(root))
	root.SetCompletionCommandGroupID("other")
	root.AddGroup(&cobra.Group{ID: "compare", Title: "Compare models:"}, &cobra.Group{ID: "shoot", Title: "By hand, on a terminal:"}, &cobra.Group{ID: "write", Title: "Write recipes:"}, &cobra.Group{ID: "other", Title: "This machine:"})
	commands := a.commands()
	commands["write"] = append(commands["write"], a.recipeCommands()...)
	for group, cmds := range commands {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(topics()...)
	return root
}

func (a *app) commands() map[string][]*cobra.Command {
	return map[string][]*cobra.Command{
		"compare": {a.runCommand(), a.resumeCommand(), a.reportCommand(), a.compareCommand(), a.watchCommand(), a.viewCommand(), a.runsCommand(), a.applyCommand(), a.judgeCommand()},
		"shoot":   {a.shootoutCommand(), a.sessionsCommand(), a.statsCommand()},
		"write":   {a.lintCommand(), a.verifyCommand(), a.repairCommand(), a.showCommand(), a.recipesCommand()},
		"other":   {a.modelsCommand(), a.pricesCommand(), a.doctorCommand(), a.sandboxCommand(), a.cleanCommand(), a.versionCommand()},
	}
}

// noSuchCommand refuses a word that is no command, and names the nearest.
func (a *app) noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "cookoff help lists the commands"
	if n := recipe.Nearest(args[0], commandNames(cmd)); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Errorf("unknown command %q\n  hint: %s", args[0], hint)
}

// helpCommand shows the page of a command or a topic; what has no page is an
// error, as any other slip.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|TOPIC]",
		Short:   "Explain a command or a topic",
		GroupID: "other",
		Example: `  cookoff help run
  cookoff help exit-codes`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return a.noSuchCommand(root, args)
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError adds the nearest flag to a message about an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("%s --help lists the flags", cmd.CommandPath())
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		what := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false", "run": "the name of a run or of a report", "size": "a size, like 65536, 512MiB or 2g", "duration": "a time, like 30s or 2m"}[f.Value.Type()]
		return fmt.Errorf("--%s %q is not %s\n  hint: %s", f.Name, invalid.GetValue(), what, hint)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if n := recipe.Nearest(unknown.GetSpecifiedName(), names); n != "" && unknown.GetSpecifiedShortnames() == "" {
			hint = fmt.Sprintf("did you mean --%s?", n)
		}
	}
	return fmt.Errorf("%w\n  hint: %s", err, hint)
}

// positional bounds the number of arguments, in words.
func positional(min, max int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case slices.Contains(args, ""):
			return fmt.Errorf("argument %d of %s is empty\n  hint: a variable that is not set, in quotes, gives an empty argument", slices.Index(args, "")+1, cmd.CommandPath())
		case len(args) < min:
			return fmt.Errorf("%s needs %s\n  hint: %s shows examples", cmd.CommandPath(), what, helpOf(cmd))
		case max >= 0 && len(args) > max:
			return fmt.Errorf("%s takes no further argument: %q\n  hint: %s shows examples", cmd.CommandPath(), args[max], helpOf(cmd))
		}
		return nil
	}
}

// helpOf is the command line that explains a command.
func helpOf(cmd *cobra.Command) string {
	root, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return root + " help " + path
}

// oneOf refuses a value that is not among the allowed ones.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	hint := ""
	if n := recipe.Nearest(value, allowed); n != "" {
		hint = fmt.Sprintf("\n  hint: did you mean %q?", n)
	}
	return usage("--%s %q is unknown: allowed are %s%s", flag, value, strings.Join(allowed, ", "), hint)
}
