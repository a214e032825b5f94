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
// are initialised. The runtime says which were, and what they allocated.
func TestPartsOfASandboxStartEarly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("sandboxes need Linux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var trace strings.Builder
	part := &exec.Cmd{Path: self, Args: []string{"cookoff-sandbox-idmap"}, Env: []string{"GODEBUG=inittrace=1"}, Stderr: &trace}
	if err := part.Run(); err != nil {
		t.Fatalf("%v: %s", err, trace.String())
	}
	const limit = 5000 // one library's schemas alone are 21000
	packages, allocs := 0, 0
	for line := range strings.Lines(trace.String()) {
		var name, at, clock string
		var bytes, n int
		if _, err := fmt.Sscanf(line, "init %s @%s ms, %s ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &n); err != nil {
			continue
		}
		packages, allocs = packages+1, allocs+n
		if n > limit/5 || name == "net/http" {
			t.Errorf("%s is initialised (%d allocations) before the part starts", name, n)
		}
	}
	if packages < 10 || allocs > limit {
		t.Errorf("%d packages with %d allocations are initialised before the part starts, want at most %d", packages, allocs, limit)
	}
}

// BenchmarkColdStart starts "cookoff version" and a hello-world of Go, process
// for process in turn, and reports how many times longer cookoff takes.
func BenchmarkColdStart(b *testing.B) {
	dir := b.TempDir()
	hello := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(hello, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	build := func(name, from string) string {
		out := filepath.Join(dir, name)
		if text, err := exec.Command("go", "build", "-o", out, from).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, text)
		}
		return out
	}
	ours, theirs := build("cookoff", "."), build("hello", hello)
	once := func(args ...string) time.Duration {
		began := time.Now()
		if err := exec.Command(args[0], args[1:]...).Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	once(ours, "version") // both in the page cache
	once(theirs)
	var a, h time.Duration
	b.ResetTimer()
	for range b.N {
		a += once(ours, "version")
		h += once(theirs)
	}
	b.ReportMetric(float64(a)/float64(h), "x-hello")
	b.ReportMetric(float64(a.Microseconds())/float64(b.N)/1000, "ms/version")
	b.ReportMetric(0, "ns/op")
}
