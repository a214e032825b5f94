package door

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"cookoff/internal/cli"
)

// TestFailureOfWhatWasInterrupted: whoever presses Ctrl-C is told nothing about contexts, wherever
// the work was; what failed by itself keeps its code, also after an interrupt.
func TestFailureOfWhatWasInterrupted(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	canceled := fmt.Errorf("compiling: %w", context.Canceled)
	broken := errors.New("no room on the disk")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
		said bool
	}{
		{"interrupted", ended, canceled, cli.ExitInterrupted, false},
		{"interrupted, with a code already", ended, cli.Fail(cli.ExitInfra, canceled), cli.ExitInterrupted, false},
		{"interrupted, and said", ended, cli.Fail(cli.ExitInterrupted, broken), cli.ExitInterrupted, true},
		{"broken after an interrupt", ended, cli.Fail(cli.ExitInfra, broken), cli.ExitInfra, true},
		{"a part that was canceled alone", t.Context(), cli.Fail(cli.ExitInfra, canceled), cli.ExitInfra, true},
	} {
		var f *cli.Failure
		if !errors.As(Failure(tt.ctx, tt.err), &f) || f.Code != tt.code || (f.Err != nil) != tt.said {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}
