package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/report/number"
	"cookoff/trial"
)

// faults are what the fold found wrong with the journal itself.
type faults struct {
	mixed    bool
	nameless int // trials that no event names the model and task of
	strange  int
	parts    []string // of what is to be one comparison
	changed  []string // files, on the disk, while the run went on
}

// warnings says what has to be known before the numbers are believed, most
// weighty first.
func warnings(r *Report, f faults) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	progress(r, say)
	if f.mixed {
		say("these runs are of different recipes: the numbers mix them")
	}
	for _, w := range f.parts {
		say("%s", w)
	}
	if f.nameless > 0 {
		say("%s left out: the journal does not say of which model and task", text.Count(f.nameless, "trial"))
	}
	if f.strange > 0 {
		say("%s ended in a way that this version does not know", text.Count(f.strange, "attempt"))
	}
	if n := len(f.changed); n > 0 {
		say("%s changed on the disk while the run went on (%s); all trials went by what was there when it began",
			text.Count(n, "file"), someFiles(f.changed))
	}
	for _, x := range r.Excluded {
		say("task %q was not admitted, at %s: %s", x.Task, x.Phase, x.Why)
	}
	cheated(r, say)
	leftOut(r, say)
	for _, m := range r.Models {
		modelWarnings(r, m, say)
	}
	unsteady(r, say)
	confounded(r, say)
	comparison(r, say)
	oldPrices(r, say)
	for _, w := range r.Run.Warnings {
		say("%s", w)
	}
	return out
}

type sayer func(format string, args ...any)

// inOneLine is what an error says, each of its lines once and without the mark of a hint.
func inOneLine(err string) string {
	var parts []string
	for line := range strings.Lines(err) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "hint: ")
		if line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

func progress(r *Report, say sayer) {
	done, all := len(r.Trials), len(r.Trials)+len(r.Pending)
	switch {
	case r.State == Interrupted:
		say("interrupted: %d of %d trials finished", done, all)
	case r.State == Spent:
		say("stopped after %d of %d trials: %s", done, all, inOneLine(r.Error))
	case r.State == Broken:
		say("the run could not go on after %d of %d trials: %s", done, all, inOneLine(r.Error))
	case r.State == Unended:
		say("the run has not ended, or was killed: %d of %d trials finished so far", done, all)
	case r.Decision != nil:
		stopped(r, say)
	case len(r.Pending) > 0:
		say("%s not finished", text.Count(len(r.Pending), "trial"))
	}
	if r.Judged() == 0 {
		say("nothing was judged")
	}
}

// modelWarnings says what a reader must know of one contestant before believing its
// numbers: void trials, requests that were paid for twice or whose end nobody heard, what
// its fixes changed besides, and which models answered in its name.
func modelWarnings(r *Report, m Model, say sayer) {
	if m.Void > 0 {
		say("%s: %d of %d trials void (%s): its rate lies between %s and %s, however they would have ended%s",
			m.Name, m.Void, m.Void+m.Judged(), voidCauses(r, m.Name),
			number.Percent(m.VoidRates.Lo), number.Percent(m.VoidRates.Hi),
			voidWhy(r, m.Name))
	}
	restsOn(r, m.Name, say)
	for _, text := range caveats(r, m) {
		say("%s: %s", m.Name, text)
	}
	for _, text := range otherHelpers(r, m) {
		say("%s: %s", m.Name, text)
	}
	if m.Restarts > 0 {
		say("%s: attempts that were cut off and had to be begun anew: %d; their replies had cost $%.4f, "+
			"which is paid twice",
			m.Name, m.Restarts, m.RestartsUSD)
	}
	if u := m.Unsettled; u.Requests > 0 {
		cost := fmt.Sprintf("at most $%.4f", u.USD)
		if u.Unknown > 0 {
			cost = "nobody knows how much"
		}
		say("%s: requests of which nobody heard the end, as the run was cut off: %d; "+
			"they cost %s, which is in no other number", m.Name, u.Requests, cost)
	}
	for _, t := range r.Trials {
		if s := t.Outcome.SideEffects; s != nil && t.Model == m.Name && t.Outcome.Status == trial.Pass {
			say("%s: left beside its repair of %q (%s): %s", m.Name, t.Task, t.ID, SomeOf(s))
		}
	}
	if len(m.Served) > 1 {
		say("%s: more than one model answered: %s", m.Name, strings.Join(servedIn(r, m), ", "))
	} else if len(m.Served) == 1 && !sameModel(r.Run.Behind(m.Name), m.Served[0]) {
		say("%s: the provider says that %s answered", m.Name, m.Served[0])
	}
}

// servedIn says of each model that answered how often it did, from which trial on, and
// whether it is another than was asked.
func servedIn(r *Report, m Model) (out []string) {
	all := 0
	for _, in := range m.ServedIn {
		all += in.Replies
	}
	for _, name := range m.Served {
		in, other := m.ServedIn[name], ""
		if !sameModel(r.Run.Behind(m.Name), name) {
			other = ", another than was asked"
		}
		out = append(out, fmt.Sprintf("%s (%d of %d replies, first in %s%s)", name, in.Replies, all, in.First, other))
	}
	return out
}

// otherHelpers says which models answered sub-agents though another was asked.
func otherHelpers(r *Report, m Model) (out []string) {
	asked := r.Run.SubAgent
	switch asked {
	case "": // not known
		return nil
	case trial.SameModel:
		asked = r.Run.Behind(m.Name)
	}
	for _, served := range m.Helpers {
		if !sameModel(asked, served) {
			out = append(out, fmt.Sprintf("%s answered its sub-agents, though %s was asked", served, asked))
		}
	}
	return out
}

// oldDays is the age of prices that is worth a word.
const oldDays = 120

// oldPrices says that costs rest on prices of long before the run.
func oldPrices(r *Report, say sayer) {
	if pricesLegend(r) == "" || r.Started.IsZero() {
		return
	}
	day, err := time.Parse(time.DateOnly, r.Run.Prices[:min(len(time.DateOnly), len(r.Run.Prices))])
	if err != nil {
		return
	}
	if _, own, ok := strings.Cut(r.Run.Prices, model.OwnOf); ok {
		if of, err := time.Parse(time.DateOnly, own); err == nil && of.Before(day) {
			day = of
		}
	}
	if days := int(r.Started.Sub(day).Hours() / 24); days > oldDays {
		say("the prices were %d days old when the run began (%s): costs may be of yesterday", days, r.Run.Prices)
	}
}

// someFiles names the first of some files.
func someFiles(names []string) string {
	const most = 5
	shown := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		shown += fmt.Sprintf(", and %d more", more)
	}
	return shown
}

// SomeOf names the first files of side effects.
func SomeOf(s *trial.SideEffects) string {
	text := strings.Join(s.Paths[:min(len(s.Paths), 3)], ", ")
	if more := s.Count - 3; more > 0 && len(s.Paths) > 3 {
		text += fmt.Sprintf(" and more, %d files in all", s.Count)
	}
	return text
}

// caveats says how a model was asked otherwise than the recipe says, and what of
// its costs nobody knows.
func caveats(r *Report, m Model) (out []string) {
	lost, usd := 0, 0.0
	for _, t := range r.Trials {
		if t.Model == m.Name {
			out = union(out, t.Outcome.Caveats)
		}
		if t.Model == m.Name && t.Judged() { // what a void used is in no number
			lost += t.Outcome.Counters.Lost
			usd += t.Outcome.LostUSD
		}
	}
	switch {
	case lost > 0 && usd > 0 && m.CostUSD != nil:
		out = append(out, fmt.Sprintf("replies that broke off: %d; its cost is a lower bound, by $%.4f or more", lost,
			usd))
	case lost > 0:
		out = append(out, fmt.Sprintf("replies that broke off: %d; what they used is not in its tokens and cost", lost))
	}
	return out
}

func voidCauses(r *Report, model string) string {
	n := map[trial.Cause]int{}
	var order []trial.Cause
	for _, t := range r.Trials {
		if t.Model == model && t.Outcome.Status == trial.Void {
			if n[t.Outcome.Cause] == 0 {
				order = append(order, t.Outcome.Cause)
			}
			n[t.Outcome.Cause]++
		}
	}
	slices.Sort(order)
	var parts []string
	for _, c := range order {
		parts = append(parts, fmt.Sprintf("%s %d", number.OrDash(string(c)), n[c]))
	}
	return strings.Join(parts, ", ")
}

// whyMax is how much of a void's reason stands in a warning.
const whyMax = 200

// voidWhy says what most of a model's void trials ended with, the first of them
// where several are as frequent.
func voidWhy(r *Report, model string) string {
	n := map[string]int{}
	why := ""
	for _, t := range r.Trials {
		if t.Model != model || t.Outcome.Status != trial.Void || t.Outcome.Detail == "" ||
			t.Outcome.Cause == trial.CauseAdmission { // it is said of the task
			continue
		}
		first, _, _ := strings.Cut(t.Outcome.Detail, "\n") // a hint may follow
		n[first]++
		if why == "" {
			why = first
		}
	}
	for _, t := range r.Trials {
		if first, _, _ := strings.Cut(t.Outcome.Detail, "\n"); n[first] > n[why] {
			why = first
		}
	}
	if why == "" {
		return ""
	}
	return "; most often: " + text.Cut(why, whyMax)
}

// sameModel reports whether a provider's name for what it served fits the id
// asked for: a dated or qualified form of the same name does, another size or
// number does not.
func sameModel(id, served string) bool {
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		name = id
	}
	return plainModel(name) == plainModel(served)
}

// plainModel is a model's name without its path and what is not the model: the
// date of a release, a stage, a file's end.
func plainModel(s string) string {
	s = strings.ToLower(s[strings.LastIndexByte(s, '/')+1:])
	s = strings.TrimSuffix(s, ".gguf")
	for {
		short := qualifier.ReplaceAllString(s, "")
		if short == s || short == "" {
			return s
		}
		s = short
	}
}

// qualifier is the end of a name: -2026-01-31, -20260131, @20260131, -0131,
// -01-31, -01-2026, -001, :latest, -preview.
var qualifier = pattern.New(
	`[-@:](20\d\d-\d\d-\d\d|20\d{6}|\d{4}|\d\d-\d\d|\d\d-20\d\d|\d{3}|latest|preview|exp|beta|free)$`)

// comparison warns of what limits the comparison between contestants: no baseline, tasks
// that not all were judged on, ranks that chance may have made.
func comparison(r *Report, say sayer) {
	if len(r.Models) < 2 || r.Judged() == 0 {
		return
	}
	if !slices.ContainsFunc(r.Models, func(m Model) bool { return m.Name == r.Run.Baseline }) {
		say("the baseline %q is not among the models: nothing is compared", r.Run.Baseline)
		return
	}
	for _, m := range r.Models {
		if m.Delta != nil && m.Delta.Tasks < admitted(r) && m.Delta.Tasks > 0 && r.State == Finished {
			say("%s is compared with the baseline on the %s that both were judged on", m.Name,
				text.Count(m.Delta.Tasks, "task"))
		}
	}
	if by := r.leaders(); len(by) > 1 && (wording{r}).decidedText() == "" {
		first := r.stand(by[:2])
		if d := first.rest[0].delta; !d.Significant {
			say("%s are not told apart: paired by task, %s; %s", r.leading(by[0].Name, by[1].Name),
				number.P(d.P), wording{r}.wouldTell(first, first.rest[0]))
		}
	}
	if s := r.Smallest; math.IsNaN(s.Diff) && s.Needed > 0 {
		say("too few tasks: no difference could be significant with fewer than %d", s.Needed)
	}
}
