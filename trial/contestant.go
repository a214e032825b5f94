package trial

import "slices"

// Contestant is a contestant with a name of its own, and what it was given.
type Contestant struct {
	Name  string `json:"name"`
	Model string `json:"model"`           // provider/model
	Agent string `json:"agent,omitempty"` // program that works with the model
	// Given is what differs from the recipe for this one, in the recipe's order.
	Given []Given `json:"given,omitempty"`
	// Sum is the SHA-256 of all that it is: its block of the recipe, and the contents
	// of its files.
	Sum string `json:"sum"`
}

// Given is one thing that a contestant has of its own: a key of its block, and what it
// says, shortened.
type Given struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Contestant gives that of a name; nil: it is a model, or an agent and its model, as
// the name says.
func (r *Run) Contestant(name string) *Contestant {
	i := slices.IndexFunc(r.Contestants, func(c Contestant) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Contestants[i]
}

// Behind gives what stands behind the name of a contestant: provider/model, or
// agent: provider/model.
func (r *Run) Behind(name string) string {
	c := r.Contestant(name)
	switch {
	case c == nil:
		return name
	case c.Agent != "":
		return c.Agent + ": " + c.Model
	}
	return c.Model
}
