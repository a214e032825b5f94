package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/host"
	"cookoff/internal/ui/text"
)

// sayEvery is how often it is said which models have not answered yet.
const sayEvery = 15 * time.Second

// silence is what has been asked and has not answered yet. The zero value is ready; nil says nothing.
type silence struct {
	mu  sync.Mutex
	ids []string
}

// asks adds a model; the function that it gives takes it away.
func (s *silence) asks(id string) (answered func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, id)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ids = slices.DeleteFunc(s.ids, func(other string) bool { return other == id })
	}
}

// tell says now and then who is waited for, until stop is called.
func (s *silence) tell(ctx context.Context, notify func(host.Notice)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began, every := time.Now(), time.NewTicker(sayEvery)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			s.mu.Lock()
			ids := strings.Join(slices.Sorted(slices.Values(s.ids)), ", ")
			s.mu.Unlock()
			if ids != "" {
				notify(host.Notice{Text: text.Line(fmt.Sprintf("no answer yet after %s from %s; a model has %s",
					text.Clock(time.Since(began)), ids, text.Clock(askTimeout)))})
			}
		}
	}()
	return func() { cancel(); <-done }
}
