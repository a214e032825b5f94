package session

import (
	"errors"
	"fmt"
	"io/fs"

	"cookoff/trial"
)

// Cost is what a model used in a session.
type Cost struct {
	Model         string
	Trials        int
	Input, Output int // tokens
	USD           float64
	Priced        bool // all of it has a known price
	Counted       bool // every reply told its tokens
}

// Costs adds up the journals of a session, models in the order they turned up.
func (s *turnLog) Costs() ([]Cost, error) {
	var out []Cost
	at := map[string]int{}
	for _, t := range s.Turns() {
		for _, run := range t.Runs {
			models := map[string]string{}
			_, err := trial.ReadFile(s.Journal(run), func(e trial.Event) error {
				if e.Start != nil {
					models[e.Trial] = e.Start.Model
				}
				m := models[e.Trial]
				if _, ok := at[m]; !ok && m != "" {
					at[m] = len(out)
					out = append(out, Cost{Model: m, Priced: true, Counted: true})
				}
				if m != "" {
					out[at[m]].add(e)
				}
				return nil
			})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("adding up the session: %w", err)
			}
		}
	}
	return out, nil
}

func (c *Cost) add(e trial.Event) {
	switch {
	case e.Start != nil:
		c.Trials++
	case e.Replied != nil:
		c.Counted = c.Counted && e.Replied.Reply.Usage.Known
		c.Input += e.Replied.Reply.Usage.Input
		c.Output += e.Replied.Reply.Usage.Output
		if e.Replied.CostUSD == nil {
			c.Priced = false
		} else {
			c.USD += *e.Replied.CostUSD
		}
	}
}
