package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/services"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// serviceCheck is what the check of a service is called.
func serviceCheck(s recipe.Service) string { return "service " + s.Name }

// served are the services of a task.
type served []recipe.Service

// downTime is how long a service may take, at the start of a trial, to show that it is not
// down after all. That it is not ready in its whole time shows when the start is judged.
const downTime = 5 * time.Second

// start starts the services of a task in its world at the start. A *StagingError says
// that one is not as the task says; any other error is the sandbox's.
func (list served) start(ctx context.Context, sb sandbox.Sandbox) error {
	for _, s := range list {
		if s.Down {
			s.Timeout = min(cmp.Or(s.Timeout, services.DefaultTimeout), downTime)
		}
		r, err := services.Start(ctx, sb, s, nil)
		switch {
		case err != nil:
			return err
		case s.Down && r.State == services.Ready:
			return &StagingError{Phase: serviceCheck(s), Detail: "is ready at the start, and the task says that it is down"}
		case !s.Down && r.State != services.Ready:
			return &StagingError{Phase: serviceCheck(s), Detail: r.String()}
		}
	}
	return nil
}

// end stops the services in a world that is judged. Whatever then answers in a service's
// place is ended with all that runs there, but where it answers by itself at the start.
// It gives the services whose ready check holds with nothing running: that proves
// nothing.
func (list served) end(ctx context.Context, sb sandbox.Sandbox) (hollow []string, err error) {
	if err := services.Stop(ctx, sb, list); err != nil {
		return nil, err
	}
	cleared := false
	for _, s := range list {
		answers, err := services.Answers(ctx, sb, s, nil)
		if err == nil && answers && !cleared {
			cleared = true
			if err = services.Clear(ctx, sb); err == nil {
				answers, err = services.Answers(ctx, sb, s, nil)
			}
		}
		if err != nil {
			return nil, err
		}
		if answers {
			hollow = append(hollow, s.Name)
		}
	}
	return hollow, nil
}

// restart starts the services of a world that is judged, under env. Whether they came up
// is asked by a check. With hasty nobody waits for what does not come up.
func (list served) restart(env []string) func(context.Context, sandbox.Sandbox, bool) (bool, error) {
	if len(list) == 0 {
		return nil
	}
	return func(ctx context.Context, sb sandbox.Sandbox, hasty bool) (up bool, err error) {
		up = true
		for _, s := range list {
			if hasty {
				s.Timeout = 1
			}
			r, err := services.Start(ctx, sb, s, env)
			if err != nil {
				return false, err
			}
			up = up && r.State == services.Ready
		}
		return up, nil
	}
}

// revive starts the services in a trial's own world after its files were taken. What
// is in their way there is ended, with all that runs there.
func (list served) revive(ctx context.Context, w sandbox.Sandbox) error {
	again := list.restart(nil)
	if again == nil {
		return nil
	}
	up, err := again(ctx, w, false)
	if err != nil || up {
		return err
	}
	return list.alone(ctx, w)
}

// alone starts the services in a world in which nothing else runs.
func (list served) alone(ctx context.Context, w sandbox.Sandbox) error {
	if err := errors.Join(services.Stop(ctx, w, list), services.Clear(ctx, w)); err != nil {
		return err
	}
	_, err := list.restart(nil)(ctx, w, false)
	return err
}

// ask asks every witness whether the services run that the task has.
func (list served) ask(ctx context.Context, b *witness.Bench) (vs []trial.Verdict, err error) {
	for _, s := range list {
		v, err := b.Ask(ctx, func(ctx context.Context, p witness.Place) (trial.Verdict, error) {
			v := trial.Verdict{Check: serviceCheck(s), Kind: trial.KindService, Status: trial.Held}
			r, err := p.ServiceState(ctx, s)
			// What took its place a moment ago may have come up late.
			if p.World != nil && err == nil && r.State == services.Ended {
				if err = list.alone(ctx, p.World); err == nil {
					r, err = p.ServiceState(ctx, s)
				}
			}
			if err != nil || r.State == services.Ready {
				return v, err
			}
			v.Status, v.Detail = trial.NotHeld, r.String()
			if r.State == services.Late && !s.Down {
				v.Status = trial.Undecided // the start says whether the machine is too slow
			}
			return v, nil
		})
		if slices.Contains(b.Impostors, s.Name) {
			v.Status, v.Cause, v.Detail = trial.NotHeld, trial.CauseDefeatDevice,
				"something else answers in its place, and goes on when all is ended"
		}
		if vs = append(vs, v); err != nil || b.Hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	return vs, nil
}

// proven demands of services that their ready checks do not hold without them.
func (a *Admission) proven(sc Scene) error {
	if len(sc.hollow) == 0 {
		return nil
	}
	return &BrokenStep{Phase: "ready " + sc.hollow[0],
		Why: fmt.Sprintf("holds while nothing runs: it says nothing of the service %q",
			sc.hollow[0])}
}
