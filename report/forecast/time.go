package forecast

import (
	"fmt"
	"math"

	"cookoff/trial"
)

// What a trial is taken to last where no trial tells, in seconds.
const (
	stepSeconds  = 8 // a reply, and the calls that it asks for
	worldSeconds = 5 // staging and judging
)

// wall is how long trials last, one after the other, in seconds.
type wall struct {
	likely, lo, hi float64
	assumed        bool
}

func (w *wall) add(o wall) {
	w.likely, w.lo, w.hi, w.assumed = w.likely+o.likely, w.lo+o.lo, w.hi+o.hi, w.assumed || o.assumed
}

// time says how long the trials of one model last: as its own did, else as those of
// other models did, else by what is assumed of a step.
func (h *History) time(p Plan, name string, mine []trial.Trial) wall {
	pool, _, other := h.pool(p, name, tasks(mine))
	if s := wallOf(pool, len(mine)); s != nil {
		if !other {
			return wall{*s, *s, *s, false}
		}
		return wall{*s, *s / otherFactor, *s * otherFactor, true}
	}
	world := h.world(p)
	if free(p.behind(name)) {
		all := world * float64(len(mine))
		return wall{all, all, all, false}
	}
	var w wall
	for _, t := range mine {
		limit := p.steps(t.Task)
		took := func(steps int) float64 { return world + stepSeconds*float64(min(steps, limit)) }
		w.add(wall{took(min(someSteps, limit/2+limit%2)), took(fewSteps), took(manySteps), true})
	}
	return w
}

// steps is how many steps a trial of a task may take.
func (p Plan) steps(task string) int {
	if n := p.MaxSteps[task]; n != 0 {
		return n
	}
	return math.MaxInt
}

// world is how long staging and judging take, as baselines of the recipe show.
func (h *History) world(p Plan) (seconds float64) {
	n := 0
	for _, t := range h.judged {
		if t.free && t.recipe == p.Recipe {
			seconds, n = seconds+t.seconds, n+1
		}
	}
	if n == 0 {
		return worldSeconds
	}
	return seconds / float64(n)
}

// last takes in how long the trials last, so many of them at once.
func (f *Forecast) last(all wall, parallel int) {
	n := float64(max(parallel, 1))
	f.Seconds, f.Soonest, f.Latest = new(all.likely/n), all.lo/n, all.hi/n
	if all.assumed {
		f.Assumed = append(f.Assumed, fmt.Sprintf(
			"assumed of the time: %d seconds a step, where no trial of the model tells", stepSeconds))
	}
}
