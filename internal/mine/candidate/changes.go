package candidate

import (
	"context"
	"sync"

	"cookoff/internal/history"
)

// ahead is of how many commits git is asked at once what they change.
const ahead = 128

// changes knows what the commits of a log change: git is asked of many at once.
type changes struct {
	log []history.Entry
	at  map[string]int // of a commit in the log, by its id

	mu    sync.Mutex
	known map[history.Step]history.Differences
	asked map[int]bool // parts of the log, see ahead
}

func changesOf(log []history.Entry) *changes {
	c := &changes{log: log, at: make(map[string]int, len(log)), known: map[history.Step]history.Differences{},
		asked: map[int]bool{}}
	for i, e := range log {
		c.at[e.ID] = i
	}
	return c
}

// of gives what differs in a step: of a commit of the log and its first parent, with
// those of the log around it, or of any two.
func (c *changes) of(ctx context.Context, repo *history.Repo, s history.Step) ([]history.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, is := c.at[s.To]; is && !c.asked[i/ahead] {
		c.asked[i/ahead] = true
		if len(c.known) > 32*ahead { // of a long log; a few are asked for once more
			clear(c.known)
		}
		var steps []history.Step
		for _, e := range c.log[i/ahead*ahead : min(len(c.log), (i/ahead+1)*ahead)] {
			if len(e.Parents) > 0 {
				steps = append(steps, history.Step{From: e.Parents[0], To: e.ID})
			}
		}
		for step, d := range repo.ChangesOf(ctx, steps) {
			c.known[step] = d
		}
	}
	if d, is := c.known[s]; is {
		return d.List, d.Err
	}
	return repo.Changes(ctx, s)
}
