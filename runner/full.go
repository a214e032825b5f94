package runner

import (
	"context"
	"errors"
	"syscall"
	"time"

	"cookoff/trial"
)

// How long a trial waits for room on a disk that is full, and how often it looks.
const (
	roomTime  = 2 * time.Minute
	roomEvery = time.Second
)

// roomAgain waits until there is room where a trial was lost to a full disk: those beside it
// may have filled it with what they may keep, and give it back as they end. What was lost by
// then is not the machine's doing any more. first: it had done nothing, and is to be tried as
// if it had not been.
func (a *runAll) roomAgain(ctx context.Context, r *Runner, t trial.Trial, out trial.Outcome, cause error) (
	why error, first bool, err error) {
	lost, ok := errors.AsType[*machineError](cause)
	if !ok || !errors.Is(lost, syscall.ENOSPC) {
		return cause, false, nil
	}
	for range roomTime / roomEvery {
		if r.empty(ctx, r.TaskOf[t.Task]) == nil {
			return lost.error, out.Counters.ToolCalls == 0, nil
		}
		if err := r.env.Clock.Sleep(ctx, roomEvery); err != nil {
			return cause, false, err
		}
	}
	return cause, false, nil
}
