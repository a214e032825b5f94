package initialize

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/screen"
)

// TestSaying: a proof says what it runs, a long one how long that takes, and each minute that it goes on.
func TestSaying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		i := &initiation{Door: &door.Door{Common: &cli.Common{Err: screen.Stream{Writer: &said}}}}
		i.test = "go test ./..."
		i.saying(7, longProving)()
		if want := "proving the task, without a model: some 7 runs of go test ./...\n"; said.String() != want {
			t.Errorf("%s, want %s", said.String(), want)
		}
		said.Reset()
		end := i.saying(17, 3*time.Minute)
		time.Sleep(time.Minute + time.Second) // of the test's own clock
		i.step.Store("the solution")
		time.Sleep(3 * time.Minute)
		end()
		time.Sleep(time.Hour)
		want := "proving the task, without a model: some 17 runs of go test ./..., about 3m00s\n" +
			"proving the task: 1m00s so far, of about 3m00s\n" +
			"proving the task: 2m00s so far, of about 3m00s; at the solution\n" +
			"proving the task: 3m00s so far, of about 3m00s; at the solution\n" +
			"proving the task: 4m00s so far, longer than the 3m00s that were expected; at the solution\n"
		if said.String() != want {
			t.Errorf("%s, want %s", said.String(), want)
		}
	})
}
