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

// BenchmarkPartStart starts cookoff as a part of a sandbox that has nothing to
// do, and a hello-world of Go, in turn, and fails when the part takes six times
// the processor time: then a package that comes before sandbox/native computes
// something when it is initialised, which every sandbox pays for twice.
func BenchmarkPartStart(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("sandboxes need Linux")
	}
	ours, theirs := built(b, "cookoff", "."), hello(b)
	var a, h time.Duration
	n := 0
	for b.Loop() {
		for range 10 {
			a += once(b, ours, "cookoff-sandbox-idmap")
			h += once(b, theirs, "hello")
			n++
		}
	}
	b.ReportMetric(float64(a)/float64(h), "x-hello")
	b.ReportMetric(float64(a.Microseconds())/float64(n)/1000, "cpu-ms/start")
	b.ReportMetric(0, "ns/op")
	if a > 6*h {
		b.Fatalf("%v against %v of a hello-world: GODEBUG=inittrace=1 says which package it is", a/time.Duration(n),
			h/time.Duration(n))
	}
}

// BenchmarkColdStart starts "cookoff version" and a hello-world of Go in turn, and
// fails when it takes six times the processor time: three were measured, four and a half
// on a machine with ten times the work it can do. Then a
// package computes something when it is initialised, or a command when it is made.
func BenchmarkColdStart(b *testing.B) {
	ours, theirs := built(b, "cookoff", "."), hello(b)
	once(b, ours, "cookoff", "version") // both in the page cache
	once(b, theirs, "hello")
	var a, h time.Duration
	n := 0
	for b.Loop() {
		for range 20 {
			a += once(b, ours, "cookoff", "version")
			h += once(b, theirs, "hello")
			n++
		}
	}
	b.ReportMetric(float64(a)/float64(h), "x-hello")
	b.ReportMetric(float64(a.Microseconds())/float64(n)/1000, "cpu-ms/version")
	b.ReportMetric(0, "ns/op")
	if a > 6*h {
		b.Fatalf("%v against %v of a hello-world: GODEBUG=inittrace=1 says which package it is", a/time.Duration(n),
			h/time.Duration(n))
	}
}
