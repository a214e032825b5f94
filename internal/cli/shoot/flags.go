package shoot

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/shootout"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/text"
	"cookoff/internal/ui/tty"
)

// Flags are the flags of "shootout", and of cookoff alone.
type Flags struct {
	models  []string
	resume  string
	last    bool
	plain   bool
	blind   bool
	repairs string
	allow   []string
	yes     bool
	locked  bool
}

// Add gives a command the flags.
func (f *Flags) Add(cmd *cobra.Command, d *door.Door) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.last, "continue", false, "go on with the latest session of this project")
	fl.StringVar(&f.resume, "resume", "", "go on with the session `ID` (cookoff sessions lists them)")
	fl.StringSliceVar(&f.models, "models", nil, "let these models work, as `A,B`, instead of the recipe's")
	fl.BoolVar(&f.blind, "blind", false, "hide names until the pick")
	fl.BoolVar(&f.plain, "plain", false, "lines instead of a screen, for screen readers")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(door.Permissions(),
		", ")+"; repeatable (cookoff help trust)")
	fl.BoolVar(&f.yes, "yes", false, "take a recipe from elsewhere without asking, though it was never run here")
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	_ = cmd.RegisterFlagCompletionFunc("models", d.CompleteModels) // fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("resume", completeSessions(d))
	_ = cmd.RegisterFlagCompletionFunc("allow",
		cobra.FixedCompletions(door.Permissions(), cobra.ShellCompDirectiveNoFileComp))
}

// Command is "shootout".
func Command(d *door.Door) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:        "shootout [RECIPE]",
		SuggestFor: []string{"chat", "arena", "duel"},
		Short:      "Type tasks, watch every model work on them, pick the best",
		Long: `The interactive shoot-out, which cookoff alone begins too: type a task, watch
every model of the recipe work on it in a sandbox of its own over a copy of this
directory, look at what each changed, pick a winner, and have its change applied.
/help lists the commands, ? the keys.

A session is saved as it goes on; --continue and --resume go on with one, also
after the terminal was killed. The runs of its tasks are kept like any other:
"cookoff runs", "report" and "watch" show them.

It needs a terminal. "cookoff run" compares models without one.`,
		Example: `  cookoff
  cookoff shootout my.recipe.md --models openai/gpt-5,local/qwen
  cookoff --continue
  cookoff shootout --blind
  cookoff shootout --plain`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: d.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.Run(cmd.Context(), d, strings.Join(args, ""))
		},
	}
	f.Add(cmd, d)
	cli.LockedFlag(cmd, &f.locked)
	return cmd
}

// completeSessions offers the sessions of this project.
func completeSessions(d *door.Door) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		infos, err := session.List(d.Dir)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, i := range infos {
			out = append(out, i.ID+"\t"+text.Line(i.Prompt))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// repairDirs gives the directory of --repairs, if there is one.
func (f Flags) repairDirs() []string {
	if f.repairs == "" {
		return nil
	}
	return []string{f.repairs}
}

// noTerminal refuses a shoot-out without a terminal, and names what does
// without.
func (f Flags) noTerminal(d *door.Door) error {
	if f.plain && d.Getenv("CI") == "" {
		return nil
	}
	why := tty.Usable(d.Stdin, d.Out, d.Getenv)
	if why == "" && d.NoInput {
		why = "--no-input says that nothing may be asked"
	}
	if why == "" {
		return nil
	}
	return cli.Usage("the shoot-out needs a terminal: %s\n"+
		"  hint: cookoff run compares models without one; cookoff help lists the commands", why)
}

// Run is the shoot-out.
func (f Flags) Run(ctx context.Context, d *door.Door, name string) error {
	if err := f.noTerminal(d); err != nil {
		return err
	}
	if f.last && f.resume != "" {
		return cli.Usage("--continue and --resume at once: --continue takes the latest session")
	}
	w := &world{door: d, f: f, quiet: silent(d, io.Discard, true)}
	s, err := w.open(ctx, name)
	if err != nil {
		return err
	}
	w.session = s
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, door.Permissions()...); err != nil {
			_, closed := s.Close()
			return errors.Join(err, closed)
		}
		s.Allow(false, p)
	}
	if f.blind {
		s.SetBlind(true)
	}
	host, err := w.host()
	if err == nil {
		err = f.show(ctx, d, s, host)
	}
	kept, closed := s.Close()
	switch {
	case err != nil:
	case closed != nil:
		err = cli.Fail(cli.ExitInfra, closed)
	case ctx.Err() != nil: // a signal, and no key
		err = cli.Fail(cli.ExitInterrupted, nil)
	}
	if !kept {
		return err
	}
	d.Say("session %s is saved\n  hint: cookoff --resume %s goes on with it", s.ID, s.ID)
	return err
}

// show runs the screen, or the lines. A screen that breaks ends nothing: what
// runs is waited for.
func (f Flags) show(ctx context.Context, d *door.Door, s *session.Session, h shootout.Host) error {
	if f.plain {
		shootout.NewPlain(context.WithoutCancel(ctx), s, h, d.Stdin, d.Out).Run()
		return nil
	}
	err := shootout.New(ctx, s, h, d.Out).Run(d.Stdin)
	if err == nil {
		return nil
	}
	d.PrintError(err)
	if s.Running() {
		d.Say("the models go on without it; Ctrl-C stops them")
		defer context.AfterFunc(ctx, s.Cancel)()
		s.Wait()
	}
	return cli.Fail(cli.ExitInfra, nil)
}
