package promises

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// beside times an iteration of the benchmark and, right after it, a fork and
// exec of /bin/true, and reports how many times longer it takes: by the median
// of each, and by the fastest tenth, which a busy machine disturbs least.
func beside(b *testing.B, work func()) {
	var took, base []time.Duration
	for b.Loop() {
		began := time.Now()
		work()
		took = append(took, time.Since(began))
		b.StopTimer()
		began = time.Now()
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		base = append(base, time.Since(began))
		b.StartTimer()
	}
	slices.Sort(took)
	slices.Sort(base)
	n := len(took)
	b.ReportMetric(float64(took[n/2])/float64(base[n/2]), "x-fork-exec")
	b.ReportMetric(float64(took[n/10])/float64(base[n/10]), "x-fastest")
}

func BenchmarkForkExec(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenClose is the start and the end of an empty world: 12 times a
// fork and exec is the aim.
func BenchmarkOpenClose(b *testing.B) {
	openClose(b, native.New(native.Options{Dir: b.TempDir()}), sandbox.Spec{})
}

// BenchmarkOpenCloseWhole is the same with the whole host in view.
func BenchmarkOpenCloseWhole(b *testing.B) {
	openClose(b, native.New(native.Options{Dir: b.TempDir()}), sandbox.Spec{Filesystem: sandbox.Unrestricted})
}

// BenchmarkOpenCloseProject is the same over a project.
func BenchmarkOpenCloseProject(b *testing.B) {
	openClose(b, native.New(native.Options{Dir: b.TempDir()}), sandbox.Spec{Project: b.TempDir()})
}

func openClose(b *testing.B, be sandbox.Backend, spec sandbox.Spec) {
	beside(b, func() {
		sb, err := be.Open(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		if err := sb.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkBubblewrap is the same with bubblewrap, where it is installed.
func BenchmarkBubblewrap(b *testing.B) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Skip("bwrap is not installed")
	}
	beside(b, func() {
		err := exec.Command(bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr",
			"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/work", "/usr/bin/true").Run()
		if err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkExec(b *testing.B) { benchExec(b, sandbox.Cmd{Argv: []string{"/bin/true"}}) }

// BenchmarkShell is a bash in an open sandbox: 2.5 times a fork and exec is
// the aim.
func BenchmarkShell(b *testing.B) { benchExec(b, sandbox.Cmd{Script: ":"}) }

func benchExec(b *testing.B, c sandbox.Cmd) {
	sb := benchWorld(b, sandbox.Spec{})
	beside(b, func() {
		if r, err := sb.Exec(b.Context(), c); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	})
}

func BenchmarkRead10KiB(b *testing.B) {
	sb := benchWorld(b, sandbox.Spec{})
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

// BenchmarkView10000 is the start of a world over a project of 10,000 files,
// to its first answer: 20 ms is the aim.
func BenchmarkView10000(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		d := filepath.Join(dir, fmt.Sprintf("d%02d", i))
		if err := os.Mkdir(d, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("f%02d", j)), []byte("content\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	be := native.New(native.Options{Dir: b.TempDir()})
	beside(b, func() {
		sb, err := be.Open(b.Context(), sandbox.Spec{Project: dir})
		if err != nil {
			b.Fatal(err)
		}
		if c, err := sb.FS().Read(b.Context(), "d50/f50", 0, 100); err != nil || len(c.Data) != 8 {
			b.Fatal(len(c.Data), err)
		}
		b.StopTimer()
		if err := sb.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	})
}

// Benchmark64AtOnce opens 64 worlds, uses each, and closes them.
func Benchmark64AtOnce(b *testing.B) {
	be := native.New(native.Options{Dir: b.TempDir()})
	for b.Loop() {
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				sb, err := be.Open(b.Context(), sandbox.Spec{})
				if err != nil {
					b.Error(err)
					return
				}
				if r, err := sb.Exec(b.Context(), sandbox.Cmd{Script: "exit 7"}); err != nil || r.Exit != 7 {
					b.Error(r, err)
				}
				if err := sb.Close(); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// BenchmarkIdleMemory reports the memory of a guest that has worked and waits
// now, as the host sees it: all that is resident (VmRSS, with pages of the
// program that all guests and cookoff itself share), and what is its own
// (RssAnon). 6 MiB is the aim.
func BenchmarkIdleMemory(b *testing.B) {
	var status string
	for b.Loop() {
		sb := benchWorld(b, sandbox.Spec{})
		if r, err := sb.Exec(b.Context(), sandbox.Cmd{Script: "ls -l /usr/bin"}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
		time.Sleep(2 * time.Second) // a model thinks longer
		status = readFile(b, "/proc/"+child(b)+"/status")
		if err := sb.Close(); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range []string{"VmRSS", "RssAnon"} {
		_, after, _ := strings.Cut(status, name+":")
		kib, err := strconv.Atoi(strings.Fields(after)[0])
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(kib)/1024, "MiB-"+name)
	}
}

// child is the number of this process's only child.
func child(b *testing.B) string {
	threads, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for _, t := range threads {
		all = append(all, strings.Fields(readFile(b, t))...)
	}
	if len(all) != 1 {
		b.Fatalf("the children are %q, want the guest alone", all)
	}
	return all[0]
}

func readFile(b *testing.B, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

func benchWorld(b *testing.B, spec sandbox.Spec) sandbox.Sandbox {
	sb, err := native.New(native.Options{Dir: b.TempDir()}).Open(b.Context(), spec)
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
