package runs_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
	"cookoff/trial"
)

// waiting is a model that never answers: it tells that it was asked and waits for
// the end of its context.
type waiting struct{ asked chan<- struct{} }

func (w waiting) Generate(ctx context.Context, _ *model.Request) (*model.Reply, error) {
	w.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// slowClosing is a backend whose sandboxes, once ctx has ended, close only when
// they are released.
type slowClosing struct {
	runnertest.Backend
	ctx      context.Context
	release  chan struct{}
	released *atomic.Int32
}

type slowWorld struct {
	sandbox.Sandbox
	backend slowClosing
}

func (b slowClosing) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	sb, err := b.Backend.Open(ctx, spec)
	return slowWorld{sb, b}, err
}

func (w slowWorld) Close() error {
	if w.backend.ctx.Err() != nil {
		<-w.backend.release
		w.backend.released.Add(1)
	}
	return w.Sandbox.Close()
}

// TestAnInterruptIsRecordedBeforeSandboxesAreClosed: what finished can be shown
// although hundreds of them are still to be closed.
func TestAnInterruptIsRecordedBeforeSandboxesAreClosed(t *testing.T) {
	const trials = 8
	asked := make(chan struct{}, trials)
	b := runnertest.New(t, map[string]model.Chat{"test/model": waiting{asked}})
	ctx, interrupt := context.WithCancel(t.Context())
	backend := slowClosing{ctx: ctx, release: make(chan struct{}), released: &atomic.Int32{}}
	b.Env.Backend, b.Env.Parallel = backend, trials
	var told, finished int
	var over bool
	b.Env.Closing = func(n int) {
		told = n
		for _, e := range b.Log.Events {
			if e.Kind == trial.TrialFinished {
				finished++
			}
			over = e.Kind == trial.RunFinished && e.End.Interrupted
		}
		if got := backend.released.Load(); got != 0 {
			t.Errorf("%d sandboxes are closed before the run is recorded", got)
		}
		close(backend.release)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range trials {
			<-asked
		}
		interrupt()
	})
	err := b.Runner(runnertest.Recipe("## Comparison\ntrials: 8\n\n")).RunAll(ctx, "r", b.Log, nil)
	wg.Wait()
	if !errors.Is(err, context.Canceled) || told != trials || finished != trials || !over {
		t.Errorf("%v; told of %d sandboxes after %d trials, run recorded: %v", err, told, finished, over)
	}
	if got := backend.released.Load(); got != trials {
		t.Errorf("%d of %d sandboxes are closed", got, trials)
	}
}
