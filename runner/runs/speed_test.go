package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// working is a model that makes a call of the same length in each of n steps,
// then ends. It may be asked by many trials at once.
func working(n int, text bool) model.Chat {
	return scripted.Func(func(_ context.Context, req *model.Request) (*model.Reply, error) {
		made := 0
		for i := range req.Messages {
			if req.Messages[i].Role == model.Assistant {
				made++
			}
		}
		if made >= n {
			return runnertest.Say("done"), nil
		}
		args := fmt.Sprintf(`{"command":"echo %06d"}`, made)
		if text {
			return runnertest.Say("```tool_call\n{\"name\":\"bash\",\"arguments\":" + args + "}\n```"), nil
		}
		return runnertest.Call(fmt.Sprintf("call_%06d", made), "bash", args), nil
	})
}

// TestTheJournalGrowsLinearly: a step adds the same bytes to the journal
// whatever came before it, however tools are offered.
func TestTheJournalGrowsLinearly(t *testing.T) {
	for _, section := range []string{"", runnertest.TextProfile, "## Context\nmax_history_turns: 5\n\n"} {
		bytes := func(steps int) float64 {
			b := runnertest.New(t, map[string]model.Chat{"test/model": working(steps, section == runnertest.TextProfile)})
			b.Env.Backend = runnertest.Backend{}
			if section != "" && section != runnertest.TextProfile { // it forgets how many calls it made
				b.Env.Chat = func(string) (model.Chat, error) { return counting(steps), nil }
			}
			total := 0
			sink := trial.SinkFunc(func(e trial.Event) error {
				line, err := json.Marshal(e)
				total += len(line) + 1
				return err
			})
			r := b.Runner(runnertest.Recipe("## Constraints\ntimeout: 24h\n\n" + section))
			out, err := r.Run(t.Context(), r.Plan()[0], sink)
			if err != nil || out.Steps != steps+1 {
				t.Fatalf("%d steps, %v: %s", out.Steps, err, out.Detail)
			}
			return float64(total)
		}
		ten, hundred, thousand := bytes(10), bytes(100), bytes(1000)
		early, late := (hundred-ten)/90, (thousand-hundred)/900
		if late > early*1.02 {
			t.Errorf("%q: a step takes %.0f bytes up to the hundredth, %.0f from there to the thousandth",
				section, early, late)
		}
	}
}

// counting is working for a conversation that is cut: it counts by itself, so
// it serves one trial.
func counting(n int) model.Chat {
	made := 0
	return scripted.Func(func(context.Context, *model.Request) (*model.Reply, error) {
		if made++; made > n {
			return runnertest.Say("done"), nil
		}
		return runnertest.Call(fmt.Sprintf("call_%06d", made), "bash", fmt.Sprintf(`{"command":"echo %06d"}`, made)), nil
	})
}

// benchmarked is a recipe with more than twenty tools, and every part of the
// loop in use.
const benchmarked = "## Tools\n- bash\n- read_file\n- write_file\n- edit_file\n- list_directory\n- search_files\n" +
	"- search_code\n- repair(git-*, go-*, node-*, path-*, version-*)\n\n" +
	"## Constraints\ntimeout: 24h\n\n## Context\nstrategy: auto_compact\n\n## System Reminders\n### full\n" +
	"trigger: context_usage > 0.75 or steps_left < 3\n\nCome to an end.\n\n"

// BenchmarkStep is one step of the loop: what cookoff itself takes for a
// reply, a call and its result, journal included, with a scripted model and no
// sandbox. The loop is begun anew every hundred steps.
func BenchmarkStep(b *testing.B) {
	r := benchRunner(b, 1, func(string) (model.Chat, error) { return working(99, false), nil }, benchmarked)
	if n := len(r.TaskOf["Write the file"].Offer(r.Recipe).Set(nil, 0).Names); n < 20 {
		b.Fatalf("%d tools", n)
	}
	journal, err := trial.CreateJournal(b.TempDir(), "r", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	for n := 0; b.Loop(); n++ {
		if n%100 != 0 {
			continue
		}
		if _, err := r.Run(b.Context(), r.Plan()[0], journal); err != nil {
			b.Fatal(err)
		}
	}
	if st, err := os.Stat(journal.Path()); err == nil {
		b.ReportMetric(float64(st.Size())/float64(b.N), "journal-B/op")
	}
}

func benchRunner(b *testing.B, parallel int, chat func(string) (model.Chat, error), sections string) *runner.Runner {
	b.Helper()
	bench := runnertest.New(&testing.T{}, nil)
	bench.Env.Dir, bench.Env.Chat, bench.Env.Backend, bench.Env.Parallel = b.TempDir(), chat, runnertest.Backend{},
		parallel
	return bench.Runner(runnertest.Recipe(sections))
}

// BenchmarkTrialsAtOnce runs two thousand trials at once, on a model that takes
// a second for each reply, and fails when one takes more than 256 KiB while
// all of them wait.
func BenchmarkTrialsAtOnce(b *testing.B) {
	const trials, limit = 2000, 256 << 10
	for b.Loop() {
		var waiting atomic.Int64
		var before, during runtime.MemStats
		chat := scripted.Func(func(ctx context.Context, req *model.Request) (*model.Reply, error) {
			if waiting.Add(1) == trials { // all are in their first request
				runtime.ReadMemStats(&during)
			}
			time.Sleep(time.Second)
			if len(req.Messages) < 4 {
				return runnertest.Call("1", "bash", `{"command":"touch done"}`), nil
			}
			return runnertest.Say("done"), nil
		})
		r := benchRunner(b, trials, func(string) (model.Chat, error) { return chat, nil },
			fmt.Sprintf("## Comparison\ntrials: %d\n\n", trials)+benchmarked)
		runtime.GC()
		runtime.ReadMemStats(&before)
		journal, err := trial.CreateJournal(b.TempDir(), "r", nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.RunAll(b.Context(), "r", journal, nil); err != nil {
			b.Fatal(err)
		}
		if err := journal.Close(); err != nil {
			b.Fatal(err)
		}
		each := float64(during.HeapAlloc+during.StackInuse-before.HeapAlloc-before.StackInuse) / trials
		if b.ReportMetric(each/1024, "KiB/trial"); each > limit {
			b.Fatalf("%.0f KiB a trial", each/1024)
		}
	}
}
