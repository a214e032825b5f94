package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
)

// emptyTime bounds the look at an empty world.
const emptyTime = 2 * time.Minute

// machineError is a lost sandbox that is the machine's doing: an empty one is
// lost there too.
type machineError struct{ error }

func (e *machineError) Unwrap() error { return e.error }

// lost says whose doing it is that a sandbox was lost: an empty one is opened on
// this machine, under the same limits. That failing too, it is the machine. Else,
// once the contestant has done something in the world that was lost, it is the
// contestant, and no void: that would be had by whoever is about to fail.
func (a *attempt) lost(ctx context.Context, err error) error {
	if worlds.LostHost(err) {
		return err // the whole machine is lost, whatever was done there
	}
	ctx, cancel := context.WithTimeout(ctx, emptyTime)
	defer cancel()
	if empty := a.r.Empty(ctx, a.t); empty != nil {
		if far, ok := a.r.env.Backend.(remote); ok {
			return lostFar(ctx, far, err, empty)
		}
		return &machineError{fmt.Errorf("%w; an empty sandbox is lost on this machine, too: %w", err, empty)}
	}
	acted := a.out.Counters.ToolCalls > 0 || a.hand != nil && a.hand.state != nil
	if !acted || a.final != nil || !errors.Is(err, sandbox.ErrUnavailable) || errors.Is(err, sandbox.ErrShort) {
		return err
	}
	a.out.Status, a.out.Cause = trial.Fail, trial.CauseBrokeSandbox
	a.out.Detail = fmt.Sprintf("the trial's sandbox was lost after %d tool calls, "+
		"and an empty one on this machine holds: %v", a.out.Counters.ToolCalls, err)
	return err
}

// remote is the backend of another machine, which is given up after some faults. Fault
// notes one, and gives it as a *sandbox.HostError.
type remote interface{ Fault(why error) error }

// lostFar is the error of a host that lives and loses empty sandboxes, too: it is that
// host's fault, which other hosts need not have.
func lostFar(ctx context.Context, far remote, err, empty error) error {
	if worlds.LostHost(empty) || errors.Is(ctx.Err(), context.Canceled) {
		return empty // it has counted that itself; or the run was stopped
	}
	return far.Fault(fmt.Errorf("%w; an empty sandbox is lost there, too: %w", err, empty))
}
