package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"cookoff/trial"
)

// wording makes the sentences that sum up a report.
type wording struct{ *Report }

// answer says in one sentence who is best, by how much, how sure that is and at
// what price; or that it can't be told, and how many tasks would tell.
func answer(of *Report) string {
	r := wording{of}
	if text := r.decidedText(); text != "" {
		return text
	}
	text := r.answered() + r.unsettled()
	if done, all := len(r.Trials), len(r.Trials)+len(r.Pending); r.Judged() > 0 && done < all {
		return fmt.Sprintf("After %d of %d trials: %s", done, all, text)
	}
	return text
}

// unsettled says that the question of the run has no answer where the sentence, which goes by
// tests of a fixed size, has one; "": it has none either.
func (r wording) unsettled() string {
	models := r.judged()
	if r.Decision == nil || r.Run.Question == nil ||
		len(models) < 2 || models[0].Pass == 0 || len(r.stand(models).tied()) > 0 {
		return ""
	}
	return fmt.Sprintf(" But the run looked at its evidence all the time, "+
		"and by tests that allow for that %q is not decided.",
		text.Visible(r.Run.Question.Ask))
}

func (r wording) answered() string {
	if r.Judged() == 0 {
		return r.nothingJudged()
	}
	models := r.judged()
	switch {
	case len(models) == 0:
		return r.onlyControls()
	case models[0].Pass == 0:
		return r.nothingFixed()
	case len(models) == 1:
		return r.alone(models[0])
	}
	s := r.stand(models)
	if tied := s.tied(); len(tied) > 0 {
		return r.undecided(s, tied)
	}
	return r.decided(s)
}

func (r wording) nothingJudged() string {
	void := 0
	for _, m := range r.Models {
		void += m.Void
	}
	switch {
	case void > 0 && len(r.Pending) == 0 && r.nothingJudges():
		return "Nothing can be said of any model: no check, verify block or success criterion judges what they did."
	case void > 0 && len(r.Pending) == 0:
		return fmt.Sprintf("Nothing can be said of any model: %s, no fault of theirs (%s).", allVoid(void),
			r.causesOfVoid())
	case void > 0:
		return fmt.Sprintf("Nothing can be said of any model yet: "+
			"of %s none was judged, and %d of them broke through no fault of theirs (%s).",
			text.Count(void+len(r.Pending), "trial"), void, r.causesOfVoid())
	case len(r.Pending) > 0:
		return fmt.Sprintf("Nothing can be said of any model yet: none of %s has ended.",
			text.Count(len(r.Pending), "trial"))
	}
	return "Nothing can be said of any model: no trial was run."
}

// nothingJudges reports whether no trial had anything that judges it.
func (r wording) nothingJudges() bool {
	return !slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Outcome.Detail != trial.NothingJudges })
}

func allVoid(n int) string {
	if n == 1 {
		return "the only trial broke"
	}
	return fmt.Sprintf("all %d trials broke", n)
}

func (r wording) causesOfVoid() string {
	var all []string
	for _, m := range r.Models {
		for c, n := range m.Causes {
			if n > 0 && c != "" {
				all = append(all, string(c))
			}
		}
	}
	slices.Sort(all)
	return number.OrDash(strings.Join(slices.Compact(all), ", "))
}

func (r wording) onlyControls() string {
	var parts []string
	for _, m := range r.rated() {
		parts = append(parts, fmt.Sprintf("%s fixed %s", m.called(), r.share(m)))
	}
	text := "No model was judged, only what is there for comparison: " + and(parts)
	if left := r.unjudged(); len(left) > 0 {
		text += "; " + and(left) + " could not be judged"
	}
	return text + "."
}

// unjudged names the models, no controls, of which every trial is void.
func (r wording) unjudged() (out []string) {
	for _, m := range r.Models {
		if !r.control(m.Name) && m.Judged() == 0 && m.Void > 0 {
			out = append(out, m.called())
		}
	}
	return out
}

func (r wording) nothingFixed() string {
	n, cost, known := 0, 0.0, true
	var who []string
	for _, m := range r.judged() {
		if r.control(m.Name) {
			continue
		}
		who, n = append(who, m.called()), n+m.Judged()
		if m.CostUSD == nil {
			known = false
		} else {
			cost += *m.CostUSD
		}
	}
	price := ", at a cost that is not known"
	if known {
		price = ", at a cost of " + number.Money(&cost)
	}
	if len(who) == 1 {
		return fmt.Sprintf("%s fixed nothing in %s%s.", who[0], text.Count(n, "trial"), price)
	}
	return fmt.Sprintf("No model fixed anything: %s tried in %s%s.",
		text.Count(len(who), "model"), text.Count(n, "trial"), price)
}

func (r wording) alone(m Model) string {
	text := fmt.Sprintf("%s fixed %s, which means %s to %s of tasks like these (%s sure), %s",
		m.called(), r.share(m), number.Percent(m.Interval.Lo), number.Percent(m.Interval.Hi),
		number.Percent(r.Run.Confidence), atPrice(m))
	if len(r.Tasks) == 1 {
		text = fmt.Sprintf("%s fixed %s, %s", m.called(), r.share(m), atPrice(m))
	}
	if left := r.unjudged(); len(left) > 0 {
		return text + "; " + and(left) + " could not be judged."
	}
	return text + "; there is no other model to compare it with."
}

func (r wording) decided(s standing) string {
	next := s.rest[0]
	text := fmt.Sprintf("%s%s is best: it fixed %s, %.0f points more than %s with %s",
		s.best.called(), r.isBaseline(s.best), r.share(s.best), 100*next.delta.Diff, next.called(),
		number.Percent(next.Rate))
	if len(s.rest) == 1 {
		text = fmt.Sprintf("%s%s is better than %s%s: it fixed %s, %.0f points more than the other's %s",
			s.best.called(), r.isBaseline(s.best), next.called(), r.isBaseline(next.Model), r.share(s.best),
			100*next.delta.Diff, number.Percent(next.Rate))
	}
	text += fmt.Sprintf(" (chance alone hardly does that, %s), %s", number.P(surest(s)), atPrice(s.best))
	if next.CostPerFixUSD != nil && s.best.CostPerFixUSD != nil && !r.control(next.Name) {
		text += " against " + number.Money(next.CostPerFixUSD)
	}
	return text + r.beaten(s.best) + "."
}

// surest is the greatest chance of a difference like those to all others.
func surest(s standing) float64 {
	p := 0.0
	for _, v := range s.rest {
		p = max(p, v.delta.P)
	}
	return p
}

func (r wording) isBaseline(m Model) string {
	if m.Name == r.Run.Baseline && !r.control(m.Name) {
		return " (the baseline)"
	}
	return ""
}

// beaten names a control that did better than the best model; the known
// solution is no feat.
func (r wording) beaten(best Model) string {
	for _, m := range r.rated() {
		if r.control(m.Name) && r.Run.Behind(m.Name) != solution && m.Name != best.Name && m.Rate > best.Rate {
			return fmt.Sprintf(", though %s, no model at all, fixed %s", m.called(), number.Percent(m.Rate))
		}
	}
	return ""
}

// solution is the control that plays the known solutions.
const solution = "baseline/oracle"

func (r wording) undecided(s standing, tied []rival) string {
	if !slices.ContainsFunc(tied, func(v rival) bool { return v.Rate < s.best.Rate }) {
		return r.equals(s, tied)
	}
	first := tied[0]
	var text string
	if len(tied) == 1 {
		why := fmt.Sprintf("and chance alone may do that (%s)", number.P(first.delta.P))
		if first.delta.Tasks == 0 {
			why = "but no task was judged with both"
		}
		text = fmt.Sprintf("It can't be told whether %s%s or %s%s is better: they fixed %s and %s, %s",
			s.best.called(), r.isBaseline(s.best), first.called(), r.isBaseline(first.Model), r.share(s.best),
			r.share(first.Model), why)
	} else {
		text = fmt.Sprintf("It can't be told which of %s is best: "+
			"they fixed %s to %s, and chance alone may do that (%s or more)",
			r.named(s.best, tied), number.Percent(tied[len(tied)-1].Rate), number.Percent(s.best.Rate),
			number.P(leastP(tied)))
	}
	return text + "; " + r.wouldTell(s, first) + r.cheapest(s.best, tied) + r.beaten(s.best) + "."
}

// equals is about models of one rate.
func (r wording) equals(s standing, tied []rival) string {
	who := fmt.Sprintf("%s and %s both", s.best.called(), tied[0].called())
	if len(tied) > 1 {
		who = r.named(s.best, tied) + " all"
	}
	did := "fixed " + r.share(s.best)
	if s.best.Fail == 0 && !slices.ContainsFunc(tied, func(v rival) bool { return v.Fail > 0 }) {
		did = "fixed every task"
	}
	return fmt.Sprintf("It can't be told who is best: %s %s; %s%s%s.", who, did, r.wouldTell(s, tied[0]),
		r.cheapest(s.best, tied), r.beaten(s.best))
}

func leastP(tied []rival) float64 {
	p := math.Inf(1)
	for _, v := range tied {
		if !math.IsNaN(v.delta.P) {
			p = min(p, v.delta.P)
		}
	}
	if math.IsInf(p, 1) {
		return math.NaN()
	}
	return p
}

// mostTasks is where a number of tasks says no more than that they are many.
const mostTasks = 10_000

// wouldTell says how many tasks would tell two models apart.
func (r wording) wouldTell(s standing, v rival) string {
	n, assumed := r.tellingTasks(s.best.Name, v.Name, s.level)
	many := fmt.Sprintf("about %.0f tasks", roundUp(n))
	if n > mostTasks {
		many = fmt.Sprintf("more than %d tasks", mostTasks)
	}
	if k := r.Repeats(); k > 1 {
		many += fmt.Sprintf(" of %d trials each", k)
	}
	if assumed {
		return fmt.Sprintf("%s would show a difference of %.0f points", many, 100*assumedDifference)
	}
	return many + " would tell, if they go on like this"
}

// roundUp keeps two figures of what is only about right.
func roundUp(n float64) float64 {
	unit := 1.0
	for n/unit > 100 {
		unit *= 10
	}
	return math.Ceil(n/unit) * unit
}

// named lists the best model and those it is not told from.
func (r wording) named(best Model, tied []rival) string {
	const most = 3
	names := []string{best.called() + r.isBaseline(best)}
	for _, v := range tied {
		names = append(names, v.called()+r.isBaseline(v.Model))
	}
	if over := len(names) - most; over > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", over))
	}
	return and(names)
}

// cheapest says which of the models costs least a fix.
func (r wording) cheapest(best Model, tied []rival) string {
	models := []Model{best}
	for _, v := range tied {
		models = append(models, v.Model)
	}
	models = slices.DeleteFunc(models, func(m Model) bool { return r.control(m.Name) || m.Pass == 0 })
	known := slices.DeleteFunc(slices.Clone(models), func(m Model) bool { return m.CostPerFixUSD == nil })
	switch {
	case len(models) == 0:
		return ""
	case len(known) == 0:
		return "; what a fix costs is not known"
	}
	slices.SortStableFunc(known, func(a, b Model) int { return cmp.Compare(*a.CostPerFixUSD, *b.CostPerFixUSD) })
	least, most := number.Money(known[0].CostPerFixUSD), number.Money(known[len(known)-1].CostPerFixUSD)
	switch {
	case len(models) == 1 && len(tied) == 1:
		return fmt.Sprintf("; a fix by %s cost %s", known[0].called(), least)
	case len(known) == 1 && len(models) == 2:
		other := models[0]
		if other.Name == known[0].Name {
			other = models[1]
		}
		return fmt.Sprintf("; a fix by %s cost %s, what one by %s cost is not known", known[0].called(), least,
			other.called())
	case len(known) < len(models):
		return fmt.Sprintf("; of those whose cost is known %s is cheapest, at %s a fix", known[0].called(), least)
	case least == most:
		return "; a fix cost " + least + " with each"
	case len(known) == 2:
		return fmt.Sprintf("; %s is cheaper, at %s a fix against %s", known[0].called(), least, most)
	}
	return fmt.Sprintf("; %s is cheapest, at %s a fix", known[0].called(), least)
}

// atPrice says what a fix cost.
func atPrice(m Model) string {
	if m.CostPerFixUSD == nil {
		return "at a price that is not known"
	}
	return "at " + number.Money(m.CostPerFixUSD) + " a fix"
}

// share says how much a model fixed.
func (r wording) share(m Model) string {
	what := "tasks"
	if r.Repeats() > 1 {
		what = "trials"
	}
	if m.Judged() == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("%s (%d of %d %s)", number.Percent(m.Rate), m.Pass, m.Judged(), what)
}

// called is a model's name, shortened where it would hide the sentence.
func (m Model) called() string { return text.Middle(text.Visible(m.Name), NameMax) }

// and joins a list as people do.
func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// NameMax is how many columns the name of a contestant may take at most.
const NameMax = 60
