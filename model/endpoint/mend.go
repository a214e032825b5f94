package endpoint

import (
	"fmt"
	"slices"

	"cookoff/model"
)

// maxCalls is how many tool calls are kept of a reply.
const maxCalls = 128

// Mend makes a reply one that can be answered: not too many calls, each with
// an id that no other call of the conversation has.
func Mend(r *model.Reply, req *model.Request) {
	before, most := req.Messages, maxCalls
	if req.Functions {
		most = 1
	}
	if n := len(r.Message.Calls) - most; n > 0 {
		r.Message.Calls = slices.Clone(r.Message.Calls[:most])
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d tool calls were left out: a reply may hold %d",
			n, n+most, most))
	}
	if len(r.Message.Calls) == 0 {
		return
	}
	taken := map[string]bool{}
	for _, m := range before {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	mended := 0
	for i := range r.Message.Calls {
		c := &r.Message.Calls[i]
		if c.ID == "" || len(c.ID) > 256 || taken[c.ID] {
			c.ID = fresh(taken, fmt.Sprintf("call_%d_%d", len(before), i+1))
			if !req.Functions { // where no call has one
				mended++
			}
		}
		taken[c.ID] = true
	}
	switch {
	case mended == 1:
		r.Notes = append(r.Notes, "a tool call came without an id of its own and was given one")
	case mended > 1:
		r.Notes = append(r.Notes, fmt.Sprintf("%d tool calls came without an id of their own and were given one",
			mended))
	}
}

func fresh(taken map[string]bool, id string) string {
	for taken[id] {
		id += "_"
	}
	return id
}
