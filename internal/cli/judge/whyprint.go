package judge

import (
	"fmt"
	"slices"
	"strings"

	"cookoff"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/report/failures"
	"cookoff/trial"
)

// whyOf puts together what is known of the failed trials of a run: of those with
// ids, nil being all, whose tasks fit.
func whyOf(k *cookoff.Kept, ids []string, tasks choice.Globs, losses trial.Losses) whyJSON {
	w := whyJSON{Schema: "cookoff.why/1", Run: k.Run.ID, Groups: []failures.Group{}, Trials: []whyTrial{}}
	var list []failures.Failure
	for _, t := range k.Failed() {
		if !tasks.Fit(t.Task) || ids != nil && !slices.Contains(ids, t.ID) {
			continue
		}
		o := k.Outcomes[t.ID]
		row := whyTrial{Trial: t, Cause: o.Cause, Detail: o.Detail, Steps: o.Steps}
		if l, looked := losses.Trials[t.ID]; looked {
			row.Loss = &l
		}
		w.Trials = append(w.Trials, row)
		list = append(list, failures.Failure{Trial: t, Outcome: o, Loss: row.Loss})
	}
	for _, x := range k.Run.Excluded {
		if ids == nil && tasks.Fit(x.Task) {
			w.Excluded = append(w.Excluded, x)
		}
	}
	w.Failed = len(list)
	w.Groups = append(w.Groups, failures.Groups(list)...)
	return w
}

func (w whyJSON) print(d *door.Door) error {
	for _, x := range w.Excluded {
		if err := printExcluded(d, x); err != nil {
			return err
		}
	}
	if w.Failed == 0 {
		_, err := fmt.Fprintf(d.Out, "no trial of run %s failed\n", w.Run)
		return err
	}
	for _, t := range w.Trials {
		if err := t.print(d); err != nil {
			return err
		}
	}
	alike := slices.DeleteFunc(slices.Clone(w.Groups),
		func(g failures.Group) bool { return len(g.Trials) < 2 && g.By != failures.ByMove })
	if w.Failed < 2 || len(alike) == 0 {
		return nil
	}
	rows := table.New(d.Out)
	rows.Keep, rows.Below = 1, true
	fmt.Fprintln(d.Out)
	rows.Row("MODEL", "FAILURES", "ALIKE IN", "WHAT", "TRIALS")
	for _, g := range alike {
		rows.Row(text.Line(g.Model), fmt.Sprintf("%d of %d", len(g.Trials), g.Of), commonalityWords[g.By],
			text.Cut(text.Line(g.What), 70), text.Cut(strings.Join(g.Trials, " "), 24))
	}
	return rows.Flush()
}

// commonalityWords are the words for what failures have in common.
var commonalityWords = map[failures.By]string{failures.ByMove: "losing move", failures.ByCause: "cause",
	failures.ByCheck: "check", failures.BySays: "it says"}

// printExcluded says why a task was not admitted, and shows what the step printed that it broke at.
func printExcluded(d *door.Door, x trial.Exclude) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: not admitted, at %s: %s\n", text.Line(x.Task), text.Line(x.Phase), text.Line(x.Why))
	if e := x.Evidence; e != nil {
		for _, s := range []struct{ name, text string }{{"standard output", e.Tail}, {"standard error", e.Stderr}} {
			if s.text == "" {
				continue
			}
			fmt.Fprintf(&b, "  the last of its %s:\n", s.name)
			for line := range strings.Lines(s.text) {
				fmt.Fprintf(&b, "  | %s\n", text.Line(strings.TrimRight(line, "\n")))
			}
		}
	}
	_, err := fmt.Fprint(d.Out, b.String())
	return err
}

// print says why one trial failed.
func (t whyTrial) print(d *door.Door) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s: %s\n", t.ID, text.Line(t.Model), text.Line(t.Task), t.Cause)
	say := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	if t.Detail != "" {
		say("%s", text.Line(t.Detail))
	}
	switch l := t.Loss; {
	case l == nil:
	case l.Unknown != "":
		say("losing move unknown: %s", text.Line(l.Unknown))
	default:
		lossLines(say, l, t.Steps)
	}
	_, err := fmt.Fprint(d.Out, b.String())
	return err
}

// lossLines says what was found of a trial.
func lossLines(say func(format string, args ...any), l *trial.Loss, steps int) {
	switch m := l.Move; {
	case m == nil:
		say("no losing move: the solution still mends what it left")
	default:
		say("losing move: %s", moveLine(*m, steps))
		if len(m.Paths) > 0 {
			say("  it changed %s", text.Cut(text.Line(strings.Join(m.Paths, ", ")), 100))
		}
		if l.Check == "" {
			say("  after it the solution itself fails: %s", text.Cut(text.Line(l.Because), 200))
		} else {
			say("  after it and the solution, %s does not hold: %s", text.Line(l.Check),
				text.Cut(text.Line(l.Because), 200))
		}
	}
	for _, o := range l.Once {
		if o.After == nil {
			say("%s held at the start", text.Line(o.Check))
		} else {
			say("%s held last after %s", text.Line(o.Check), moveLine(*o.After, steps))
		}
	}
	if sure := l.Confidence(); sure != "" {
		say("%s", text.Line(sure))
	}
}

func moveLine(m trial.Move, steps int) string {
	return fmt.Sprintf("step %d of %d, %s: %s", m.Step, steps, text.Line(m.Tool), text.Cut(text.Line(m.Command()), 90))
}
