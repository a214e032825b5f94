package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPartsOfASandboxStartEarly: this binary, started as a part of a sandbox,
// does its part before the packages that only the rest of the program needs
// are initialised. The runtime says which were, and what they allocated: when
// it is too much, sandbox/native has come to depend on one whose name is late in
// the alphabet.
func TestPartsOfASandboxStartEarly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("sandboxes need Linux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var trace strings.Builder
	part := &exec.Cmd{Path: self, Args: []string{"cookoff-sandbox-idmap"}, Env: []string{"GODEBUG=inittrace=1"},
		Stderr: &trace}
	if err := part.Run(); err != nil {
		t.Fatalf("%v: %s", err, trace.String())
	}
	const limit = 5000 // one library's schemas alone are 21000
	const most = 400 << 10
	packages, allocs, size := 0, 0, 0
	for line := range strings.Lines(trace.String()) {
		var name, at, clock string
		var bytes, n int
		if _, err := fmt.Sscanf(line, "init %s @%s ms, %s ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes,
			&n); err != nil {
			continue
		}
		packages, allocs, size = packages+1, allocs+n, size+bytes
		if n > limit/5 || name == "net/http" {
			t.Errorf("%s is initialised (%d allocations) before the part starts", name, n)
		}
	}
	if packages < 10 || allocs > limit || size > most {
		t.Errorf("%d packages with %d allocations of %d bytes are initialised before the part starts, want "+
			"at most %d of %d",
			packages, allocs, size, limit, most)
	}
}

// built gives the path of a program that is built for a benchmark.
func built(b *testing.B, name, from string) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), name)
	if text, err := exec.Command("go", "build", "-o", out, from).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	return out
}

// hello is a hello-world of Go.
func hello(b *testing.B) string {
	b.Helper()
	src := filepath.Join(b.TempDir(), "hello.go")
	if err := os.WriteFile(src, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"),
		0o644); err != nil {
		b.Fatal(err)
	}
	return built(b, "hello", src)
}

// once runs a program and gives the processor time that it took.
func once(b *testing.B, path string, args ...string) time.Duration {
	b.Helper()
	cmd := &exec.Cmd{Path: path, Args: args}
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// fastest starts a program and a hello-world of Go in turn, and gives the least
// processor time that each took. The least is what a start costs: what else runs on the
// machine makes others dearer, the larger program by more, and none cheaper.
func fastest(b *testing.B, starts int, program, hello string, args ...string) (ours, theirs time.Duration) {
	b.Helper()
	ours, theirs = once(b, program, args...), once(b, hello, "hello")
	for range starts {
		ours, theirs = min(ours, once(b, program, args...)), min(theirs, once(b, hello, "hello"))
	}
	return ours, theirs
}

// BenchmarkPartStart fails when cookoff, started as a part of a sandbox that has
// nothing to do, takes six times the processor time of a hello-world of Go: then a package
// that comes before sandbox/native computes something when it is initialised, which every
// sandbox pays for twice.
func BenchmarkPartStart(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("sandboxes need Linux")
	}
	benchmarkStart(b, 6, "cpu-ms/start", "cookoff-sandbox-idmap")
}

// BenchmarkColdStart fails when "cookoff version" takes eight times the processor time
// of a hello-world of Go: 5.5 were measured, two thirds of it page faults and libraries.
// Then a package computes something when it is initialised, or a command when it is made.
func BenchmarkColdStart(b *testing.B) { benchmarkStart(b, 8, "cpu-ms/version", "cookoff", "version") }

func benchmarkStart(b *testing.B, limit time.Duration, unit string, args ...string) {
	ours, theirs := built(b, "cookoff", "."), hello(b)
	least, floor := fastest(b, 20, ours, theirs, args...)
	for b.Loop() {
		a, h := fastest(b, 20, ours, theirs, args...)
		least, floor = min(least, a), min(floor, h)
	}
	b.ReportMetric(float64(least)/float64(floor), "x-hello")
	b.ReportMetric(float64(least.Microseconds())/1000, unit)
	b.ReportMetric(0, "ns/op")
	if least > limit*floor {
		b.Fatalf("%v against %v of a hello-world: GODEBUG=inittrace=1 says which package it is", least, floor)
	}
}
