package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/host"
	"cookoff/internal/shootout"
	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/plain"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/internal/ui/tty"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"

	"github.com/spf13/cobra"
)

// shootoutFlags are the flags of "shootout", and of cookoff alone.
type shootoutFlags struct {
	models  []string
	resume  string
	last    bool
	plain   bool
	blind   bool
	repairs string
	allow   []string
	yes     bool
}

func (f *shootoutFlags) flags(cmd *cobra.Command, a *app) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.last, "continue", false, "go on with the latest session of this project")
	fl.StringVar(&f.resume, "resume", "", "go on with the session `ID` (cookoff sessions lists them)")
	fl.StringSliceVar(&f.models, "models", nil, "let these models work, as `A,B`, instead of the recipe's")
	fl.BoolVar(&f.blind, "blind", false, "hide names until the pick")
	fl.BoolVar(&f.plain, "plain", false, "lines instead of a screen, for screen readers")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(permissions(), ", ")+"; repeatable (cookoff help trust)")
	fl.BoolVar(&f.yes, "yes", false, "take a recipe from elsewhere without asking, though it was never run here")
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	_ = cmd.RegisterFlagCompletionFunc("models", a.completeModels) // fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("resume", a.completeSessions)
	_ = cmd.RegisterFlagCompletionFunc("allow", cobra.FixedCompletions(permissions(), cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) shootoutCommand() *cobra.Command {
	var f shootoutFlags
	cmd := &cobra.Command{
		Use:   "shootout [RECIPE]",
		Short: "Type tasks, watch every model work on them, pick the best",
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
		ValidArgsFunction: a.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.shootout(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	f.flags(cmd, a)
	cli.LockedFlag(cmd, &a.locked)
	return cmd
}

// completeSessions offers the sessions of this project.
func (a *app) completeSessions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	infos, err := session.List(a.Dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, i := range infos {
		out = append(out, i.ID+"\t"+text.Line(i.Prompt))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// noTerminal refuses a shoot-out without a terminal, and names what does
// without.
func (a *app) noTerminal(f shootoutFlags) error {
	if f.plain && a.Getenv("CI") == "" {
		return nil
	}
	why := tty.Usable(a.Stdin, a.Out, a.Getenv)
	if why == "" && a.NoInput {
		why = "--no-input says that nothing may be asked"
	}
	if why == "" {
		return nil
	}
	return cli.Usage("the shoot-out needs a terminal: %s\n  hint: cookoff run compares models without one; cookoff help lists the commands", why)
}

func (a *app) shootout(ctx context.Context, name string, f shootoutFlags) error {
	if err := a.noTerminal(f); err != nil {
		return err
	}
	if f.last && f.resume != "" {
		return cli.Usage("--continue and --resume at once: --continue takes the latest session")
	}
	w := &world{app: a, f: f}
	// The screen takes no lines beside its own.
	w.quiet = *a
	w.quiet.Err, w.quiet.Quiet = screen.Stream{Writer: io.Discard}, true
	s, err := w.open(ctx, name)
	if err != nil {
		return err
	}
	w.session = s
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, permissions()...); err != nil {
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
		err = a.show(ctx, s, host, f)
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
	a.Say("session %s is saved\n  hint: cookoff --resume %s goes on with it", s.ID, s.ID)
	return err
}

// show runs the screen, or the lines. A screen that breaks ends nothing: what
// runs is waited for.
func (a *app) show(ctx context.Context, s *session.Session, h shootout.Host, f shootoutFlags) error {
	if f.plain {
		shootout.NewPlain(context.WithoutCancel(ctx), s, h, a.Stdin, a.Out).Run()
		return nil
	}
	err := shootout.New(ctx, s, h, a.Out).Run(a.Stdin)
	if err == nil {
		return nil
	}
	a.PrintError(err)
	if s.Running() {
		a.Say("the models go on without it; Ctrl-C stops them")
		defer context.AfterFunc(ctx, s.Cancel)()
		s.Wait()
	}
	return cli.Fail(cli.ExitInfra, nil)
}

// world is what a session works with: the program around it.
type world struct {
	app     *app
	quiet   app // says nothing
	f       shootoutFlags
	session *session.Session
}

// open begins a session, or goes on with one.
func (w *world) open(ctx context.Context, name string) (*session.Session, error) {
	a := w.app
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	sw := session.World{Project: a.Dir, Secrets: cfg.Secrets(), Now: time.Now, Build: w.build}
	if w.f.plain {
		sw.Sink = plain.New(a.Out, func(model string) (string, bool) {
			if w.session == nil {
				return model, false
			}
			return shootout.Alias(w.session, model), shootout.Hidden(w.session)
		})
	}
	if w.f.last || w.f.resume != "" {
		if name != "" || len(w.f.models) > 0 {
			return nil, cli.Usage("a session goes on with its own recipe and models\n  hint: /load and /models change them")
		}
		id, err := session.Find(a.Dir, w.f.resume)
		if err != nil {
			return nil, cli.Fail(cli.ExitUsage, err)
		}
		s, err := session.Resume(sw, id, w.reload)
		if err != nil {
			return nil, cli.Fail(cli.ExitUsage, err)
		}
		return s, nil
	}
	r, err := w.load(ctx, a, name)
	if err != nil {
		return nil, err
	}
	if len(w.f.models) > 0 {
		r = (&runFlags{models: w.f.models}).over(r)
	}
	if err := w.check(ctx, r); err != nil {
		return nil, err
	}
	s, err := session.Begin(sw, r)
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, fmt.Errorf("beginning the session: %w", err))
	}
	return s, nil
}

// load finds a recipe that this user trusts.
func (w *world) load(ctx context.Context, a *app, name string) (*recipe.Recipe, error) {
	r, ps, err := a.discover(ctx, name)
	if err != nil {
		return nil, err
	}
	if r == nil || len(ps.Errors()) > 0 {
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	if name == "" && r.Source() == "builtin:default" { // none was found: its tools and prompt are for its own tasks
		r = (&recipe.Recipe{Models: r.Models}).Over(recipe.Defaults())
	}
	return r, a.trust(ctx, r, runFlags{yes: w.f.yes, allow: w.f.allow})
}

// reload reads the recipe of a session again: the file it came from, as long as
// that says the same, so that places are known and its hidden files stay hidden.
func (w *world) reload(markdown, source string) (*recipe.Recipe, error) {
	file, _, err := w.quiet.discover(context.Background(), source)
	if err != nil || file == nil {
		return recipe.ParseContent([]byte(markdown))
	}
	if file.MarshalMarkdown() == markdown {
		return file, nil
	}
	r, err := recipe.ParseContent([]byte(markdown))
	if err != nil {
		return nil, err
	}
	return r.InPlaceOf(file), nil
}

// check refuses a recipe that no task could be run with, before one is typed.
func (w *world) check(ctx context.Context, r *recipe.Recipe) error {
	typed := (&recipe.Recipe{Tasks: []recipe.Task{{Prompt: "a task"}}}).Over(r)
	c, err := w.quiet.check(typed, nil, checkOptions{repairs: w.f.repairs, allow: permissions()})
	if err != nil {
		return err
	}
	if len(c.problems.Errors()) > 0 {
		return cli.Fail(cli.ExitUsage, c.problems)
	}
	if err := c.env.Backend.Check(ctx); err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: cookoff doctor says what this machine lacks", err))
	}
	return nil
}

// build makes the runner of a typed task.
func (w *world) build(ctx context.Context, r *recipe.Recipe, b session.Build) (session.Runner, error) {
	c, err := w.quiet.check(r, nil, checkOptions{repairs: w.f.repairs, allow: b.Allow})
	if err != nil {
		return nil, err
	}
	if ps := c.problems.Errors(); len(ps) > 0 {
		return nil, problemText(ps)
	}
	loud := w.quiet // what takes long is told to the screen
	loud.Err, loud.Quiet = screen.Stream{Writer: teller(b.Doing)}, false
	if c.env.Backend, err = loud.WarmBackend(ctx, r); err != nil {
		return nil, err
	}
	c.env.Front, c.env.States, c.env.Keep = b.Front, b.States, runner.KeepAll
	c.env.Parallel, c.env.Retries = len(r.Models), 1
	bound, err := r.BuildRunner()
	if err != nil {
		return nil, err
	}
	built, err := runner.New(bound, c.env)
	var ps recipe.Problems
	if errors.As(err, &ps) {
		return nil, problemText(ps)
	}
	return built, err
}

// teller tells each line that is written to it.
type teller func(line string)

func (t teller) Write(b []byte) (int, error) {
	t(strings.TrimSpace(string(b)))
	return len(b), nil
}

// paid reports whether asking a model may cost money: its price is not known to
// be nothing, and it is asked over a network.
func (w *world) paid(id string) bool {
	provider, _, _ := strings.Cut(id, "/")
	if provider == "baseline" || provider == "replay" {
		return false
	}
	cfg, err := w.quiet.LoadConfig()
	if err != nil {
		return true
	}
	usd, known := cfg.Prices().Cost(id, model.Usage{Input: 1e6, Output: 1e6, Known: true})
	return !known || usd > 0
}

// problemText writes problems as they are printed, for a page of the screen.
func problemText(ps recipe.Problems) error {
	var b bytes.Buffer
	cli.PrintProblems(screen.Stream{Writer: &b}, ps)
	return &shownProblems{strings.TrimSpace(b.String()), ps}
}

type shownProblems struct {
	text string
	ps   recipe.Problems
}

func (s *shownProblems) Error() string { return s.text }
func (s *shownProblems) Unwrap() error { return s.ps }

// host is what the commands of the shoot-out need.
func (w *world) host() (shootout.Host, error) {
	a := w.app
	preferences, err := prefs.Path(a.Getenv)
	if err != nil {
		return shootout.Host{}, cli.Fail(cli.ExitInfra, err)
	}
	return shootout.Host{
		Project: a.Dir, Preferences: preferences, History: filepath.Join(filepath.Dir(host.TrustFile(a.Getenv)), "history"), Editor: editor(a.Getenv),
		Load: func(ctx context.Context, name string) (*recipe.Recipe, error) {
			r, err := w.load(ctx, &w.quiet, name)
			var ps recipe.Problems
			if errors.As(err, &ps) {
				return nil, problemText(ps)
			}
			return r, err
		},
		Parse: func(markdown string) (*recipe.Recipe, error) {
			r, err := recipe.ParseContent([]byte(markdown))
			var ps recipe.Problems
			if errors.As(err, &ps) {
				return nil, problemText(ps)
			}
			return r, err
		},
		Wants:  w.wants,
		Paid:   w.paid,
		Tools:  w.tools,
		Export: w.export,
		Verify: w.verify,
	}, nil
}

// editor is the user's, a program and its arguments.
func editor(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if f := strings.Fields(getenv(name)); len(f) > 0 {
			return f
		}
	}
	return nil
}

// wants gives the permissions that a recipe needs.
func (w *world) wants(r *recipe.Recipe) []string {
	typed := (&recipe.Recipe{Tasks: []recipe.Task{{Prompt: "a task"}}}).Over(r)
	c, err := w.quiet.check(typed, nil, checkOptions{repairs: w.f.repairs})
	if err != nil {
		return nil // said when the task is run
	}
	var out []string
	for _, p := range permissions() {
		for _, problem := range c.problems {
			if problem.Needs == recipe.Permission(p) {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// export writes the report of a run beside the project's files.
func (w *world) export(run, format string) (string, error) {
	if err := cli.OneOf("format", format, reports.Formats()...); err != nil {
		return "", err
	}
	ext := map[string]string{"markdown": "md", "table": "txt", "junit": "xml"}[format]
	if ext == "" {
		ext = format
	}
	name := "cookoff-" + run + "." + ext
	r, err := reports.Read(&w.quiet.Common, []string{run}, reports.Reading{})
	if err != nil {
		return "", err
	}
	return name, reports.Print(&w.quiet.Common, r, reports.Output{Format: format, File: filepath.Join(w.app.Dir, name)})
}

// sessionsCommand lists sessions.
func (a *app) sessionsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the shoot-outs of this project",
		Long:  "Lists the sessions that shootout keeps in .cookoff/sessions, the latest last.",
		Example: `  cookoff sessions
  cookoff --resume 20261121-0`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "table", "json"); err != nil {
				return err
			}
			infos, err := session.List(a.Dir)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			if format == "json" {
				return a.PrintJSON(append([]session.Info{}, infos...))
			}
			if len(infos) == 0 {
				a.Say("no sessions in %s\n  hint: cookoff shootout begins one", session.Dir(a.Dir))
				return nil
			}
			t := table.New(a.Out)
			t.Keep, t.Below = 4, true
			t.Row("SESSION", "LAST", "TASKS", "JUDGED", "RECIPE", "LAST TASK")
			for _, i := range infos {
				t.Row(i.ID, i.Last.Local().Format("2006-01-02 15:04"), fmt.Sprint(i.Turns), fmt.Sprint(i.Picked), text.Cut(text.Line(i.Source), 30), text.Cut(text.Line(i.Prompt), 40))
			}
			return cli.Written(t.Flush())
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

// statsCommand prints who wins.
func (a *app) statsCommand() *cobra.Command {
	var f prefs.Filter
	var format, since string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Print which models win shoot-outs",
		Long: `Counts the choices of all shoot-outs of this user, in every project, and rates
the models: Bradley-Terry with ties, and an interval for each rating. Nobody is
called better on what may be chance. Models that were stopped or void in a task
do not count there. The choices lie in cookoff/preferences.jsonl below
XDG_DATA_HOME.`,
		Example: `  cookoff stats
  cookoff stats --recipe builtin:default --since 2026-10-01
  cookoff stats --tag go --blind --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "text", "json"); err != nil {
				return err
			}
			if since != "" {
				t, err := time.ParseInLocation(time.DateOnly, since, time.Local)
				if err != nil {
					return cli.Usage("--since %q is no date\n  hint: write it as 2026-11-21", since)
				}
				f.Since = t
			}
			path, err := prefs.Path(a.Getenv)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			ps, strange, err := prefs.Read(path)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			kept := f.Keep(ps)
			s := prefs.Tally(kept)
			if format == "json" {
				return a.PrintJSON(s)
			}
			if len(ps) > 0 && len(kept) == 0 {
				_, err := fmt.Fprintf(a.Out, "None of %s is one that was asked for.\n", text.Count(len(ps), "choice"))
				return cli.Written(err)
			}
			_, err = io.WriteString(a.Out, text.Lines(prefs.Text(s, strange)))
			return cli.Written(err)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.Recipe, "recipe", "", "count only choices made with this recipe: its `NAME` or where it came from")
	fl.StringVar(&f.Tag, "tag", "", "count only choices made with recipes of this `TAG`")
	fl.StringVar(&since, "since", "", "count only choices since this `DATE`, as 2026-11-21")
	fl.BoolVar(&f.Blind, "blind", false, "count only choices made with names hidden")
	fl.StringVar(&format, "format", "text", "text or json")
	return cmd
}
