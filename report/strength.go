package report

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/trial"
)

// Strength says on what a "fixed" rests.
type Strength string

// Strengths of a pass, weakest first.
const (
	Weak      Strength = "weak"      // a command ran, in the trial's own world, for one witness, or by its own word
	Output    Strength = "output"    // a program printed it, or a file says it
	Behaviour Strength = "behaviour" // what was mended did what it must
)

func strengths() []Strength { return []Strength{Weak, Output, Behaviour} }

// ParseStrength reads what a pass may be asked to rest on.
func ParseStrength(s string) (Strength, error) {
	if s == string(Output) || s == string(Behaviour) {
		return Strength(s), nil
	}
	return "", fmt.Errorf("unknown strength %q\n  hint: allowed: behaviour, output", s)
}

// Strength is that of the strongest check that held; "": the trial did not pass.
func (t Trial) Strength() Strength {
	if t.Outcome.Status != trial.Pass {
		return ""
	}
	best := Weak
	for _, v := range t.Outcome.Verdicts {
		if s := strengthOf(v, t.Outcome.Verdicts); s.Above(best) {
			best = s
		}
	}
	return best
}

// Above reports whether s is stronger than another.
func (s Strength) Above(other Strength) bool {
	return slices.Index(strengths(), s) > slices.Index(strengths(), other)
}

// strengthOf says what a verdict shows of the environment that was to be mended.
func strengthOf(v trial.Verdict, all []trial.Verdict) Strength {
	if v.Status != trial.Held {
		return Weak
	}
	switch v.Strength {
	case trial.StrengthFunctional:
		return Behaviour
	case trial.StrengthVersion, trial.StrengthOutput:
		return Output
	case "":
	default:
		return Weak
	}
	switch kind := decides(v.Check); {
	case kind == "file_exists" || kind == "file_contains":
		return Output
	case kind == "" || len(v.Witnesses) == 1 || withoutControl(v.Check, all):
		return Weak
	}
	return Behaviour
}

// withoutControl reports whether the tests of a check are known by name alone.
func withoutControl(check string, all []trial.Verdict) bool {
	return slices.ContainsFunc(all, func(v trial.Verdict) bool {
		return v.Check == check+" names" && v.Strength == trial.StrengthNames
	})
}

// decides names the kind of a check that looks at the environment to be mended:
// after, run, file_exists, file_contains. "": guards, and criteria on what was
// said or spent, do not.
func decides(check string) string {
	rest, criterion := strings.CutPrefix(check, "criterion[")
	if !criterion {
		if name, _, _ := strings.Cut(check, "["); name == "after" && !strings.HasSuffix(check, " names") &&
			!strings.HasSuffix(check, " control") {
			return name
		}
		return ""
	}
	_, kind, _ := strings.Cut(rest, "] ")
	if slices.Contains([]string{"run", "file_exists", "file_contains"}, kind) {
		return kind
	}
	return ""
}

// rests counts the passes of a model by strength.
func rests(r *Report, model string) map[Strength]int {
	n := map[Strength]int{}
	for _, t := range r.Trials {
		if s := t.Strength(); t.Model == model && s != "" {
			n[s]++
		}
	}
	return n
}

// restsOn says on what a model's fixes rest, where one is weak.
func restsOn(r *Report, model string, say sayer) {
	n := rests(r, model)
	if n[Weak] == 0 {
		return
	}
	var others []string
	for _, s := range []Strength{Behaviour, Output} {
		if n[s] > 0 {
			others = append(others, fmt.Sprintf("%d on %s", n[s], s))
		}
	}
	also := ""
	if others != nil {
		also = "; " + strings.Join(others, ", ")
	}
	say("%s: %d of %d fixed rest on a weak check only (a command that merely ran, "+
		"one in the trial's own world or for one witness, tests without control)%s",
		model, n[Weak], n[Weak]+n[Output]+n[Behaviour], also)
}

// leftOut names the tasks whose tests have no control, once each.
func leftOut(r *Report, say sayer) {
	said := map[string]bool{}
	for _, t := range r.Trials {
		for _, v := range t.Outcome.Verdicts {
			if v.Strength == trial.StrengthNames && !said[t.Task+"\x00"+v.Check] {
				said[t.Task+"\x00"+v.Check] = true
				say("task %q, %s: the control was left out, tests are known by name alone%s", t.Task,
					strings.TrimSuffix(v.Check, " names"), detail(v))
			}
		}
	}
}

// detail is what a verdict says, to stand behind a sentence.
func detail(v trial.Verdict) string {
	if v.Detail == "" { // as in a bundle of metrics
		return ""
	}
	return ": " + v.Detail
}
