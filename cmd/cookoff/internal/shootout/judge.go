package shootout

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/cmd/cookoff/internal/shootout/diffs"
	"cookoff/cmd/cookoff/internal/shootout/draw"
	"cookoff/cmd/cookoff/internal/shootout/session"
	"cookoff/trial"
)

// diff shows what a model left.
func (a *App) diff(model string) {
	final, err := a.s.Final(model)
	if err != nil {
		a.over = message("no diff of "+a.name(model), err.Error())
		return
	}
	files := diffs.Of(final)
	head := a.facts(model)
	o := painted("diff of "+a.name(model)+": "+diffs.Stat(files), nil)
	o.lines = func(s screen.Stream, width int) []string {
		out := verdictLines(s, head, width)
		for _, f := range files {
			for _, l := range f.Lines {
				out = append(out, diffs.Draw(s, l, width))
			}
		}
		return out
	}
	o.marks = func(int) (at []int) {
		n := len(head)
		for _, f := range files {
			at = append(at, n)
			n += len(f.Lines)
		}
		return at
	}
	a.over = o
}

// fact is a line on how a trial went.
type fact struct {
	text  string
	style screen.Style
}

// facts are what helps to judge a model: how it ended, time, cost, verdicts.
func (a *App) facts(model string) []fact {
	l, _, _, err := a.s.Lane(model)
	if err != nil || l.Outcome == nil {
		return nil
	}
	word, style := draw.Status(l)
	o := l.Outcome
	text := fmt.Sprintf("%s · %s · %.1fs · %s tokens", word, screen.Count(o.Steps, "step"), o.Seconds.Agent, draw.Tokens(l.Input+l.Output))
	if !a.hidden() {
		text += " · " + draw.Money(l)
	}
	out := []fact{{text, style}}
	for _, v := range o.Verdicts {
		mark, style := "✗ ", screen.Red
		switch v.Status {
		case trial.Held:
			mark, style = "✓ ", screen.Green
		case trial.Undecided:
			mark, style = "∅ ", screen.Yellow
		}
		text := mark + v.Check
		if v.Detail != "" {
			text += ": " + v.Detail
		}
		out = append(out, fact{screen.Clean(text), style})
	}
	return out
}

func verdictLines(s screen.Stream, facts []fact, width int) []string {
	var out []string
	for _, f := range facts {
		out = append(out, "  "+s.Paint(f.style, screen.Cut(f.text, max(width-2, 0))))
	}
	return out
}

// beside shows what two models left, side by side: the one in focus and
// another, which tab changes.
func (a *App) beside() {
	left := a.focused()
	var others []string
	for _, m := range a.panes.View().Models {
		if len(m.Lanes) > 0 && m.Lanes[0].Model != left {
			others = append(others, m.Lanes[0].Model)
		}
	}
	if len(others) == 0 {
		a.status = "there is no other model to compare with"
		return
	}
	at := 0
	o := painted("", nil)
	var pairs []diffs.Pair
	load := func() {
		right := others[at]
		o.title = a.name(left) + "  |  " + a.name(right)
		pairs = nil
		l, err := a.s.Final(left)
		r, err2 := a.s.Final(right)
		switch {
		case err != nil:
			o.title = a.name(left) + ": " + err.Error()
		case err2 != nil:
			o.title = a.name(right) + ": " + err2.Error()
		default:
			pairs = diffs.Beside(l, r)
		}
	}
	load()
	o.lines = func(s screen.Stream, width int) []string { return besideLines(s, pairs, width) }
	o.marks = func(width int) (marks []int) {
		n := 0
		for _, p := range pairs {
			marks = append(marks, n)
			n += 1 + max(len(p.Rows), 1)
		}
		return marks
	}
	o.other = func(by int) {
		at = (at + by + len(others)) % len(others)
		load()
	}
	a.over = o
}

func besideLines(s screen.Stream, pairs []diffs.Pair, width int) []string {
	half := (width - 3) / 2
	var out []string
	for _, p := range pairs {
		out = append(out, s.Paint(screen.Bold, screen.Fit(p.Path, width)))
		if p.Same {
			out = append(out, s.Paint(screen.Dim, screen.Fit("   both left it the same", width)))
			continue
		}
		for _, r := range p.Rows {
			line := ""
			for i, l := range []*diffs.Line{r.Left, r.Right} {
				if i == 1 {
					line += s.Paint(screen.Dim, " │ ")
				}
				if l == nil {
					line += strings.Repeat(" ", half)
				} else {
					line += diffs.Draw(s, *l, half)
				}
			}
			out = append(out, line)
		}
		if len(p.Rows) == 0 {
			out = append(out, s.Paint(screen.Dim, screen.Fit("   no text to compare", width)))
		}
	}
	if len(pairs) == 0 {
		out = append(out, "   neither changed anything")
	}
	return out
}

// pick asks for a note, writes the choice down, and offers to apply it.
func (a *App) pick(j session.Judgement) {
	word := map[session.Choice]string{session.Winner: a.name(j.Winner) + " wins", session.Tie: "a tie", session.AllBad: "all bad"}[j.Choice]
	note := new(string)
	a.question = &question{text: word + ". A note why, if you like (enter goes on, esc takes it back):", line: note, enter: func(line string) {
		j.Note = strings.TrimSpace(line)
		if err := a.s.Pick(j, a.host.Preferences); err != nil {
			a.over = message("the choice is not kept", err.Error())
			return
		}
		a.status = word
		if j.Choice == session.Winner {
			a.apply(j.Winner)
			return
		}
		a.typing = true
	}}
}

// apply asks whether a model's change is to be brought into the project.
func (a *App) apply(model string) {
	p, err := a.s.Application(a.ctx, model)
	switch {
	case err != nil:
		a.over = message("the change of "+a.name(model)+" can't be applied", err.Error())
		return
	case len(p.Conflicts) > 0:
		a.over = message("the change does not fit what you have now; nothing was written", conflictText(p))
		return
	case len(p.Actions) == 0:
		a.status = a.name(model) + " left nothing to apply"
		a.typing = true
		return
	}
	text := fmt.Sprintf("Apply the change of %s to this project? %s", a.name(model), screen.Count(len(p.Actions), "file"))
	if len(p.Unsaved) > 0 {
		text += "; it would overwrite uncommitted work in " + strings.Join(p.Unsaved, ", ")
	}
	a.question = &question{text: text, keys: []draw.Key{{Key: "y", Does: "apply"}, {Key: "n", Does: "not now (a asks again)"}, {Key: "d", Does: "diff"}}, on: func(key string) bool {
		switch key {
		case "y":
			if err := a.s.Carry(p); err != nil {
				a.over = message("the change was not applied", err.Error())
				return true
			}
			a.status = screen.Count(len(p.Actions), "file") + " written; /rewind takes it back"
			a.typing = true
		case "n", "esc":
			a.typing = true
		case "d":
			a.diff(model)
			return false
		default:
			return false
		}
		return true
	}}
}

func conflictText(p *session.Application) string {
	var b strings.Builder
	for _, c := range p.Conflicts {
		fmt.Fprintf(&b, "%s: %s\n", c.Path, c.Why)
	}
	b.WriteString("\nCommit or set your changes aside, then press a to try again.\n")
	return b.String()
}

// askPermission asks for what a recipe needs before its task is run.
func (a *App) askPermission(text string, wants []string) {
	a.question = &question{
		text: "The recipe wants: " + strings.Join(wants, ", ") + " (see cookoff help trust). Let it?",
		keys: []draw.Key{{Key: "y", Does: "in this task"}, {Key: "a", Does: "in this session"}, {Key: "n", Does: "do not run the task"}},
		on: func(key string) bool {
			switch key {
			case "y", "a":
				a.s.Allow(key == "y", wants...)
				a.next = a.start(text)
			case "n", "esc":
				a.prompt.Set(text)
			default:
				return false
			}
			return true
		},
	}
}

// modelNamed finds a model by its name, a part of it, or its number.
func (a *App) modelNamed(text string) (string, error) {
	var models []string
	for _, m := range a.panes.View().Models {
		if len(m.Lanes) > 0 {
			models = append(models, m.Lanes[0].Model)
		}
	}
	if len(models) == 0 {
		models, _ = a.s.Models()
	}
	if !a.hidden() {
		return chooseModel(models, text)
	}
	aliases := make([]string, len(models))
	for i := range models {
		aliases[i] = hiddenName(i)
		if alias := strings.TrimPrefix(aliases[i], "model "); strings.EqualFold(alias, text) || strings.EqualFold(aliases[i], text) {
			return models[i], nil
		}
	}
	return "", fmt.Errorf("%q is none of %s: names are hidden until you pick", text, strings.Join(aliases, ", "))
}

func chooseModel(models []string, text string) (string, error) {
	if slices.Contains(models, text) {
		return text, nil
	}
	var n int
	if _, err := fmt.Sscanf(text, "%d", &n); err == nil && n >= 1 && n <= len(models) && fmt.Sprint(n) == text {
		return models[n-1], nil
	}
	var hits, parts []string
	for _, m := range models {
		if strings.HasSuffix(m, "/"+text) {
			hits = append(hits, m)
		}
		if text != "" && strings.Contains(m, text) {
			parts = append(parts, m)
		}
	}
	if len(hits) == 0 {
		hits = parts
	}
	switch len(hits) {
	case 0:
		return "", fmt.Errorf("%q is none of the models: %s", text, strings.Join(models, ", "))
	case 1:
		return hits[0], nil
	}
	return "", fmt.Errorf("%q could be any of %s", text, strings.Join(hits, ", "))
}

var _ tea.Model = (*App)(nil)
