// Package door is how commands go through the front door of the library: it puts
// their questions to whoever sits before the terminal and their errors into exit
// codes.
package door

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/config"
	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner"
	"cookoff/trial"
)

// Door is the front door, as the program uses it.
type Door struct {
	*cli.Common
	Clock runner.Clock // nil: the real one
	After trial.Sink   // nil, or told of each event once it is recorded
}

// Permissions are what --allow can say: what this build can give.
func Permissions() []string { return config.Permissions() }

// Options are those of a command that asks nothing; yes answers every question
// beforehand.
func (d *Door) Options(locked, yes bool) cookoff.Options {
	return cookoff.Options{
		Dir: d.Dir, Getenv: d.Getenv, Config: d.Config, Sandbox: d.Sandbox, Locked: locked, Clock: d.Clock,
		Notify:  d.notify,
		Confirm: func(ctx context.Context, q cookoff.Question) (bool, error) { return d.confirm(ctx, q, yes) },
		AtEnd:   d.AtEnd.Add,
	}
}

// Find finds and reads a recipe, and says which file it is where that is not what
// was asked for. The recipe is nil where nothing of it could be read.
func (d *Door) Find(ctx context.Context, name string, o cookoff.Options) (*recipe.Recipe, problem.List, error) {
	r, ps, err := cookoff.Find(ctx, name, o)
	if err != nil {
		return nil, nil, d.Unread(ctx, err)
	}
	return r, ps, nil
}

// Loaded says which file was found, where that is not what was asked for.
func (d *Door) Loaded(r *recipe.Recipe, name string) {
	if r.Source() == name {
		return
	}
	d.Say("recipe: %s", text.Line(r.Source()))
	if name == "" && strings.HasPrefix(r.Source(), "builtin:") && len(propose.Commands(d.Dir)) > 0 {
		d.Say("  hint: cookoff init writes one for the project that is here")
	}
}

// Warn says that a recipe has warnings, with --verbose which.
func (d *Door) Warn(ps problem.List) {
	warnings := 0
	for _, p := range ps {
		if !p.Note {
			warnings++
		}
	}
	switch {
	case d.Verbose:
		cli.PrintProblems(d.Err, ps)
	case warnings > 0:
		d.Say("%s in the recipe: cookoff lint says which", text.Count(warnings, "warning"))
	}
}

// notify says what there is to be known, and which flag has to do with it.
func (d *Door) notify(n cookoff.Notice) {
	switch {
	case n.Detail && !d.Verbose:
		return
	case n.Kind == host.Cost:
		n.Text += " (--dry-run says why)"
	case n.Kind == host.Asking:
		n.Text += " (--no-preflight leaves it out)"
	case n.Kind == host.Before:
		n.Text = text.Count(n.N, "task") +
			" before what --task names will run as well: the tasks of this recipe follow one another (task_mode: sequential)"
	}
	d.Notify(n)
}

// confirm answers a question by yes, or asks whoever is there.
func (d *Door) confirm(ctx context.Context, q cookoff.Question, yes bool) (bool, error) {
	switch q := q.(type) {
	case *cookoff.TrustQuestion:
		fmt.Fprintf(d.Err, "This recipe comes from elsewhere and %s:\n", q.Seen)
		for _, line := range q.Says {
			fmt.Fprintf(d.Err, "%s\n", text.Line(line))
		}
		if yes {
			return true, nil
		}
		if !d.Asks() {
			return false, cli.Usage("%s\n  hint: cookoff show prints it; --yes runs it without asking", q)
		}
	case *cookoff.CostQuestion:
		f := q.Forecast
		if yes {
			if f.USD != nil && *f.USD > 0 {
				d.notify(cookoff.Notice{Kind: host.Cost, Text: q.Likely()})
			}
			return true, nil
		}
		if !d.Asks() {
			return false, cli.Usage("%s; nothing was run\n  hint: --yes runs it without asking, %s", q, text.Line(costHint(q)))
		}
		what := q.Error()
		fmt.Fprintln(d.Err, strings.ToUpper(what[:1])+what[1:]+".")
	}
	ok, err := d.Confirm(ctx, "Run it?")
	if err == nil && !ok {
		err = cli.Usage("%w", cookoff.ErrDeclined)
	}
	return ok, err
}

// costHint says what limits a run that may cost too much.
func costHint(q *cookoff.CostQuestion) string {
	if q.Forecast.USD == nil && q.Forecast.Most == nil {
		return fmt.Sprintf("[prices.%q] in cookoff.toml sets one", q.Unpriced()[0])
	}
	return "--max-total-cost limits what it may spend, --dry-run says more"
}

// Failure gives an error of the library its exit code; nil stays nil, and a
// *cli.Failure as it is.
func Failure(ctx context.Context, err error) error {
	var own *cli.Failure
	_, machine := errors.AsType[*faults.Machine](err)
	preflight, asked := errors.AsType[*cookoff.PreflightError](err)
	weaker, isWeaker := errors.AsType[*host.WeakerError](err)
	none, noSandbox := errors.AsType[*host.SandboxError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.As(err, &own) && errors.Is(own.Err, ctx.Err())):
		return cli.Fail(cli.ExitInterrupted, nil)
	case errors.As(err, &own):
		if own.Code == cli.ExitUsage && cli.DiskFull(err) {
			return cli.Fail(cli.ExitInfra, own.Err)
		}
		return err
	case asked:
		return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: nothing was run; "+
			"cookoff models --ping provider/model tries one, --no-preflight runs all the same", preflight))
	case isWeaker:
		return cli.Usage("--sandbox %s is weaker than what %s asks for\n  hint: --sandbox gvisor, or none", weaker.Sandbox,
			weaker.Recipe)
	case noSandbox:
		return cli.Usage("--sandbox: %w", none.Err)
	case machine, cli.DiskFull(err): // a full disk is nobody's command line
		return cli.Fail(cli.ExitInfra, err)
	}
	return cli.Fail(cli.ExitUsage, err)
}

// CompleteModels offers the baselines, and the providers that can be asked.
func (d *Door) CompleteModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := []string{"baseline/noop", "baseline/matcher", "baseline/oracle"}
	if cfg, err := d.LoadConfig(); err == nil {
		for _, p := range cfg.Providers() {
			if p.Ready {
				out = append(out, p.Name+"/")
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
