package native

import (
	"os/exec"
	"testing"
	"time"

	"cookoff/sandbox"
)

// plain is what a fork and exec of /bin/true costs here and now, in ns.
func plain(b *testing.B) float64 {
	const n = 200
	began := time.Now()
	for range n {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(began)) / n
}

// ratio reports how many times longer than a fork and exec an iteration took.
func ratio(b *testing.B, base float64) {
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/base, "x-fork-exec")
}

func BenchmarkForkExec(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenClose(b *testing.B) {
	be := New(Options{Dir: b.TempDir()})
	base := plain(b)
	b.ResetTimer()
	for b.Loop() {
		sb, err := be.Open(b.Context(), sandbox.Spec{})
		if err != nil {
			b.Fatal(err)
		}
		if err := sb.Close(); err != nil {
			b.Fatal(err)
		}
	}
	ratio(b, base)
}

// BenchmarkBubblewrap is the same with bubblewrap, where it is installed.
func BenchmarkBubblewrap(b *testing.B) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Skip("bwrap is not installed")
	}
	base := plain(b)
	b.ResetTimer()
	for b.Loop() {
		err := exec.Command(bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/work", "/usr/bin/true").Run()
		if err != nil {
			b.Fatal(err)
		}
	}
	ratio(b, base)
}

func BenchmarkExec(b *testing.B) {
	sb := benchWorld(b)
	base := plain(b)
	b.ResetTimer()
	for b.Loop() {
		if r, err := sb.Exec(b.Context(), sandbox.Cmd{Argv: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
	ratio(b, base)
}

func BenchmarkShell(b *testing.B) {
	sb := benchWorld(b)
	base := plain(b)
	b.ResetTimer()
	for b.Loop() {
		if r, err := sb.Exec(b.Context(), sandbox.Cmd{Script: ":"}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
	ratio(b, base)
}

func BenchmarkRead10KiB(b *testing.B) {
	sb := benchWorld(b)
	if err := sb.FS().Write(b.Context(), "f", make([]byte, 10<<10)); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		if c, err := sb.FS().Read(b.Context(), "f", 0, 10<<10); err != nil || len(c.Data) != 10<<10 {
			b.Fatal(len(c.Data), err)
		}
	}
}

func benchWorld(b *testing.B) sandbox.Sandbox {
	sb, err := New(Options{Dir: b.TempDir()}).Open(b.Context(), sandbox.Spec{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := sb.Close(); err != nil {
			b.Error(err)
		}
	})
	return sb
}
