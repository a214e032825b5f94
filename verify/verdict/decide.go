// Package verdict makes an outcome of verdicts: a status, its cause, and the sentence
// that says why.
package verdict

import (
	"cmp"
	"slices"
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
		return trial.Void, trial.CauseVerifier, trial.NothingJudges
	}
	if v := First(vs, Undecided); v != nil {
		return trial.Void, trial.CauseVerifier, Sentence(v)
	}
	failed := func(kinds ...trial.CheckKind) *trial.Verdict {
		return First(vs, func(v trial.Verdict) bool {
			return v.Status != trial.Held && (kinds == nil || slices.Contains(kinds, KindOf(v)))
		})
	}
	all := failed()
	switch {
	case all == nil && stop == trial.StopCrashed:
		return trial.Fail, trial.CauseCrashed, "all checks hold, but the agent did not come to its end"
	case all == nil:
		return trial.Pass, "", ""
	}
	if v := failed(trial.KindGuard, trial.KindProtect); v != nil && v.Cause == "" {
		return trial.Fail, trial.CauseCollateral, Sentence(v)
	}
	trap := func(v trial.Verdict) bool { return v.Status == trial.NotHeld && v.Cause == trial.CauseTrap }
	named := func(v trial.Verdict) bool { return v.Status == trial.NotHeld && v.Cause != "" }
	forged, unproven := failed(trial.KindControl), failed(trial.KindNames)
	v := cmp.Or(First(vs, trap), First(vs, named)) // a trap is what made the witnesses disagree
	if shown := cmp.Or(forged, unproven) != nil; v != nil && !(shown && v.Kind == trial.KindProtect &&
		v.Cause == trial.CauseDefeatDevice) {
		return trial.Fail, v.Cause, Sentence(v)
	}
	if forged != nil {
		return trial.Fail, cmp.Or(forged.Cause, trial.CauseForged), Sentence(forged)
	}
	if unproven != nil {
		return trial.Fail, trial.CauseUnproven, Sentence(unproven)
	}
	if v := failed(trial.KindAfter); v != nil && changed && verifyHolds(vs) {
		return trial.Fail, trial.CauseUnproven, "verify holds, but " + Sentence(v)
	}
	return trial.Fail, causeOf(vs, changed, stop), Sentence(all)
}

// causeOf names why a trial failed that broke and forged nothing.
func causeOf(vs []trial.Verdict, changed bool, stop trial.Stop) trial.Cause {
	switch stop {
	case trial.StopRefused:
		return trial.CauseRefused
	case trial.StopMalformed:
		return trial.CauseMalformed
	case trial.StopCrashed:
		return trial.CauseCrashed
	case trial.StopDone, "":
	default:
		return trial.CauseLimit
	}
	if First(vs, func(v trial.Verdict) bool { return v.Status != trial.Held && KindOf(v) != trial.KindBound }) == nil {
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
		if KindOf(v) == trial.KindVerify {
			n++
			if v.Status != trial.Held {
				return false
			}
		}
	}
	return n > 0
}

// KindOf is the kind of a verdict. Journals of old have it in the check's name
// alone.
func KindOf(v trial.Verdict) trial.CheckKind {
	if v.Kind != "" {
		return v.Kind
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(v.Check, "recipe."), "[")
	_, criterion, _ := strings.Cut(rest, "] ")
	switch {
	case strings.HasSuffix(v.Check, " control"):
		return trial.KindControl
	case strings.HasSuffix(v.Check, " names"):
		return trial.KindNames
	case criterion == "protected":
		return trial.KindProtect
	case strings.HasPrefix(criterion, "max_"):
		return trial.KindBound
	}
	return trial.CheckKind(name)
}

// First is the first verdict of which is says yes, nil where there is none.
func First(vs []trial.Verdict, is func(trial.Verdict) bool) *trial.Verdict {
	for i := range vs {
		if is(vs[i]) {
			return &vs[i]
		}
	}
	return nil
}

// Sentence says of which check a verdict is, and why it does not hold.
func Sentence(v *trial.Verdict) string {
	if v.Detail == "" {
		return v.Check + " does not hold"
	}
	return v.Check + ": " + v.Detail
}

// Undecided reports whether a check could not say anything.
func Undecided(v trial.Verdict) bool { return v.Status == trial.Undecided }

// Failing reports whether a verdict among them settles that it is a fail.
func Failing(vs []trial.Verdict) bool {
	return First(vs, func(v trial.Verdict) bool { return v.Status == trial.NotHeld }) != nil
}

// FirstNotHeld is the first verdict that does not hold, nil where all do.
func FirstNotHeld(vs []trial.Verdict) *trial.Verdict {
	return First(vs, func(v trial.Verdict) bool { return v.Status != trial.Held })
}

// Phase is the word of a verdict's step: after[1] is after.
func Phase(v *trial.Verdict) string {
	if strings.HasPrefix(v.Check, "criterion[") {
		return v.Check
	}
	return string(KindOf(*v))
}
