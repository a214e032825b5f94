package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

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
