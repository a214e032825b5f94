package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/runner/project"
	"cookoff/trial"
)

// Past is what a run has behind it that goes on: a fold of its journal.
type Past struct {
	Run trial.Run // as it was begun

	begun     map[string]int           // attempts by trial, those without an end too
	ended     map[string]bool          // trials that need no other attempt
	outcomes  map[string]trial.Outcome // of the last attempts that have an end
	paid      map[string]float64       // USD, by trial: for replies of the last attempt
	spent     float64                  // USD, as far as is known
	unsettled trial.Unsettled

	events  map[string][]trial.Event // of the last attempts of trials that are left
	learned []*trial.Failure         // of models

	metered map[string]bool      // trials of agents: what their requests cost is told one by one
	model   map[string]string    // of each trial
	cost    map[string]float64   // USD of each trial's present attempt
	costs   map[string][]float64 // of attempts that were judged, by model
	bills   map[string]bill      // one reply of each model
	longest int                  // reply, in tokens
}

// NewPast gives the Past of a run that has not begun.
func NewPast() *Past {
	return &Past{begun: map[string]int{}, ended: map[string]bool{}, outcomes: map[string]trial.Outcome{},
		paid: map[string]float64{}, metered: map[string]bool{},
		model: map[string]string{}, cost: map[string]float64{}, costs: map[string][]float64{},
		bills: map[string]bill{}}
}

// Emit takes an event of the run. It never fails.
func (p *Past) Emit(e trial.Event) error {
	_ = p.unsettled.Emit(e) // never fails
	p.priced(e)
	p.billed(e)
	switch {
	case e.Kind == trial.RunStarted && e.Run != nil:
		first := p.Run
		if p.Run = *e.Run; first.ID != "" {
			p.Run.ProjectFiles, p.Run.ProjectSum = first.ProjectFiles, first.ProjectSum
		}
	case e.Kind == trial.TrialStarted, e.Kind == trial.TrialResumed:
		p.begun[e.Trial] = max(p.begun[e.Trial], e.Attempt, 1)
		p.ended[e.Trial] = false
		if o, ok := p.outcomes[e.Trial]; ok && e.Kind == trial.TrialResumed {
			p.spent -= o.LostUSD // the attempt's next end has it, too
		}
		delete(p.outcomes, e.Trial)
		if e.Kind == trial.TrialStarted {
			p.paid[e.Trial] = 0
		}
	case p.cents(e) != nil:
		p.spent += *p.cents(e)
		p.paid[e.Trial] += *p.cents(e)
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		o := e.Outcome
		p.outcomes[e.Trial] = *o
		p.ended[e.Trial] = o.Status != trial.Void || o.Cause != trial.CauseCancelled && !passing(o.Cause)
		p.spent += o.LostUSD
	}
	return nil
}

// cents is what an event says that a request has cost, in USD; nil: nothing. The reply
// of an agent's model sums up requests that were told before it, as far as it is told.
func (p *Past) cents(e trial.Event) *float64 {
	switch {
	case e.Kind == trial.GatewayServed && e.Request != nil:
		p.metered[e.Trial] = true
		return e.Request.CostUSD
	case e.Kind == trial.ModelReplied && e.Replied != nil && !p.metered[e.Trial]:
		return e.Replied.CostUSD
	}
	return nil
}

// priced keeps what trials cost, and how long replies get.
func (p *Past) priced(e trial.Event) {
	switch {
	case e.Kind == trial.TrialStarted && e.Start != nil:
		p.model[e.Trial], p.cost[e.Trial] = e.Start.Model, 0
	case e.Kind == trial.ModelReplied && e.Replied != nil, e.Kind == trial.GatewayServed:
		if e.Replied != nil {
			p.longest = max(p.longest, e.Replied.Reply.Usage.Output)
		}
		if usd := p.cents(e); usd != nil {
			p.cost[e.Trial] += *usd
		}
	case e.Kind == trial.TrialFinished && e.Outcome != nil && (e.Outcome.Status == trial.Pass ||
		e.Outcome.Status == trial.Fail):
		m := p.model[e.Trial]
		p.costs[m] = append(p.costs[m], p.cost[e.Trial])
	}
}

// attempts gives how many attempts at a trial were begun.
func (p *Past) attempts(t trial.Trial) int {
	if p == nil {
		return 0
	}
	return p.begun[t.ID]
}

// Unsettled is what requests may have cost that were under way when the run was cut
// off. Nothing of it goes on once it is asked.
func (p *Past) Unsettled() trial.Bound {
	p.unsettled.End()
	return p.unsettled.All()
}

// Finished reports whether no trial is left.
func (p *Past) Finished() bool { return p.done(p.Run.Trials) }

// Left gives the trials of a plan that are still to be done: those without an
// end, those that were void for a cause that may pass, and in a sequence all of
// a model's go of which one is, since each starts with what the one before left.
func (r *Runner) Left() []trial.Trial { return slices.Concat(r.chains()...) }

func (p *Past) done(chain []trial.Trial) bool {
	return p != nil && !slices.ContainsFunc(chain, func(t trial.Trial) bool { return !p.ended[t.ID] })
}

// ChangedError says why a run can't go on: what was done and what is left would
// not be the same comparison. Nothing was run.
type ChangedError struct {
	Run  string
	What []string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the run %s can't go on: %s\n  hint: put that back, or begin another run with cookoff run; "+
		"--despite-changes goes on all the same, and the report says so", e.Run, strings.Join(e.What, "; "))
}

// same refuses to go on with a run that was begun with something else. servers
// are compared once they have been asked.
func (r *Runner) same(servers bool) error {
	p := r.env.Past
	if p == nil {
		return nil
	}
	now := r.describeRun(p.Run.ID, nil)
	var what []string
	differs := func(differ bool, text string) {
		if differ {
			what = append(what, text)
		}
	}
	differs(now.Version != p.Run.Version, fmt.Sprintf("it was begun by cookoff %s, and this is %s", p.Run.Version,
		now.Version))
	differs(now.Tools != p.Run.Tools && p.Run.Tools != "",
		"programs of this machine that tasks use were changed since"+differing(p.Run.Programs, now.Programs))
	what = append(what, redefined(p.Run.Contestants, now.Contestants)...)
	planted := replanted(p.Run.Planted, now.Planted)
	what = append(what, planted...)
	differs(now.Digest != p.Run.Digest && len(planted) == 0,
		"the recipe was changed since, or what it extends"+said(p.Run.Markdown, now.Markdown))
	changed, told := r.files.Changes(p.Run.ProjectFiles)
	differs(now.ProjectSum != p.Run.ProjectSum && (!told || len(changed) > 0),
		"the project's files were changed since"+project.Listed(changed))
	differs(servers && !maps.Equal(now.MCP, p.Run.MCP), "its MCP servers offer other tools now")
	if r.env.DespiteChanges {
		r.despite.add(what)
		what = nil
	}
	differs(!slices.Equal(now.Trials, p.Run.Trials), "it has other models, tasks or trials now")
	if len(what) == 0 {
		return nil
	}
	return &ChangedError{p.Run.ID, what}
}

// differing names the programs that are others now; "": nobody knows.
func differing(was, now map[string]string) string {
	var names []string
	for name, sum := range was {
		switch other, there := now[name]; {
		case !there:
			names = append(names, text.Line(name)+" (gone)")
		case other != sum:
			names = append(names, text.Line(name))
		}
	}
	for name := range now {
		if _, there := was[name]; !there && was != nil {
			names = append(names, text.Line(name)+" (new)")
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return ": " + strings.Join(names, ", ")
}

// despite is what was changed since a run began that goes on all the same.
type despite struct{ what []string }

func (d *despite) add(what []string) {
	for _, w := range what {
		if !slices.Contains(d.what, w) {
			d.what = append(d.what, w)
		}
	}
}
