package runner

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"time"

	"cookoff/runner/clock"
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
	found, err := a.room.await(ctx, func() bool { return r.Empty(ctx, r.TaskOf[t.Task]) == nil }, r.env.Clock)
	if found {
		return lost.error, out.Counters.ToolCalls == 0, nil
	}
	return cause, false, err
}

// room is the wait for room on a disk: of all that wait one looks, who came first, since each
// look is a sandbox. Who finds room goes on and the next one looks: they come back one by one.
type room struct {
	turn  chan struct{} // is held by who looks
	looks int           // in a row, of all that wait, that found none
	last  time.Time     // of them
	ended atomic.Bool   // a trial was judged since the last look: there was room for it
}

func newRoom() *room { return &room{turn: make(chan struct{}, 1)} }

// await waits until look finds room, and reports whether it did: after roomTime without, in which
// no trial was judged either, nobody is waited for any more. The error is ctx's.
func (r *room) await(ctx context.Context, look func() bool, c clock.Clock) (bool, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if c.Now().Sub(r.last) > roomTime { // that was another time
		r.looks = 0
	}
	for ; ; r.looks++ {
		if r.ended.Swap(false) {
			r.looks = 0
		}
		found := look()
		if r.last = c.Now(); found {
			r.looks = 0
			return true, nil
		}
		if r.looks >= int(roomTime/roomEvery) {
			return false, nil
		}
		if err := c.Sleep(ctx, roomEvery); err != nil {
			return false, err
		}
	}
}
