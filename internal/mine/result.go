package mine

import (
	"slices"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/refusal"
	"cookoff/recipe"
)

// Result is what a history gave.
type Result struct {
	Head     history.Commit
	Total    int                 // commits of the history that were asked for
	Found    []Found             // of the commits that were looked at, newest first
	Known    int                 // of these, from an earlier go
	Stopped  bool                // interrupted
	Waiting  int                 // of these, tasks that are left out: nobody has looked yet whether their worlds tell the answer
	Overlaps []candidate.Overlap // of the ranges that were asked for
	Duration time.Duration
}

// wait leaves out the tasks of an interrupted search whose worlds were not looked through.
func (r *Result) wait() {
	all := len(r.Found)
	r.Found = slices.DeleteFunc(r.Found, func(f Found) bool { return f.Task != nil && !f.Task.Searched })
	r.Waiting = all - len(r.Found)
}

// Tasks are those that were admitted, newest first.
func (r *Result) Tasks() (out []recipe.Task) {
	for _, f := range r.Found {
		if f.Task != nil {
			out = append(out, f.Task.Recipe)
		}
	}
	return out
}

// Candidates counts the commits that change tests and code.
func (r *Result) Candidates() (n int) {
	for _, f := range r.Found {
		if f.Candidate {
			n++
		}
	}
	return n
}

// Refused counts the others by reason.
func (r *Result) Refused() map[refusal.Reason]int {
	out := map[refusal.Reason]int{}
	for _, f := range r.Found {
		if f.Task == nil {
			out[f.Reason]++
		}
	}
	return out
}
