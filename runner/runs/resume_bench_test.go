package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner/clock"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
	"cookoff/trial"
)

// timedTools are sandboxes that sum up how long commands take in them.
type timedTools struct {
	sandbox.Backend
	took time.Duration
}

func (b *timedTools) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	sb, err := b.Backend.Open(ctx, spec)
	return timedSandbox{sb, b}, err
}

type timedSandbox struct {
	sandbox.Sandbox
	of *timedTools
}

func (s timedSandbox) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	began := time.Now()
	defer func() { s.of.took += time.Since(began) }()
	return s.Sandbox.Exec(ctx, c)
}

// BenchmarkResume resumes a trial that was cut off before its last of a hundred
// requests. It gives how long that takes up to the request, the world and the setup
// included, divided by the time of its tools, which are run again.
func BenchmarkResume(b *testing.B) {
	const steps = 100
	var last time.Time // request
	tools := &timedTools{}
	var until time.Duration // of the tools, up to that request
	chat := scripted.Func(func(_ context.Context, req *model.Request) (*model.Reply, error) {
		last, until = time.Now(), tools.took
		made := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				made++
			}
		}
		if made == steps-1 {
			return runnertest.Say("done"), nil
		}
		return runnertest.Call(fmt.Sprint(made), "bash",
			fmt.Sprintf(`{"command":"for i in {1..20000}; do :; done; echo %d >> log; ls"}`, made)), nil
	})
	begin := func() *runnertest.Bench {
		bench := runnertest.New(&testing.T{}, map[string]model.Chat{"test/model": chat})
		bench.Env.Dir, bench.Env.Clock, bench.Env.Parallel = b.TempDir(), clock.Real{}, 1
		tools.Backend, bench.Env.Backend = bench.Env.Backend, tools
		return bench
	}
	whole := begin()
	text := runnertest.Recipe("## Constraints\ntimeout: 1h\n\n")
	if err := whole.Runner(text).RunAll(b.Context(), "r", whole.Log, nil); err != nil {
		b.Fatal(err)
	}
	cut := slices.IndexFunc(whole.Log.Events, func(e trial.Event) bool {
		return e.Kind == trial.ModelCalled &&
			e.Step == steps
	})
	var took, ran time.Duration
	for b.Loop() {
		bench := begin()
		bench.Log.Events = slices.Clone(whole.Log.Events[:cut])
		bench.Env.Journal = bench.Journal()
		var resumed time.Time
		watch := trial.SinkFunc(func(e trial.Event) error {
			switch e.Kind {
			case trial.TrialResumed:
				resumed, tools.took = time.Now(), 0
			case trial.TrialFinished:
				if e.Outcome.Steps != steps || e.Outcome.Stop != trial.StopDone {
					text, _ := json.Marshal(e.Outcome) // plain values always encode
					b.Fatalf("%s", text)
				}
			}
			return nil
		})
		if err := bench.Runner(text).RunAll(b.Context(), "r", watch, nil); err != nil {
			b.Fatal(err)
		}
		took, ran = took+last.Sub(resumed), ran+until
	}
	n := float64(b.N)
	b.ReportMetric(took.Seconds()/ran.Seconds(), "resume/tools")
	b.ReportMetric(1000*ran.Seconds()/n, "tools-ms")
	b.ReportMetric(1000*took.Seconds()/n, "resume-ms")
}
