package mine

import (
	"context"
	"time"
)

// Bounds of the whole test command that judges beside the tests of a commit.
const (
	quickWhole = 20 * time.Second // so long it may take
	firstWhole = 2 * time.Minute  // and so long where all has to be compiled
)

// whole reports whether the whole test command judges as well: where it passes with the
// fix, twice, and is quick. The world is that of the mended state.
func (m *miner) whole(ctx context.Context, w *world, s *seen) (bool, error) {
	if !s.narrow || w.slow || len(s.flaky)+len(s.always) > 0 {
		return false, nil
	}
	for _, limit := range []time.Duration{firstWhole, quickWhole} {
		out, err := w.test(ctx, m.Test, min(limit, m.limit()))
		if err != nil {
			return false, err
		}
		if w.slow = out.Reason == "timeout"; !out.OK() || w.slow {
			return false, nil
		}
	}
	return true, nil
}
