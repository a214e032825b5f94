package judge

import (
	"fmt"
	"slices"
	"strings"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner/remake"
	"cookoff/trial"
)

// judgedAgain is what "judge" prints; keys of its JSON are only added.
type judgedAgain struct {
	Schema string `json:"schema"` // cookoff.judge/1
	Run    string `json:"run"`
	Recipe struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
		Was    string `json:"was"` // digest of the run's
	} `json:"recipe"`
	ProjectChanged bool         `json:"project_changed"`
	Same           int          `json:"same"`
	Changed        int          `json:"changed"`
	Unjudged       int          `json:"unjudged"`
	Trials         []trialAgain `json:"trials"`
}

type trialAgain struct {
	Trial   string       `json:"trial"`
	Model   string       `json:"model"`
	Task    string       `json:"task"`
	N       int          `json:"n"`
	Was     verdictOf    `json:"was"`
	Is      *verdictOf   `json:"is"` // null: not judged again
	Why     string       `json:"why,omitempty"`
	Changed bool         `json:"changed"`
	Checks  []checkAgain `json:"checks,omitempty"` // those that came out differently
	Carried []string     `json:"carried,omitempty"`
}

type verdictOf struct {
	Status trial.Status `json:"status"`
	Cause  trial.Cause  `json:"cause,omitempty"`
}

func (v verdictOf) String() string {
	return strings.TrimSpace(string(v.Status) + " " + string(v.Cause))
}

// checkAgain is a check whose verdict is another; "" where there was, or is,
// none.
type checkAgain struct {
	Check  string              `json:"check"`
	Was    trial.VerdictStatus `json:"was"`
	Is     trial.VerdictStatus `json:"is"`
	Detail string              `json:"detail,omitempty"`
}

func verdictsAgain(k *cookoff.Kept, r *recipe.Recipe, got []remake.Rejudged) judgedAgain {
	v := judgedAgain{Schema: "cookoff.judge/1", Run: k.Run.ID, Trials: []trialAgain{}}
	v.Recipe.Name, v.Recipe.Digest, v.Recipe.Was = r.Name, r.Digest(), k.Run.Digest
	for _, g := range got {
		t := trialAgain{Trial: g.Trial.ID, Model: g.Trial.Model, Task: g.Trial.Task, N: g.Trial.N,
			Was: verdictOf{g.Was.Status, g.Was.Cause}, Why: g.Why, Carried: g.Carried}
		if g.Why != "" {
			v.Unjudged++
		} else {
			t.Is = &verdictOf{g.Is.Status, g.Is.Cause}
			t.Checks = checksAgain(g.Was.Verdicts, g.Is.Verdicts)
			if t.Changed = *t.Is != t.Was; t.Changed {
				v.Changed++
			} else {
				v.Same++
			}
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// checksAgain gives the checks that say something else now, by name.
func checksAgain(was, is []trial.Verdict) []checkAgain {
	find := func(vs []trial.Verdict, name string) trial.Verdict {
		if i := slices.IndexFunc(vs, func(v trial.Verdict) bool { return v.Check == name }); i >= 0 {
			return vs[i]
		}
		return trial.Verdict{}
	}
	var out []checkAgain
	for _, v := range is {
		if old := find(was, v.Check); old.Status != v.Status {
			out = append(out, checkAgain{v.Check, old.Status, v.Status, v.Detail})
		}
	}
	for _, v := range was {
		if find(is, v.Check).Check == "" {
			out = append(out, checkAgain{v.Check, v.Status, "", ""})
		}
	}
	return out
}

func (v judgedAgain) failed() error {
	switch {
	case v.Changed > 0:
		return cli.Fail(cli.ExitGate, nil)
	case v.Same == 0:
		return cli.Fail(cli.ExitInfra, fmt.Errorf("no trial could be judged again"))
	}
	return nil
}

func (v judgedAgain) print(d *door.Door) error {
	w := table.New(d.Out)
	w.Keep, w.Below = 1, true
	rows := 0
	for _, t := range v.Trials {
		if !t.Changed && !d.Verbose {
			continue
		}
		if rows++; rows == 1 {
			w.Row("TRIAL", "MODEL", "TASK", "WAS", "IS", "CHECKS")
		}
		is := "not judged again"
		if t.Is != nil {
			is = t.Is.String()
		}
		var checks []string
		for _, c := range t.Checks {
			checks = append(checks, fmt.Sprintf("%s %s→%s", c.Check, orDash(c.Was), orDash(c.Is)))
		}
		w.Row(t.Trial, text.Line(t.Model), text.Cut(text.Line(t.Task), 40), t.Was.String(), is,
			text.Line(strings.Join(checks, ", ")))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if v.Recipe.Digest == v.Recipe.Was {
		d.Say("the recipe is the one that the run had")
	}
	if v.ProjectChanged {
		d.Say("%s the project is not what it was when the run was made: what differs may be its doing",
			d.Err.Paint(screen.Yellow, "warning:"))
	}
	if v.Same+v.Changed > 0 {
		d.Say("asked two witnesses, not three: the worlds of the trials, where the user would ask, are gone")
	}
	v.sayUnjudged(d)
	_, err := fmt.Fprintf(d.Out, "%s came out as before, %d differently, %d could not be judged again\n",
		text.Count(v.Same, "trial"), v.Changed, v.Unjudged)
	return err
}

func orDash(s trial.VerdictStatus) string {
	if s == "" {
		return "-"
	}
	return string(s)
}

// sayUnjudged says why trials could not be judged, each reason once.
func (v judgedAgain) sayUnjudged(d *door.Door) {
	ids := map[string][]string{}
	var whys []string
	for _, t := range v.Trials {
		if t.Why == "" {
			continue
		}
		if ids[t.Why] == nil {
			whys = append(whys, t.Why)
		}
		ids[t.Why] = append(ids[t.Why], t.Trial)
	}
	for _, why := range whys {
		d.Say("%s: %s", text.Cut(strings.Join(ids[why], ", "), 60), text.Line(why))
	}
	for _, t := range v.Trials {
		if len(t.Carried) > 0 {
			d.Say("%s: as recorded, since it judged processes: %s", t.Trial, text.Line(strings.Join(t.Carried, ", ")))
		}
	}
}
