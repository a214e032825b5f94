// Package traffic bounds what is asked of providers: how many requests at once, and
// none while one is down, but for one that asks for all.
package traffic

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"cookoff/contestant"
	"cookoff/model"
	"cookoff/runner/clock"
)

// Lines are the ways to the providers of a run. Each provider has a circuit, since
// it may be down, and a number of requests at once; each model has a circuit, since
// it may be asked too much.
type Lines struct {
	clock         clock.Clock
	silence, told time.Duration
	bound         func(provider string) int // requests at once; nil: any number

	mu       sync.Mutex
	circuits map[string]*circuit
	slots    map[string]*slots
}

// NewLines makes lines that bear with a provider for so long, 0: as usual. bound
// gives how many requests may be under way at once to a provider, 0: any number; nil
// bounds none.
func NewLines(clock clock.Clock, wait time.Duration, bound func(provider string) int) *Lines {
	return &Lines{clock: clock, silence: cmp.Or(wait, defaultSilence), told: cmp.Or(wait, defaultTold), bound: bound,
		circuits: map[string]*circuit{}, slots: map[string]*slots{}}
}

// Provider is the provider in a model's id, or in that of an agent's model.
func Provider(id string) string {
	p, _, _ := strings.Cut(contestant.Model(id), "/")
	return p
}

func (l *Lines) circuit(name string) *circuit {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.circuits[name]
	if c == nil {
		c = &circuit{name: name, clock: l.clock, silence: l.silence, told: l.told}
		l.circuits[name] = c
	}
	return c
}

// Acquire waits for a place among the requests to a model's provider. Its error is
// ctx's.
func (l *Lines) Acquire(ctx context.Context, id string) (Slot, error) {
	return l.slotsOf(Provider(id)).acquire(ctx)
}

// slotsOf gives the places of a provider; nil: it has any number.
func (l *Lines) slotsOf(provider string) *slots {
	if l.bound == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.slots[provider]; !known {
		if l.slots[provider] = nil; l.bound(provider) > 0 {
			l.slots[provider] = newSlots(l.bound(provider), l.clock)
		}
	}
	return l.slots[provider]
}

// MustWait reports whether a request of a model has to wait for others.
func (l *Lines) MustWait(id string) bool {
	return l.circuit(Provider(id)).barred() || l.circuit(id).barred()
}

// Pass waits until the provider of a model can be asked, and the model. waits is
// told of each wait for the next try. The error is ctx's or a *LostError.
func (l *Lines) Pass(ctx context.Context, id string, waits func(d time.Duration, why string)) (p Passes, err error) {
	if p.provider, err = l.circuit(Provider(id)).enter(ctx, waits); err != nil {
		return p, err
	}
	if p.model, err = l.circuit(id).enter(ctx, waits); err != nil {
		p.provider.neither()
	}
	return p, err
}

// Passes are the circuits that a request has passed. Each ends with Neither or End.
type Passes struct{ provider, model pass }

// Neither ends a request that says nothing of the provider.
func (p Passes) Neither() {
	p.provider.neither()
	p.model.neither()
}

// End ends a request of a trial that the provider answered, or failed to. back: it
// was down, and answers again. lost: it was just given up.
func (p Passes) End(trial string, err error) (back bool, lost *LostError) {
	retry, failed := errors.AsType[*model.RetryError](err)
	switch {
	case failed && !retry.Busy:
		lost = p.provider.failed(trial, retry)
		p.model.neither()
	case failed && retry.After >= longWait:
		back = p.provider.answered()
		lost = p.model.failed(trial, retry)
	default:
		back = p.provider.answered()
		back = p.model.answered() || back
	}
	return back, lost
}
