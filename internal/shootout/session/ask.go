package session

import (
	"context"
	"slices"

	"cookoff/runner"
)

// Ask is a question that a trial waits for.
type Ask struct {
	runner.Approval
	answer chan runner.Answer
}

// approve asks the person before the screen, and waits.
func (s *Session) approve(ctx context.Context, a runner.Approval) (runner.Answer, error) {
	ask := &Ask{a, make(chan runner.Answer, 1)}
	s.mu.Lock()
	s.asks = append(s.asks, ask)
	s.mu.Unlock()
	defer s.drop(ask)
	select {
	case <-ctx.Done():
		return runner.Deny, ctx.Err()
	case answer := <-ask.answer:
		return answer, nil
	}
}

func (s *Session) drop(ask *Ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = slices.DeleteFunc(s.asks, func(a *Ask) bool { return a == ask })
}

// Asking gives the question that has waited longest; nil: there is none.
func (s *Session) Asking() *Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asks) == 0 {
		return nil
	}
	return s.asks[0]
}

// Answer answers a question, once.
func (s *Session) Answer(ask *Ask, answer runner.Answer) {
	s.drop(ask)
	select {
	case ask.answer <- answer:
	default: // it was answered
	}
}
