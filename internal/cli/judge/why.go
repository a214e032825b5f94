package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/report/failures"
	"cookoff/trial"
)

// whyFlags are the flags of "why".
type whyFlags struct {
	judgeFlags
	quick bool
}

// Why is the command "why".
func Why(d *door.Door) *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:        "why [RUN [TRIAL...]]",
		SuggestFor: []string{"explain", "reason", "inspect", "logs", "transcript"},
		Short:      "Say why trials failed: the move with which each lost, and failures that are alike",
		Long: `Groups the failures of each contestant by what they have in common, and finds the
losing move of each: the first call of a tool after which the task's solution no
longer mends the world. The trial's own calls are made again in fresh worlds, and
the solution after them; no model is asked. A trial in which other things come out
than were recorded is said to be not reproducible.

Of a task that was not admitted it says at which step, and the last lines that
this step printed.

A trial with no losing move could still have been won at its end: the contestant
stopped too soon, or mended the wrong thing.

What was found is kept beside the run, and not looked for again. --quick looks for
no moves: only the record is read.`,
		Example: `  cookoff why
  cookoff why t004
  cookoff why 20261121-08 --task 'git*' --format json
  cookoff why --quick`,
		ValidArgsFunction: reports.CompleteRuns(d.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.why(cmd.Context(), d, args)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&f.quick, "quick", false, "look for no losing moves: run nothing")
	f.judgeFlags.add(cmd,
		"take the solutions of `RECIPE` (default: where the run found its own; recorded: as the run had it)")
	return cmd
}

// trialID is a trial of the latest run, where it stands in place of a run.
var trialID = pattern.New(`^t\d+$`)

// why prints why trials failed.
func (f whyFlags) why(ctx context.Context, d *door.Door, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	run := ""
	if len(args) > 0 && !trialID.MatchString(args[0]) {
		run, args = args[0], args[1:]
	}
	k, err := cookoff.FindKept(d.Dir, run)
	if err != nil {
		return err
	}
	ids, err := failedIDs(k, args)
	if err != nil {
		return err
	}
	losses := trial.Losses{}
	switch {
	case f.quick:
		losses, err = trial.ReadLosses(k.Journal)
	case len(k.Failed()) > 0:
		losses, err = f.moves(ctx, d, k, ids)
	}
	if err != nil && (ctx.Err() == nil || len(losses.Trials) == 0) {
		return err
	}
	w := whyOf(k, ids, f.task, losses)
	if f.format == "json" {
		err = errors.Join(err, cli.Written(d.PrintJSON(w)))
	} else {
		err = errors.Join(err, cli.Written(w.print(d)))
	}
	return err
}

// moves looks for the losing moves.
func (f whyFlags) moves(ctx context.Context, d *door.Door, k *cookoff.Kept, ids []string) (trial.Losses, error) {
	c, _, err := f.checked(ctx, d, k)
	if err != nil {
		return trial.Losses{}, err
	}
	tell, done := counting(d, "looked at")
	begin := func(trials int) {
		d.Say("making the calls of %s of run %s again", text.Count(trials, "failed trial"), k.Run.ID)
	}
	losses, err := c.Why(ctx, k, ids, begin, tell)
	done()
	if errors.Is(err, cookoff.ErrNoTrials) {
		return losses, cli.Usage("no trial of run %s failed at a task that the recipe has\n"+
			"  hint: tasks of the run are %s",
			k.Run.ID, text.Line(strings.Join(k.Run.Tasks, "; ")))
	}
	if err != nil && ctx.Err() == nil {
		return losses, door.Failure(ctx, err)
	}
	return losses, err
}

// failedIDs gives the trials that are named; nil: all.
func failedIDs(k *cookoff.Kept, names []string) (ids []string, err error) {
	for _, name := range names {
		t, err := k.Trial(name)
		if err != nil {
			return nil, err
		}
		o, ended := k.Outcomes[t.ID]
		if !ended || o.Status != trial.Fail {
			return nil, cli.Usage("trial %s of run %s did not fail: %s", t.ID, k.Run.ID, statusWords(o, ended))
		}
		ids = append(ids, t.ID)
	}
	return ids, nil
}

func statusWords(o trial.Outcome, ended bool) string {
	if !ended {
		return "it has not ended"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", o.Status, o.Cause))
}

// whyJSON is what "why" prints; keys of its JSON are only added.
type whyJSON struct {
	Schema string           `json:"schema"` // cookoff.why/1
	Run    string           `json:"run"`
	Failed int              `json:"failed"`
	Groups []failures.Group `json:"groups"`
	Trials []whyTrial       `json:"trials"`

	// Excluded are the tasks that were not admitted, where no trials were named.
	Excluded []trial.Exclude `json:"excluded,omitempty"`
}

// whyTrial is one trial that failed.
type whyTrial struct {
	trial.Trial
	Cause  trial.Cause `json:"cause"`
	Detail string      `json:"detail,omitempty"`
	Steps  int         `json:"steps"`
	Loss   *trial.Loss `json:"loss"` // null: nobody looked
}
