package runs_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
)

// busy counts how many models' commands run at once in the worlds of a backend. (A
// judge asks several worlds of its trial at once.)
type busy struct {
	runnertest.Backend
	at, most atomic.Int64
}

type busyWorld struct {
	sandbox.Sandbox
	of *busy
}

func (b *busy) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	sb, err := b.Backend.Open(ctx, spec)
	return busyWorld{sb, b}, err
}

func (w busyWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if !strings.Contains(c.Script, "eval") || !strings.Contains(c.Script, "touch done") {
		return w.Sandbox.Exec(ctx, c)
	}
	n := w.of.at.Add(1)
	defer w.of.at.Add(-1)
	for most := w.of.most.Load(); n > most && !w.of.most.CompareAndSwap(most, n); most = w.of.most.Load() {
	}
	for range 100 {
		runtime.Gosched() // to let others in
	}
	return w.Sandbox.Exec(ctx, c)
}

// TestWaitingForAModelHoldsNoCore: eight trials are in their requests at once on one
// core, which would never come about otherwise, and only one works at a time.
func TestWaitingForAModelHoldsNoCore(t *testing.T) {
	const trials = 8
	var all sync.WaitGroup
	all.Add(trials)
	chat := scripted.Func(func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if len(req.Messages) < 4 {
			all.Done()
			all.Wait()
			return runnertest.Call("1", "bash", `{"command":"touch done"}`), nil
		}
		return runnertest.Say("done"), nil
	})
	b := runnertest.New(t, map[string]model.Chat{"test/model": chat})
	backend := &busy{}
	b.Env.Backend, b.Env.Parallel, b.Env.Cores = backend, trials, 1
	if err := b.Runner(runnertest.Recipe(fmt.Sprintf("## Comparison\ntrials: %d\n\n", trials))).RunAll(t.Context(), "r",
		b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if backend.most.Load() != 1 {
		t.Errorf("%d commands ran at once on one core", backend.most.Load())
	}
	passed := 0
	for _, e := range b.Log.Events {
		if e.Outcome != nil && e.Outcome.Status == "pass" {
			passed++
		}
	}
	if passed != trials {
		t.Errorf("%d of %d trials passed", passed, trials)
	}
}

// TestInterruptedWhileNoCoreIsFree: the run ends, and every trial that was under way
// is recorded.
func TestInterruptedWhileNoCoreIsFree(t *testing.T) {
	const trials = 4
	ctx, interrupt := context.WithCancel(t.Context())
	var asked atomic.Int64
	chat := scripted.Func(func(ctx context.Context, _ *model.Request) (*model.Reply, error) {
		if asked.Add(1) == trials {
			interrupt()
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b := runnertest.New(t, map[string]model.Chat{"test/model": chat})
	b.Env.Backend, b.Env.Parallel, b.Env.Cores = &busy{}, trials, 1
	err := b.Runner(runnertest.Recipe(fmt.Sprintf("## Comparison\ntrials: %d\n\n", trials))).RunAll(ctx, "r", b.Log, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	ended := 0
	for _, e := range b.Log.Events {
		if e.Outcome != nil && e.Outcome.Cause == "cancelled" {
			ended++
		}
	}
	if ended != trials {
		t.Errorf("%d of %d trials are recorded as interrupted", ended, trials)
	}
}
