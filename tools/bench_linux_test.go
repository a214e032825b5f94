package tools_test

import (
	"encoding/json"
	"strings"
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

// BenchmarkSearchCode searches 10,000 files for a word that few have, beside
// grep in the same sandbox.
func BenchmarkSearchCode(b *testing.B) {
	sb, err := native.New(native.Options{Dir: b.TempDir()}).Open(b.Context(), sandbox.Spec{})
	if err != nil {
		b.Skipf("no sandbox on this machine: %v", err)
	}
	defer sb.Close()
	const made = `mkdir d{1..100}; for d in d*; do for i in {1..100}; do echo "$d/f$i"; done; done > list
		seq 1 200 | sed 's/$/ some line of a program, call(x) and so on/' > /tmp/t
		while read -r f; do cp /tmp/t "$f"; done < list; for i in 1 50 99; do echo 'a needle(here)' >> d$i/f7; done; rm list`
	if r, err := sb.Exec(b.Context(), sandbox.Cmd{Script: made}); err != nil || !r.OK() {
		b.Fatal(string(r.Stderr), err)
	}
	for _, pattern := range []string{`needle\(\w+\)`, `n[aeiou]{2}dle`} {
		b.Run(pattern, func(b *testing.B) {
			args, _ := json.Marshal(map[string]string{"pattern": pattern})
			tool := tools.Builtin(tools.Options{})[8]
			var ours, grep time.Duration
			for b.Loop() {
				start := time.Now()
				r, err := tool.Call(b.Context(), sb, args)
				if err != nil || len(strings.Split(r.Text, "\n")) != 3 {
					b.Fatal(r.Text, err)
				}
				ours += time.Since(start)
				start = time.Now()
				if r, err := sb.Exec(b.Context(),
					sandbox.Cmd{Argv: []string{"grep", "-rnIP", pattern, "."}}); err != nil ||
					!r.OK() {
					b.Fatal(r, err)
				}
				grep += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(grep), "x-grep")
		})
	}
}
