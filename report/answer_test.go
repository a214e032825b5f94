package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// play is what one model did: a letter for each task, as often as it was tried.
// p passed, f failed, v void, o open.
type play struct {
	model  string
	trials string  // one trial of each task after another
	usd    float64 // each trial; less than 0: unknown
}

func played(t *testing.T, baseline string, repeats int, plays ...play) *report.Report {
	t.Helper()
	run := trial.Run{Baseline: baseline, Seed: 1}
	by := map[string]play{}
	for _, p := range plays {
		run.Models, by[p.model] = append(run.Models, p.model), p
	}
	for i := range len(plays[0].trials) / repeats {
		run.Tasks = append(run.Tasks, fmt.Sprintf("task %02d", i))
	}
	b := reporttest.Script(t, run, repeats, func(tr trial.Trial) *trial.Outcome {
		p := by[tr.Model]
		var task int
		fmt.Sscanf(tr.Task, "task %d", &task)
		o := reporttest.Outcome(map[byte]trial.Status{'p': trial.Pass, 'f': trial.Fail,
			'v': trial.Void}[p.trials[task*repeats+tr.N-1]])
		switch {
		case o.Status == "":
			return nil
		case o.Status == trial.Void:
			o.Cause = trial.CauseProvider
		}
		o.CostUSD = nil
		if p.usd >= 0 {
			o.CostUSD = &p.usd
		}
		return o
	})
	return b.Report()
}

func times(s string, n int) string { return strings.Repeat(s, n) }

func TestAnswer(t *testing.T) {
	const noop, oracle, matcher = "baseline/noop", "baseline/oracle", "baseline/matcher"
	for _, c := range []struct {
		name     string
		baseline string
		repeats  int
		plays    []play
		want     string
	}{
		{"told apart from the baseline", "b", 1, []play{{"b", times("f", 10), .3}, {"a", times("p", 9) + "f", .1}},
			"a is better than b (the baseline): it fixed 90% (9 of 10 tasks), 90 points more than the other's 0% " +
				"(chance alone hardly does that, p=.004), at $0.11 a fix."},
		{"the baseline is the better one", "a", 1, []play{{"b", times("f", 10), .3}, {"a", times("p", 9) + "f", .1}},
			"a (the baseline) is better than b: it fixed 90% (9 of 10 tasks), 90 points more than the other's 0% " +
				"(chance alone hardly does that, p=.004), at $0.11 a fix."},
		{"two that are not the baseline", "b", 1, []play{{"b", times("f", 10), .3}, {"a", times("p", 9) + "f", .1},
			{"c", times("f", 9) + "p", .1}},
			"It can't be told whether a or c is better: they fixed 90% (9 of 10 tasks) and 10% (1 of 10 tasks), and " +
				"chance alone may do that (p=.06); about 11 tasks would tell, if they go on like this; a is cheaper, " +
				"at $0.11 a fix against $1.00."},
		{"one model without a price", "a", 1, []play{{"a", "ppf", -1}},
			"a fixed 67% (2 of 3 tasks), which means 21% to 94% of tasks like these (95% sure), at a price that is " +
				"not known; there is no other model to compare it with."},
		{"one model on one task", "a", 1, []play{{"a", "p", .1}},
			"a fixed 100% (1 of 1 task), at $0.10 a fix; there is no other model to compare it with."},
		{"all void", "a", 1, []play{{"a", "vvv", .1}, {"b", "vvv", .1}},
			"Nothing can be said of any model: all 6 trials broke, no fault of theirs (provider)."},
		{"nothing has ended", "a", 1, []play{{"a", "ooo", .1}},
			"Nothing can be said of any model yet: none of 3 trials has ended."},
		{"a void and nothing else yet", "a", 1, []play{{"a", "voo", .1}},
			"Nothing can be said of any model yet: of 3 trials none was judged, and 1 of them broke through no fault " +
				"of theirs (provider)."},
		{"nobody fixed anything", "a", 1, []play{{"a", "fff", .1}, {"b", "fff", -1}},
			"No model fixed anything: 2 models tried in 6 trials, at a cost that is not known."},
		{"one model that fixed nothing", "a", 1, []play{{"a", "fff", .1}},
			"a fixed nothing in 3 trials, at a cost of $0.30."},
		{"100 % and 0 % of one task", "a", 1, []play{{"a", "p", .1}, {"b", "f", .1}},
			"It can't be told whether a (the baseline) or b is better: they fixed 100% (1 of 1 task) and 0% (0 of 1 " +
				"task), and chance alone may do that (p=1); about 6 tasks would tell, if they go on like this; a fix " +
				"by a cost $0.10."},
		{"equals of all tasks at different prices", "a", 1, []play{{"a", "pppppp", .1}, {"b", "pppppp", .3}},
			"It can't be told who is best: a and b both fixed every task; about 32 tasks would show a difference of " +
				"20 points; a is cheaper, at $0.10 a fix against $0.30."},
		{"equal rates at different prices", "a", 1, []play{{"a", "ppppff", .1}, {"b", "ffpppp", .3}},
			"It can't be told who is best: a and b both fixed 67% (4 of 6 tasks); about 130 tasks would show a " +
				"difference of 20 points; a is cheaper, at $0.15 a fix against $0.45."},
		{"four equals, one without a price", "a", 1, []play{{"a", "ppppff", .1}, {"b", "ffpppp", .1},
			{"c", "ppppff", -1}, {"d", "ppppff", .2}},
			"It can't be told who is best: a (the baseline), b, d and 1 more all fixed 67% (4 of 6 tasks); about 190 " +
				"tasks would show a difference of 20 points; of those whose cost is known a is cheapest, " +
				"at $0.15 a fix."},
		{"several trials", "a", 3, []play{{"a", times("ppf", 5), .1}, {"b", times("pff", 5), .2}},
			"It can't be told whether a (the baseline) or b is better: they fixed 67% (10 of 15 trials) " +
				"and 33% (5 of " +
				"15 trials), and chance alone may do that (p=.06); about 54 tasks of 3 trials each would tell, if " +
				"they go on like this; a is cheaper, at $0.15 a fix against $0.60."},
		{"controls only", noop, 1, []play{{noop, "ffffffff", 0}, {oracle, "pppppppp", 0}},
			"No model was judged, only what is there for comparison: baseline/oracle fixed 100% (8 of 8 tasks) and " +
				"baseline/noop fixed 0% (0 of 8 tasks)."},
		{"a model and the controls", noop, 1, []play{{noop, "ffffffff", 0}, {oracle, "pppppppp", 0},
			{"x/a", "pppppppf", .2}},
			"x/a is better than baseline/noop: it fixed 88% (7 of 8 tasks), 88 points more than the other's 0% " +
				"(chance alone hardly does that, p=.02), at $0.23 a fix."},
		{"a model hardly better than nothing", noop, 1, []play{{noop, "ffff", 0}, {"x/a", "pppf", .2}},
			"It can't be told whether x/a or baseline/noop is better: they fixed 75% (3 of 4 tasks) and 0% (0 of 4 " +
				"tasks), and chance alone may do that (p=.25); about 8 tasks would tell, if they go on like this; a " +
				"fix by x/a cost $0.27."},
		{"a model that fixed nothing beside a control", noop, 1, []play{{noop, "ffff", 0}, {"x/a", "ffff", .2}},
			"x/a fixed nothing in 4 trials, at a cost of $0.80."},
		{"a control that asks no model beats them", noop, 1,
			[]play{{noop, "ffff", 0}, {matcher, "pppp", 0}, {"x/a", "ppff", .2}, {"x/b", "pfff", .2}},
			"It can't be told whether x/a or x/b is better: they fixed 50% (2 of 4 tasks) and 25% (1 of " +
				"4 tasks), and " +
				"chance alone may do that (p=1); about 37 tasks would tell, if they go on like this; x/a is cheaper, " +
				"at $0.40 a fix against $0.80, though baseline/matcher, no model at all, fixed 100%."},
		{"a control and a model that is void", noop, 1, []play{{noop, "ffff", 0}, {"x/a", "vvvv", .2}},
			"No model was judged, only what is there for comparison: baseline/noop fixed 0% (0 of " +
				"4 tasks); x/a could " +
				"not be judged."},
		{"an interrupted run", "a", 1, []play{{"a", "pppo", .1}, {"b", "fffo", .2}},
			"After 6 of 8 trials: It can't be told whether a (the baseline) or b is better: they fixed 100% (3 of 3 " +
				"tasks) and 0% (0 of 3 tasks), and chance alone may do that (p=.25); about 6 tasks would tell, if " +
				"they go on like this; a fix by a cost $0.10."},
		{"no task in common", "a", 1, []play{{"a", "pvvv", .1}, {"b", "vppp", .2}},
			"It can't be told who is best: a and b both fixed every task; about 32 tasks would show a difference of " +
				"20 points; a is cheaper, at $0.10 a fix against $0.20."},
		{"nothing costs anything", "a", 1, []play{{"a", "pppp", 0}, {"b", "ffpp", 0}},
			"It can't be told whether a (the baseline) or b is better: they fixed 100% (4 of 4 tasks) and 50% (2 of " +
				"4 tasks), and chance alone may do that (p=.50); about 12 tasks would tell, if they go on like this; " +
				"a fix cost $0 with each."},
		{"100 % and 0 % of four tasks", "a", 1, []play{{"a", "pppp", .1}, {"b", "ffff", .3}},
			"It can't be told whether a (the baseline) or b is better: they fixed 100% (4 of 4 tasks) and 0% (0 of 4 " +
				"tasks), and chance alone may do that (p=.13); about 6 tasks would tell, if they go on like this; a " +
				"fix by a cost $0.10."},
		{"nothing does better than the model", noop, 1, []play{{noop, "pppp", 0}, {"x/a", "ffff", .2}},
			"It can't be told whether baseline/noop or x/a is better: they fixed 100% (4 of 4 tasks) and 0% (0 of 4 " +
				"tasks), and chance alone may do that (p=.13); about 6 tasks would tell, if they go on like this."},
		{"a control as good as the model", noop, 1, []play{{noop, "pppp", 0}, {"x/a", "pppp", .2}},
			"It can't be told who is best: baseline/noop and x/a both fixed every task; about 32 tasks would show a " +
				"difference of 20 points; a fix by x/a cost $0.20."},
		{"the best of three", "b", 1, []play{{"b", times("f", 20), 0.3}, {"a", times("p", 20), 0.1},
			{"c", times("p", 4) + times("f", 16), 0.1}},
			"a is best: it fixed 100% (20 of 20 tasks), 80 points more than c with 20% (chance alone hardly does " +
				"that, p<.001), at $0.10 a fix against $0.50."},
		{"the best of three is the baseline", "a", 1, []play{{"b", times("f", 20), 0.3}, {"a", times("p", 20), -1},
			{"c", times("p", 4) + times("f", 16), 0.1}},
			"a (the baseline) is best: it fixed 100% (20 of 20 tasks), 80 points more than c with 20% (chance alone " +
				"hardly does that, p<.001), at a price that is not known."},
		{"a name that is an escape sequence", "a\x1b[31m\n", 1, []play{{"a\x1b[31m\n", "p", 0.1}},
			`a\x1b[31m\n fixed 100% (1 of 1 task), at $0.10 a fix; there is no other model to compare it with.`},
	} {
		if r := played(t, c.baseline, c.repeats, c.plays...); r.Answer != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, r.Answer, c.want)
		}
	}
}

// TestEveryFormatBeginsWithTheAnswer, as far as it has a place for a sentence.
func TestEveryFormatBeginsWithTheAnswer(t *testing.T) {
	r := played(t, "b", 1, play{"b", times("f", 10), 0.3}, play{"a", times("p", 10), 0.1})
	for format, want := range map[string]string{
		"table": "a is better than b", "markdown": "## comparison\n\na is better than b",
		"json":       `"answer": "a is better than b`,
		"pr-comment": "## comparison\n\na is better than b",
		"junit":      `<property name="answer" value="a is better than b`,
	} {
		if doc := written(t, format, r, formats.Options{}); !strings.Contains(doc[:min(len(doc), 900)], want) {
			t.Errorf("%s does not begin with the answer:\n%.900s", format, doc)
		}
	}
}

func TestSpentIsNotCost(t *testing.T) {
	same := played(t, "a", 1, play{"a", "pf", 0.1})
	if report.SpentNote(same) != "" || strings.Contains(written(t, "table", same, formats.Options{}), "spent") {
		t.Errorf("what was spent is what it cost: %q", report.SpentNote(same))
	}
	r := played(t, "a", 1, play{"a", "pfv", 0.1})
	const note = "cost: of the trials that count, $0.20 in all; spent: on the whole run, $0.30 in all"
	for format, want := range map[string]string{
		"table": note, "markdown": "cost: of the trials that count", "json": `"spent_usd": 0.3`,
		"junit": `"spent.note"`, "csv": "spent_usd", "metrics": `cookoff_spent_usd{model="a"} 0.3`,
	} {
		if doc := written(t, format, r, formats.Options{}); !strings.Contains(doc, want) {
			t.Errorf("%s does not say %q:\n%s", format, want, doc)
		}
	}
}

func TestOldPrices(t *testing.T) {
	begun := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for prices, want := range map[string]bool{"2026-07-25": false, "2026-07-24": true,
		"2025-11-01, and the user's": true, "": false, "a while ago": false} {
		b := report.New()
		tr := trial.Trial{ID: "t1", Model: "a/b", Task: "one", N: 1}
		reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted, At: begun,
			Run: &trial.Run{Prices: prices, Trials: []trial.Trial{tr}}})
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: "t1",
			Outcome: reporttest.Outcome(trial.Pass)})
		if got := reporttest.Warns(b.Report(), "days old when the run began"); got != want {
			t.Errorf("prices of %q: %v, %q", prices, got, b.Report().Warnings)
		}
	}
}

// TestSubAgentsAnsweredByAnotherModel are named, where it is known who was asked.
func TestSubAgentsAnsweredByAnotherModel(t *testing.T) {
	for _, c := range []struct{ asked, served, want string }{
		{"", "cheap-7b", ""},
		{trial.SameModel, "b-2026-01-31", ""},
		{trial.SameModel, "cheap-7b", "a/b: cheap-7b answered its sub-agents, though a/b was asked"},
		{"lab/helper", "helper", ""},
		{"lab/helper", "b", "a/b: b answered its sub-agents, though lab/helper was asked"},
	} {
		b := report.New()
		tr := trial.Trial{ID: "t1", Model: "a/b", Task: "one", N: 1}
		reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted,
			Run: &trial.Run{SubAgent: c.asked, Trials: []trial.Trial{tr}}})
		reporttest.Emit(t, b, trial.Event{Kind: trial.ModelReplied, Trial: "t1", Agent: "1",
			Replied: &trial.Replied{Reply: model.Reply{Served: c.served}}})
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: "t1",
			Outcome: reporttest.Outcome(trial.Pass)})
		if r := b.Report(); reporttest.Warns(r, "sub-agents") != (c.want != "") || !reporttest.Warns(r, c.want) {
			t.Errorf("%q asked, %q answered: %q", c.asked, c.served, r.Warnings)
		}
	}
}
