package machines_test

import (
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// TestStoodStill: a trial whose time runs out while cookoff is stopped is void; another one
// says that its times are off.
func TestStoodStill(t *testing.T) {
	still := func(d time.Duration, text string, chat model.Chat) trial.Outcome {
		b := runnertest.New(t, map[string]model.Chat{"test/model": chat})
		b.Env.Backend, b.Env.Clock = runnertest.Backend{}, nil
		b.Env.Still = func() func() time.Duration { return func() time.Duration { return d } }
		return b.One(text)
	}
	short := runnertest.Recipe("## Constraints\ntimeout: 1s\n\n")
	if out := still(0, short, scripted.New(scripted.Stalls())); out.Status != trial.Fail ||
		out.Stop != trial.StopTimeout ||
		!strings.Contains(out.Detail, "of it in a request that had no reply yet") {
		t.Errorf("a slow model: %s %s %s", out.Status, out.Stop, out.Detail)
	}
	out := still(70*time.Second, short, scripted.New(scripted.Stalls()))
	if out.Status != trial.Void || out.Cause != trial.CauseInternal ||
		!strings.Contains(out.Detail, "stood still for 1m10s") {
		t.Errorf("cookoff was stopped: %s %s %s", out.Status, out.Cause, out.Detail)
	}
	out = still(70*time.Second, runnertest.Recipe(""), scripted.New(scripted.Text("no")))
	if out.Status != trial.Fail || !strings.Contains(strings.Join(out.Caveats, " "), "stood still for 1m10s") {
		t.Errorf("a failure of another kind: %s %s %q", out.Status, out.Cause, out.Caveats)
	}
}
