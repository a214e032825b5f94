package tools_test

import (
	"encoding/json"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools"
)

// BenchmarkBash compares a call of the tool with the bare command in the same
// sandbox: what keeping the directory and making output safe costs.
func BenchmarkBash(b *testing.B) {
	sb, err := native.New(native.Options{Dir: b.TempDir()}).Open(b.Context(), sandbox.Spec{})
	if err != nil {
		b.Skipf("no sandbox on this machine: %v", err)
	}
	defer sb.Close()
	tool := tools.Builtin(tools.Options{})[0]
	args := json.RawMessage(`{"command":"echo hello"}`)
	var plain, called time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := sb.Exec(b.Context(), sandbox.Cmd{Script: "echo hello"}); err != nil {
			b.Fatal(err)
		}
		plain += time.Since(start)
		start = time.Now()
		if _, err := tool.Call(b.Context(), sb, args); err != nil {
			b.Fatal(err)
		}
		called += time.Since(start)
	}
	b.ReportMetric(float64(called)/float64(plain), "x-exec")
}

// BenchmarkClean takes output as most commands write it.
func BenchmarkClean(b *testing.B) {
	out := []byte{}
	for range 10_000 {
		out = append(out, "ok  \tcookoff/tools\t0.251s — é\n"...)
	}
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		tools.Clean(out)
	}
}
