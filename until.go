package cookoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/report"
	"cookoff/report/decide"
	"cookoff/trial"
)

// Until is the question that a run ends with, once it is answered, and how sure the
// answer has to be. What is left out is as the recipe's Comparison says.
type Until struct {
	Decided string  // best, ranking, baseline, or "MODEL vs MODEL"
	Alpha   float64 // how often a false alarm is allowed; 0: 0.05
	Delta   float64 // the smallest difference of rates that matters, in points; 0: any does
}

// over lays the question over a recipe's own.
func (u Until) over(c *recipe.ComparisonConfig) {
	c.UntilDecided = cmp.Or(u.Decided, c.UntilDecided)
	c.Alpha, c.Delta = cmp.Or(u.Alpha, c.Alpha), cmp.Or(u.Delta, c.Delta)
}

// question is what the run is to decide; ok is false where it asks nothing. The
// problem says where one can't be asked.
func question(r *recipe.Recipe, o *Options) (q decide.Question, models []string, ok bool, bad *problem.Problem) {
	asked := r.Comparison
	if asked.UntilDecided == "" || o.Replay != nil {
		return q, nil, false, nil
	}
	refuse := func(msg, hint string) (decide.Question, []string, bool, *problem.Problem) {
		return q, nil, false, &problem.Problem{Pos: askedAt(r, o), Msg: msg, Hint: hint}
	}
	if r.Context.TaskMode == "sequential" {
		return refuse("a run whose tasks follow one another (task_mode: sequential) is not ended by an answer: "+
			"its tasks are no evidence of their own", "")
	}
	if o.Shard != nil {
		return refuse("a part of the tasks (--shard) does not decide for all of them",
			"--hosts shares a run with a question between machines; or leave the question out")
	}
	baseline := asked.Baseline
	names := r.Names()
	if baseline == "" && len(names) > 0 {
		baseline = names[0]
	}
	a, b, _ := strings.Cut(asked.UntilDecided, " vs ")
	named := []string{strings.TrimSpace(a), strings.TrimSpace(b)}
	if strings.HasSuffix(asked.UntilDecided, "baseline") {
		named = append(named, baseline)
	}
	models = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(r.Behind(name), "baseline/") && !slices.Contains(named, name)
	})
	q, err := decide.Parse(asked.UntilDecided, baseline, models)
	if err != nil {
		return refuse(err.Error(), "cookoff's own baselines count where the question names them")
	}
	q.Level, q.Delta = cmp.Or(asked.Alpha, q.Level), asked.Delta/100
	return q, models, true, nil
}

// askedAt is where the question stands.
func askedAt(r *recipe.Recipe, o *Options) problem.Pos {
	if o.Until.Decided != "" {
		return problem.Pos{File: "--until-decided"}
	}
	return r.Place("comparison.until_decided")
}

// recall shows what has ended already, as the events that said so.
func recall(w *decide.Watch, r *report.Report) {
	for _, t := range r.Trials {
		_ = w.Emit(trial.Event{Kind: trial.TrialStarted, Trial: t.ID, Start: &t.Trial}) // never fails
		_ = w.Emit(trial.Event{Kind: trial.TrialFinished, Trial: t.ID, Outcome: &t.Outcome})
	}
}

// unanswerable is the problem of a question that no outcome of the plan answers.
func (p *preparation) unanswerable() problem.Problem {
	return problem.Problem{Pos: askedAt(p.recipe, &p.opt),
		Msg: fmt.Sprintf("no outcome of these trials can answer %q, not even if all of them went one way",
			p.recipe.Comparison.UntilDecided),
		Hint: "cookoff plan says how many tasks it takes; " +
			"or be less sure (--false-alarms), or say which differences don't matter (--delta)"}
}

// watch makes what says when the run has its answer; nil: it asks nothing.
func (p *preparation) watch() *decide.Watch {
	q, models, ok, _ := question(p.recipe, &p.opt)
	if !ok {
		return nil
	}
	plan := decide.Plan{Models: models, Trials: p.recipe.Comparison.Trials, MaxUSD: p.opt.MaxCost}
	for _, task := range p.tasks {
		if p.env.Only == nil || p.env.Only(task) {
			plan.Tasks = append(plan.Tasks, task)
		}
	}
	w := decide.NewWatch(p.recipe.Comparison.UntilDecided, q, plan)
	if p.opt.Resume != nil {
		recall(w, p.opt.Resume.Report())
	}
	return w
}
