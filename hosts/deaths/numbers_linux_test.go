package deaths

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// BenchmarkSSH is a command in a world behind a real ssh, and right after it the same in a
// world of this process.
func BenchmarkSSH(b *testing.B) {
	config := filepath.Join(engines(b, "ssh"), "config")
	near := native.New(native.Options{Dir: filepath.Join(b.TempDir(), "w")})
	if err := near.Check(b.Context()); err != nil {
		b.Skip(err)
	}
	far := host(b, append([]string{"ssh", "-F", config, "hand-1"}, hand()...)...)
	var worlds [2]sandbox.Sandbox
	for i, open := range []func() (sandbox.Sandbox, error){
		func() (sandbox.Sandbox, error) { return far.Open(b.Context(), sandbox.Spec{}) },
		func() (sandbox.Sandbox, error) { return near.Open(b.Context(), sandbox.Spec{}) },
	} {
		w, err := open()
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close()
		worlds[i] = w
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i, w := range worlds {
			begun := time.Now()
			if _, err := w.Exec(b.Context(), sandbox.Cmd{Argv: []string{"/bin/true"}}); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	n := len(took[0])
	b.ReportMetric(float64(took[1][n/2].Microseconds()), "µs-here")
	b.ReportMetric(float64((took[0][n/2] - took[1][n/2]).Microseconds()), "µs-more")
	b.ReportMetric(float64((took[0][n/10] - took[1][n/10]).Microseconds()), "µs-more-fastest")
}
