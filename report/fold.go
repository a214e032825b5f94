package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"cookoff/report/parts"
	"cookoff/trial"
)

// maxRepeats bounds what a journal may claim: pass^k is worked out for every k.
const maxRepeats = 10_000

// Builder folds events into a report. It keeps a few numbers a trial, never the
// transcript. It is safe for concurrent use.
type Builder struct {
	mu        sync.Mutex
	run       trial.Run
	started   bool
	startedAt time.Time
	end       *trial.End
	seconds   float64 // of what was run before
	trials    map[string]*state
	order     []string // ids: the plan's, then as they turned up
	lost      trial.Unsettled
	mixed     bool // more than one recipe in one journal
	parts     bool // of several runs
	shards    parts.Parts
	changed   []string // files, on the disk, while the run went on
	strange   int      // outcomes of a status that this version does not know
}

// state is what is known of one trial.
type state struct {
	trial.Trial
	known    bool      // model and task are known
	started  time.Time // the last attempt
	host     string    // of the last attempt; "": the one machine
	attempts map[int]*attempt
}

type attempt struct {
	outcome *trial.Outcome
	cost    float64 // of the replies so far
	replied bool
	unknown bool            // a reply's cost is
	served  map[string]int  // replies
	helpers map[string]bool // that answered sub-agents
}

// New returns an empty Builder.
func New() *Builder { return &Builder{trials: map[string]*state{}} }

// Emit takes one event; kinds it doesn't know, and events without the field
// that belongs to their kind, are skipped. The error is always nil.
func (b *Builder) Emit(e trial.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.lost.Emit(e) // never fails
	switch e.Kind {
	case trial.RunStarted:
		if e.Run != nil {
			if !b.started {
				b.startedAt = e.At
			}
			b.plan(*e.Run)
		}
	case trial.RunFinished:
		if e.End != nil {
			if b.end != nil { // cut off when all was done, and ended later
				b.seconds += b.end.Seconds
			}
			b.changed = union(b.changed, e.End.Changed)
			b.end = new(*e.End)
		}
	case trial.TrialStarted:
		if e.Start != nil {
			b.attempt(e)
			b.learn(e.Trial, *e.Start)
			b.state(e.Trial).started, b.state(e.Trial).host = e.At, e.Host
		}
	case trial.TrialResumed:
		if e.Start != nil {
			b.attempt(e).outcome = nil
			b.learn(e.Trial, *e.Start)
			b.state(e.Trial).host = e.Host
		}
	case trial.ModelReplied:
		if e.Replied != nil {
			b.attempt(e).reply(e)
		}
	case trial.TrialFinished:
		if e.Outcome != nil {
			b.finish(b.attempt(e), *e.Outcome)
		}
	}
	return nil
}

// Abandoned says that nobody goes on with the run at present: what was under way
// has no end.
func (b *Builder) Abandoned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost.End()
}

// plan takes the plan of a run. A second one is the same run, resumed.
func (b *Builder) plan(r trial.Run) {
	r.Markdown = ""
	b.shards.Add(r)
	if b.started {
		if b.end != nil {
			b.seconds += b.end.Seconds
		}
		b.mixed = b.mixed || r.Digest != b.run.Digest
		b.parts = b.parts || r.ID != b.run.ID
		r.Excluded = union(b.run.Excluded, r.Excluded)
		r.Warnings = union(b.run.Warnings, r.Warnings)
		r.Groups = joinGroups(b.run.Groups, r.Groups)
		r.Hosts = joinHosts(b.run.Hosts, r.Hosts)
		r.Models, r.Tasks = union(b.run.Models, r.Models), union(b.run.Tasks, r.Tasks)
	}
	b.run, b.started, b.end = r, true, nil
	for _, t := range r.Trials {
		b.state(t.ID)
		b.learn(t.ID, t)
	}
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func (b *Builder) state(id string) *state {
	s := b.trials[id]
	if s == nil {
		s = &state{Trial: trial.Trial{ID: id}, attempts: map[int]*attempt{}}
		b.trials[id] = s
		b.order = append(b.order, id)
	}
	return s
}

func (b *Builder) learn(id string, t trial.Trial) {
	if s := b.state(id); !s.known {
		t.ID, t.N = id, min(max(t.N, 1), maxRepeats)
		s.Trial, s.known = t, true
	}
}

func (b *Builder) attempt(e trial.Event) *attempt {
	s, n := b.state(e.Trial), max(e.Attempt, 1)
	a := s.attempts[n]
	if a == nil {
		a = &attempt{served: map[string]int{}, helpers: map[string]bool{}}
		s.attempts[n] = a
	}
	return a
}

// reply adds what a reply cost. A sub-agent may be of another model: who served
// it says nothing of the contestant.
func (a *attempt) reply(e trial.Event) {
	r := e.Replied
	a.replied = true
	if r.CostUSD == nil {
		a.unknown = true
	} else {
		a.cost += *r.CostUSD
	}
	switch s := r.Reply.Served; {
	case s == "":
	case e.Agent == "":
		a.served[s]++
	default:
		a.helpers[s] = true
	}
}

// finish keeps the outcome without the final text, which no table shows and
// which may be long. A trial that was cancelled has no outcome: it is still to
// be done.
func (b *Builder) finish(a *attempt, o trial.Outcome) {
	o.Answer = ""
	switch {
	case o.Status == trial.Void && o.Cause == trial.CauseCancelled:
		return
	case o.Status == trial.Pass, o.Status == trial.Fail, o.Status == trial.Void:
		a.outcome = &o
	default:
		b.strange++
	}
}

// spent is what the attempt cost, whatever became of it; nil: unknown.
func (a *attempt) spent() *float64 {
	switch {
	case a.outcome != nil && a.outcome.CostUSD != nil:
		return a.outcome.CostUSD
	case a.outcome != nil && a.outcome.Steps == 0 && !a.replied:
		return new(0.0) // no model was asked
	case a.unknown || a.outcome != nil && !a.outcome.Usage.Known:
		return nil
	case a.outcome != nil && a.cost == 0 && a.outcome.Usage.Input+a.outcome.Usage.Output > 0:
		return nil // what no reply tells of, as a refusal, at no known price
	}
	return &a.cost
}

// Report gives the report of the events so far.
func (b *Builder) Report() *Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &Report{Run: b.run, Started: b.startedAt, State: Unended, Seconds: math.NaN(),
		Excluded: slices.Clone(b.run.Excluded)}
	if b.end != nil {
		r.Seconds, r.Error, r.Decision = b.seconds+b.end.Seconds, b.end.Error, b.end.Decision
		if b.parts {
			r.Decision = nil // it is of the last run's tasks alone
		}
		switch {
		case b.end.Interrupted:
			r.State = Interrupted
		case b.end.Budget:
			r.State = Spent
		case b.end.Error != "":
			r.State = Broken
		default:
			r.State = Finished
		}
	}
	var nameless int
	for _, id := range b.order {
		s := b.trials[id]
		if !s.known {
			nameless++
			continue
		}
		if t := s.trial(); t.Outcome.Status == "" {
			r.Pending = append(r.Pending, t)
		} else {
			r.Trials = append(r.Trials, t)
		}
	}
	r.Tasks = b.names(b.run.Tasks, func(t trial.Trial) string { return t.Task })
	models := b.names(b.run.Models, func(t trial.Trial) string { return t.Model })
	if r.Run.Baseline == "" && len(models) > 0 {
		r.Run.Baseline = models[0]
	}
	if c := r.Run.Confidence; !(c > 0 && c < 1) {
		r.Run.Confidence = 0.95
	}
	for _, m := range models {
		r.Models = append(r.Models, newModel(r, m))
	}
	b.money(r)
	compare(r)
	pareto(r.Models)
	r.Answer = answer(r)
	r.Foreign = b.shards.Foreign()
	if b.parts {
		r.Missing, _ = b.shards.Missing()
	}
	r.Warnings = warnings(r, faults{b.mixed, nameless, b.strange, b.shards.Warnings(), b.changed})
	return r
}

// trial gives the trial with its last attempt in front.
func (s *state) trial() Trial {
	t := Trial{Trial: s.Trial, SpentUSD: s.spent(), Started: s.started, Host: s.host}
	numbers := make([]int, 0, len(s.attempts))
	for n := range s.attempts {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		a := s.attempts[n]
		last := i == len(numbers)-1
		switch {
		case last && a.outcome != nil:
			t.Attempt, t.Outcome = n, *a.outcome
		case last:
			t.Attempt = n
		case a.outcome != nil:
			t.Earlier = append(t.Earlier, Attempt{n, *a.outcome})
		}
	}
	return t
}

// spent is what all attempts cost; nil: unknown.
func (s *state) spent() *float64 {
	total := 0.0
	for _, a := range sorted(s.attempts) {
		c := a.spent()
		if c == nil {
			return nil
		}
		total += *c
	}
	return &total
}

// restarts gives how many attempts were cut off and could not go on, and what their
// replies had cost.
func (s *state) restarts() (n int, usd float64) {
	last := 0
	for at := range s.attempts {
		last = max(last, at)
	}
	for at, a := range s.attempts {
		if at < last && a.outcome == nil && a.replied {
			n, usd = n+1, usd+a.cost
		}
	}
	return n, usd
}

// names gives the planned names in their order, then those that only trials
// have, sorted by where the trials stand.
func (b *Builder) names(planned []string, of func(trial.Trial) string) []string {
	seen := map[string]bool{}
	var out []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, name := range planned {
		add(name)
	}
	for _, id := range b.order {
		if s := b.trials[id]; s.known {
			add(of(s.Trial))
		}
	}
	return out
}

// money adds up what was spent, and who was served, over all attempts.
func (b *Builder) money(r *Report) {
	for i := range r.Models {
		m := &r.Models[i]
		spent, known := 0.0, true
		helpers := map[string]bool{}
		m.ServedIn = map[string]ServedIn{}
		for _, id := range b.order {
			s := b.trials[id]
			if !s.known || s.Model != m.Name {
				continue
			}
			m.Unsettled = m.Unsettled.Add(b.lost.Of(id))
			again, usd := s.restarts()
			m.Restarts, m.RestartsUSD = m.Restarts+again, m.RestartsUSD+usd
			if c := s.spent(); c != nil {
				spent += *c
			} else {
				known = false
			}
			for _, a := range s.attempts {
				for name, n := range a.served {
					in := m.ServedIn[name]
					m.ServedIn[name] = ServedIn{cmp.Or(in.First, id), in.Replies + n}
				}
				maps.Copy(helpers, a.helpers)
			}
		}
		if known {
			m.SpentUSD = &spent
		}
		m.Served, m.Helpers = slices.Sorted(maps.Keys(m.ServedIn)), slices.Sorted(maps.Keys(helpers))
	}
}

// sorted gives the values in the order of their keys, so that sums of floats are
// the same every time.
func sorted[K cmp.Ordered, V any](m map[K]V) []V {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([]V, 0, len(m))
	for _, k := range keys {
		out = append(out, m[k])
	}
	return out
}
