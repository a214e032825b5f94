package mine

import (
	"context"
	"slices"
	"time"
)

// Bounds of the whole test command that judges beside the tests of a commit.
const (
	quickWhole = 20 * time.Second // so long it may take
	firstWhole = 2 * time.Minute  // and so long where all has to be compiled
)

// whole gives the whole test command where it judges as well, without tests that fail
// here even so: where it passes with the fix, twice, and is quick; else "". The world is that
// of the mended state.
func (m *miner) whole(ctx context.Context, w *world, s *seen) (string, error) {
	if !s.narrow || w.slow {
		return "", nil
	}
	command := m.Test
	if out := slices.Concat(s.flaky, s.always); len(out) > 0 {
		without, ok := leavingOut(command, s.runner, out)
		if !ok {
			return "", nil
		}
		command = without
	}
	for i, passed := 0, 0; i < 3 && passed < 2; i++ {
		limit := quickWhole
		if i == 0 {
			limit = firstWhole
		}
		out, err := w.test(ctx, command, min(limit, m.limit()))
		if err != nil {
			return "", err
		}
		if w.slow = out.Reason == "timeout"; w.slow {
			return "", nil
		}
		if out.OK() {
			passed++
			continue
		}
		without, ok := leavingOut(command, out.Runner, out.Failed)
		if i > 0 || !ok || unbuilt(out) || len(out.Failed) == 0 || len(out.Failed) >= len(out.Passed) || command != m.Test {
			return "", nil
		}
		command = without
	}
	return command, nil
}
