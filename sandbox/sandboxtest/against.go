package sandboxtest

import (
	"slices"
	"testing"
	"time"

	"cookoff/sandbox"
)

// Against measures a command in a world of far, and right after it the same in one of near:
// how much more it takes, in the median and among the fastest tenth.
func Against(b *testing.B, far, near sandbox.Backend) {
	if err := near.Check(b.Context()); err != nil {
		b.Skip(err)
	}
	var worlds [2]sandbox.Sandbox
	for i, backend := range []sandbox.Backend{far, near} {
		w, err := backend.Open(b.Context(), sandbox.Spec{})
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
