package contract_test

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cookoff/internal/contract"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/tools/repair"
)

// counted is a sandbox that adds up the time of its commands.
type counted struct {
	sandbox.Sandbox
	commands *atomic.Int64 // ns
}

func (c counted) Exec(ctx context.Context, cmd sandbox.Cmd) (sandbox.Result, error) {
	began := time.Now()
	defer func() { c.commands.Add(int64(time.Since(began))) }()
	return c.Sandbox.Exec(ctx, cmd)
}

// processor is the processor time that this process and those it waited for
// took.
func processor(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// BenchmarkContract tries contracts of the library that need nothing but bash
// and git, one after another. It reports what one costs: time by the clock, of
// the processor, how many sandboxes, and how many times longer it takes than
// its own commands do.
func BenchmarkContract(b *testing.B) {
	inner := opening(b)
	var opens int
	var commands atomic.Int64
	open := func(ctx context.Context, task recipe.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		opens++
		sb, err := inner(ctx, task, st, p)
		return counted{sb, &commands}, err
	}
	lib, err := repair.Default()
	if err != nil {
		b.Fatal(err)
	}
	rs, err := lib.Select([]string{"git-*", "crlf-*", "exec-bit-*", "env-*"})
	if err != nil {
		b.Fatal(err)
	}
	all, err := contract.Of(rs)
	if err != nil {
		b.Fatal(err)
	}
	bench, err := contract.NewBench(b.Context(), open, all)
	if err != nil {
		b.Fatal(err)
	}
	n, cpu := 0, processor(b)
	b.ResetTimer()
	opens = 0
	commands.Store(0)
	for b.Loop() {
		o, err := all[n%len(all)].Run(b.Context(), bench)
		if err != nil || o.Status == contract.Fail {
			b.Fatalf("%+v (%v)", o, err)
		}
		n++
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(n), "s/contract")
	b.ReportMetric((processor(b)-cpu).Seconds()/float64(n), "cpu-s/contract")
	b.ReportMetric(float64(opens)/float64(n), "sandboxes/contract")
	b.ReportMetric(float64(b.Elapsed())/float64(commands.Load()), "x-commands")
}
