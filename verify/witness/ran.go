package witness

import (
	"slices"
	"sync"

	"cookoff/trial"
)

// Ran is what was run over one state in fresh worlds of one place, while admission learns of it: what is asked there
// again is answered from here. It is safe for concurrent use.
type Ran struct {
	mu     sync.Mutex
	kept   map[string]any
	exited map[string][]bool // check -> whether its commands succeeded, for each run of them as they are
}

// Same gives what run gave for a key before at a place, or runs it. Where nothing is kept, and of errors, it always
// runs.
func Same[T any](p Place, key string, run func() (T, error)) (T, error) {
	if p.Ran == nil {
		return run()
	}
	p.Ran.mu.Lock()
	was, is := p.Ran.kept[key].(T)
	p.Ran.mu.Unlock()
	if is {
		return was, nil
	}
	out, err := run()
	if err == nil {
		p.Ran.mu.Lock()
		defer p.Ran.mu.Unlock()
		if p.Ran.kept == nil {
			p.Ran.kept = map[string]any{}
		}
		p.Ran.kept[key] = out
	}
	return out, err
}

// Exits notes how the commands of a check ended that ran once more as they are.
func (p Place) Exits(check string, ok bool) {
	if p.Ran == nil {
		return
	}
	p.Ran.mu.Lock()
	defer p.Ran.mu.Unlock()
	if p.Ran.exited == nil {
		p.Ran.exited = map[string][]bool{}
	}
	p.Ran.exited[check] = append(p.Ran.exited[check], ok)
}

// Confirmed are those of some verdicts that every other run of the check's commands in a fresh world of this place,
// over the same state, came to as well.
func (p Place) Confirmed(vs []trial.Verdict) map[string]trial.Verdict {
	if p.Ran == nil {
		return nil
	}
	p.Ran.mu.Lock()
	defer p.Ran.mu.Unlock()
	out := map[string]trial.Verdict{}
	for _, v := range vs {
		runs := p.Ran.exited[v.Check]
		if len(runs) > 0 && (v.Status == trial.Held && !slices.Contains(runs, false) ||
			v.Status == trial.NotHeld && !slices.Contains(runs, true)) {
			out[v.Check] = v
		}
	}
	return out
}
