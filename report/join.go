package report

import (
	"maps"
	"slices"
	"strings"

	"cookoff/trial"
)

// Join makes one run of several, for a Builder or whatever else folds events:
// the same task and model again is a further trial of it. Begin each run with
// Next; the zero value with To set is ready.
type Join struct {
	To trial.Sink

	ids     []string
	digests []string
	before  map[[2]string]int // trials of the runs before, by model and task
	current map[[2]string]int
	id      string
}

// Next says that the events which follow are of another run.
func (j *Join) Next() {
	if j.before == nil {
		j.before = map[[2]string]int{}
	}
	for k, n := range j.current {
		j.before[k] = max(j.before[k], n)
	}
	j.current, j.id = map[[2]string]int{}, ""
}

// Emit passes an event on as one of the joined run.
func (j *Join) Emit(e trial.Event) error {
	switch {
	case e.Run != nil:
		r := *e.Run
		if j.id = r.ID; !slices.Contains(j.ids, r.ID) {
			j.ids = append(j.ids, r.ID)
		}
		if !slices.Contains(j.digests, r.Digest) {
			j.digests = append(j.digests, r.Digest)
		}
		r.ID, r.Trials = strings.Join(j.ids, " + "), slices.Clone(r.Trials)
		for i := range r.Trials {
			r.Trials[i] = j.trial(r.Trials[i])
		}
		e.Run = &r
	case e.Start != nil:
		e.Start = new(j.trial(*e.Start))
	}
	if e.Trial != "" {
		e.Trial = j.id + "/" + e.Trial
	}
	return j.To.Emit(e)
}

// trial numbers a trial behind those of the runs before.
func (j *Join) trial(t trial.Trial) trial.Trial {
	k := [2]string{t.Model, t.Task}
	t.ID, t.N = j.id+"/"+t.ID, min(max(t.N, 1), maxRepeats)+j.before[k]
	if j.current == nil {
		j.current = map[[2]string]int{}
	}
	j.current[k] = max(j.current[k], t.N)
	return t
}

// Runs gives the ids of the runs that were joined.
func (j *Join) Runs() []string { return slices.Clone(j.ids) }

// Mixed reports whether the runs are of different recipes.
func (j *Join) Mixed() bool { return len(j.digests) > 1 }

// joinGroups puts together what two parts of a run say of their tasks.
func joinGroups(a, b map[string][]string) map[string][]string {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
