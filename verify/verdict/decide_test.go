package verdict

import (
	"testing"

	"cookoff/trial"
)

func TestDecide(t *testing.T) {
	v := func(check string, s trial.VerdictStatus) trial.Verdict { return trial.Verdict{Check: check, Status: s} }
	check := func(vs []trial.Verdict, changed bool, stop trial.Stop, status trial.Status, cause trial.Cause) {
		t.Helper()
		if s, c, d := Decide(vs, changed, stop); s != status || c != cause || (d == "") != (s == trial.Pass) {
			t.Errorf("%v %v %s: %s %s %q, want %s %s", vs, changed, stop, s, c, d, status, cause)
		}
	}
	held := []trial.Verdict{v("after", trial.Held)}
	failed := []trial.Verdict{v("after[0]", trial.NotHeld)}
	for _, stop := range []trial.Stop{trial.StopDone, trial.StopTimeout, trial.StopMaxSteps, trial.StopLoop,
		trial.StopRefused, trial.StopMalformed} {
		check(held, true, stop, trial.Pass, "")
	}
	check(failed, true, trial.StopDone, trial.Fail, trial.CauseWrongFix)
	check(failed, false, trial.StopDone, trial.Fail, trial.CauseGaveUp)
	for _, stop := range []trial.Stop{trial.StopTimeout, trial.StopMaxSteps, trial.StopMaxToolCalls, trial.StopMaxCost,
		trial.StopContextFull, trial.StopLoop, trial.StopHalted} {
		check(failed, false, stop, trial.Fail, trial.CauseLimit)
	}
	check(failed, false, trial.StopRefused, trial.Fail, trial.CauseRefused)
	check(failed, true, trial.StopMalformed, trial.Fail, trial.CauseMalformed)
	check([]trial.Verdict{v("guard[1]", trial.NotHeld), v("after", trial.NotHeld)}, true, trial.StopTimeout, trial.Fail,
		trial.CauseCollateral)
	check([]trial.Verdict{v("criterion[3] protected", trial.NotHeld)}, true, trial.StopDone, trial.Fail,
		trial.CauseCollateral)
	check([]trial.Verdict{v("criterion[3] control", trial.NotHeld)}, true, trial.StopDone, trial.Fail,
		trial.CauseForged)
	disguised := v("after control", trial.NotHeld)
	disguised.Cause = trial.CauseDefeatDevice
	seen := trial.Verdict{Check: "footprint",
		Kind: trial.KindProtect, Status: trial.NotHeld, Cause: trial.CauseDefeatDevice}
	check([]trial.Verdict{seen, disguised}, true, trial.StopDone, trial.Fail, trial.CauseDefeatDevice)
	check([]trial.Verdict{v("after", trial.NotHeld), v("recipe.verify[0]", trial.Held)}, true,
		trial.StopDone, trial.Fail, trial.CauseUnproven)
	check([]trial.Verdict{v("after", trial.NotHeld), v("verify[0]", trial.Held), v("verify[1]", trial.NotHeld)}, true,
		trial.StopDone, trial.Fail, trial.CauseWrongFix)
	check([]trial.Verdict{v("after", trial.NotHeld), v("verify[0]", trial.Held)}, false, trial.StopDone, trial.Fail,
		trial.CauseGaveUp)
	check([]trial.Verdict{v("criterion[0] max_cost", trial.NotHeld)}, true, trial.StopDone, trial.Fail,
		trial.CauseLimit)
	check([]trial.Verdict{v("after", trial.Undecided), v("guard", trial.NotHeld)}, true, trial.StopDone, trial.Void,
		trial.CauseVerifier)
	check(nil, true, trial.StopDone, trial.Void, trial.CauseVerifier)
	check(held, true, trial.StopCancelled, trial.Void, trial.CauseCancelled)
	check(held, true, trial.StopBroken, trial.Void, trial.CauseInternal)
}
