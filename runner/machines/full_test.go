package machines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
	"cookoff/trial"
)

// fullBackend is a machine with a disk that is full for so many openings.
type fullBackend struct {
	runnertest.Backend
	full *atomic.Int64
}

func (b fullBackend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if b.full.Add(-1) >= 0 {
		return nil, sandbox.Unavailable("opening", fmt.Errorf("mkdir /tmp/x: %w", syscall.ENOSPC))
	}
	sb, err := b.Backend.Open(ctx, spec)
	return fullWorld{sb, b.full}, err
}

type fullWorld struct {
	sandbox.Sandbox
	full *atomic.Int64
}

func (w fullWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "fills it") {
		openings := int64(100)
		if strings.Contains(c.Script, "for ever") {
			openings = 1 << 40
		}
		w.full.Store(openings)
		return sandbox.Result{}, sandbox.Unavailable("exec", sandbox.OfKinds("no space left on device",
			sandbox.ErrShort, syscall.ENOSPC))
	}
	return w.Sandbox.Exec(ctx, c)
}

// TestFullForAWhile: a contestant that fills the disk again and again ends neither the run
// nor the trials of its rival, which are tried once there is room; a disk that stays full
// does.
func TestFullForAWhile(t *testing.T) {
	check := func(command, wantFirst, wantSecond, wantErr string) {
		t.Helper()
		b := runnertest.New(t, map[string]model.Chat{"test/model": commander(command), "test/other": commander("touch done")})
		b.Env.Backend, b.Env.Parallel, b.Env.Retries = fullBackend{full: &atomic.Int64{}}, 1, 1
		text := strings.Replace(runnertest.Recipe("## Comparison\n- trials: 3\n"), "- test/model",
			"- test/model\n- test/other", 1)
		err := b.Runner(text).RunAll(t.Context(), "run", b.Log, nil)
		ended, models := map[string]string{}, map[string]string{}
		for _, e := range b.Log.Events {
			switch e.Kind {
			case trial.TrialStarted:
				models[e.Trial] = e.Start.Model
			case trial.TrialFinished:
				ended[models[e.Trial]] += string(e.Outcome.Status) + " "
			}
		}
		if ended["test/model"] != wantFirst || ended["test/other"] != wantSecond {
			t.Errorf("%s: the trials ended %q", command, ended)
		}
		if (err != nil) != (wantErr != "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: the run ended with %v", command, err)
		}
		if wantErr != "" && !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v does not say that the disk is full", command, err)
		}
	}
	check("fills it", strings.Repeat("void ", 6), strings.Repeat("pass ", 3), "")
	check("fills it for ever", "void void void ", "void void ", "3 trials in a row lost their sandbox")
}
