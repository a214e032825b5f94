package loop

import (
	"slices"
	"sync"

	"cookoff/model"
	"cookoff/trial"
)

// Habits are what was learned of the models of a run, the same for all of its
// trials.
type Habits struct {
	mu sync.Mutex
	of map[string]*habit

	longest int // reply of an earlier part of the run, in tokens
}

// habit is what was learned of one model.
type habit struct {
	format  string   // "": nothing
	omit    []string // parameters that it does not take: name, or name=value where others may be
	longest int      // reply, in tokens
	native  bool     // a request with tools was answered: what a later one meets is a fault, no habit
}

// NewHabits knows nothing yet.
func NewHabits() *Habits { return &Habits{of: map[string]*habit{}} }

// Seen takes the longest reply of an earlier part of the run, in tokens.
func (h *Habits) Seen(longest int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.longest = longest
}

// longestReply is the longest reply of a model that was seen, in tokens.
func (h *Habits) longestReply(id string) (tokens int) {
	h.at(id, func(of *habit) { tokens = max(of.longest, h.longest) })
	return tokens
}

// at gives what was learned of a model to f.
func (h *Habits) at(id string, f func(*habit)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[id] == nil {
		h.of[id] = &habit{}
	}
	f(h.of[id])
}

// Learned takes what an earlier part of the run learned of a model.
func (h *Habits) Learned(f *trial.Failure) {
	h.at(f.Model, func(h *habit) {
		if f.What == model.Tools {
			h.format = formatText
		} else if !slices.Contains(h.omit, f.What) {
			h.omit = append(h.omit, f.What)
		}
	})
}
