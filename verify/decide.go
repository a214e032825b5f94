package verify

import (
	"strings"

	"cookoff/trial"
)

// Decide makes an outcome of verdicts: a status, its cause, and one sentence
// that says on what it rests. stop is why the loop ended; a limit alone is no
// failure.
func Decide(vs []trial.Verdict, changed bool, stop trial.Stop) (trial.Status, trial.Cause, string) {
	switch stop {
	case trial.StopCancelled:
		return trial.Void, trial.CauseCancelled, "it was ended before it was done"
	case trial.StopBroken:
		return trial.Void, trial.CauseInternal, "the trial broke before it could be judged"
	}
	if len(vs) == 0 {
		return trial.Void, trial.CauseVerifier, "nothing judges this task"
	}
	if v := first(vs, func(v trial.Verdict) bool { return v.Status == trial.Undecided }); v != nil {
		return trial.Void, trial.CauseVerifier, sentence(v)
	}
	failed := func(kinds ...string) *trial.Verdict {
		return first(vs, func(v trial.Verdict) bool { return v.Status != trial.Held && isKind(v, kinds) })
	}
	all := failed()
	if all == nil {
		return trial.Pass, "", ""
	}
	if v := failed("guard", "protect", "criterion protected"); v != nil {
		return trial.Fail, trial.CauseCollateral, sentence(v)
	}
	if v := failed("control"); v != nil {
		return trial.Fail, trial.CauseForged, sentence(v)
	}
	if v := failed("after"); v != nil && changed && verifyHolds(vs) {
		return trial.Fail, trial.CauseForged, "verify holds, but " + sentence(v)
	}
	return trial.Fail, causeOf(vs, changed, stop), sentence(all)
}

// causeOf names why a trial failed that broke and forged nothing.
func causeOf(vs []trial.Verdict, changed bool, stop trial.Stop) trial.Cause {
	switch stop {
	case trial.StopRefused:
		return trial.CauseRefused
	case trial.StopMalformed:
		return trial.CauseMalformed
	case trial.StopDone, "":
	default:
		return trial.CauseLimit
	}
	limits := []string{"criterion max_tool_calls", "criterion max_cost", "criterion max_latency"}
	if first(vs, func(v trial.Verdict) bool { return v.Status != trial.Held && !isKind(v, limits) }) == nil {
		return trial.CauseLimit
	}
	if !changed {
		return trial.CauseGaveUp
	}
	return trial.CauseWrongFix
}

// verifyHolds reports whether there are verify blocks and all of them hold.
func verifyHolds(vs []trial.Verdict) bool {
	n := 0
	for _, v := range vs {
		if kind(v.Check) == "verify" {
			n++
			if v.Status != trial.Held {
				return false
			}
		}
	}
	return n > 0
}

// isKind reports whether a verdict is one of the kinds; none given: any.
func isKind(v trial.Verdict, kinds []string) bool {
	for _, k := range kinds {
		if kind(v.Check) == k {
			return true
		}
	}
	return len(kinds) == 0
}

// kind is what sort of check a name stands for: guard, protect, after,
// verify, "criterion run", control.
func kind(check string) string {
	if strings.HasSuffix(check, " control") {
		return "control"
	}
	name, rest, indexed := strings.Cut(strings.TrimPrefix(check, "recipe."), "[")
	if !indexed {
		return name
	}
	if _, sort, ok := strings.Cut(rest, "] "); ok {
		return name + " " + sort
	}
	return name
}

func first(vs []trial.Verdict, is func(trial.Verdict) bool) *trial.Verdict {
	for i := range vs {
		if is(vs[i]) {
			return &vs[i]
		}
	}
	return nil
}

func sentence(v *trial.Verdict) string {
	if v.Detail == "" {
		return v.Check + " does not hold"
	}
	return v.Check + ": " + v.Detail
}
