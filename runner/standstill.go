package runner

import (
	"fmt"
	"time"

	"cookoff/trial"
)

// watchStandstill begins to watch whether this process stands still; what it gives ends that.
func (r *Runner) watchStandstill() func() time.Duration {
	if r.env.Still == nil {
		return func() time.Duration { return 0 }
	}
	return r.env.Still()
}

// noteStandstill says of a trial that cookoff stood still for a while meanwhile. Whose time ran
// out then is not to blame.
func noteStandstill(out *trial.Outcome, id string, still time.Duration) {
	if still == 0 {
		return
	}
	why := fmt.Sprintf("cookoff stood still for %v while trial %s was under way (it was stopped, or the machine was)",
		still.Round(time.Second), id)
	if out.Stop == trial.StopTimeout && out.Status == trial.Fail {
		out.Status, out.Cause, out.Detail = trial.Void, trial.CauseInternal, why+", and its time ran out"
		return
	}
	out.Caveats = append(out.Caveats, why)
}
