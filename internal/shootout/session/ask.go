package session

import (
	"context"
	"slices"
	"sync"

	"cookoff/runner"
)

// Ask is a question that a trial waits for.
type Ask struct {
	runner.Approval
	answer chan runner.Answer
}

// asks are the questions that trials wait for, the longest first.
type asks struct {
	mu   sync.Mutex
	list []*Ask
}

// approve asks the person before the screen, and waits.
func (q *asks) approve(ctx context.Context, a runner.Approval) (runner.Answer, error) {
	ask := &Ask{a, make(chan runner.Answer, 1)}
	q.mu.Lock()
	q.list = append(q.list, ask)
	q.mu.Unlock()
	defer q.drop(ask)
	select {
	case <-ctx.Done():
		return runner.Deny, ctx.Err()
	case answer := <-ask.answer:
		return answer, nil
	}
}

func (q *asks) drop(ask *Ask) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = slices.DeleteFunc(q.list, func(a *Ask) bool { return a == ask })
}

// Asking gives the question that has waited longest; nil: there is none.
func (q *asks) Asking() *Ask {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	return q.list[0]
}

// Answer answers a question, once.
func (q *asks) Answer(ask *Ask, answer runner.Answer) {
	q.drop(ask)
	select {
	case ask.answer <- answer:
	default: // it was answered
	}
}

// forget drops all questions: what asked them has ended.
func (q *asks) forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = nil
}
