package shootout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/diffs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// diff shows what a model left.
func (a *App) diff(model string) {
	a.beside("reading what "+a.name(model)+" left", func(context.Context) func() {
		final, err := a.s.Final(model)
		if err != nil {
			return func() { a.over = message("no diff of "+a.name(model), err.Error()) }
		}
		files := diffs.Of(final)
		return func() { a.over = diffPage("diff of "+a.name(model)+": "+diffs.Stat(files), files, a.facts(model)) }
	})
}

// diffPage is the page of a diff, with how the trial went above it.
func diffPage(title string, files []diffs.File, head []fact) *overlay {
	o := painted(title, nil)
	o.lines = func(s screen.Stream, width int) []string {
		out := verdictLines(s, head, width)
		for _, f := range files {
			for _, l := range f.Lines {
				out = append(out, diffs.Draw(s, l, width))
			}
		}
		return out
	}
	n := len(head)
	for _, f := range files {
		o.marks = append(o.marks, n)
		n += len(f.Lines)
		for _, l := range f.Lines {
			o.full = max(o.full, diffs.Lead+text.Width(l.Text))
		}
	}
	return o
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
	words := fmt.Sprintf("%s · %s · %.1fs · %s tokens", word, text.Count(o.Steps, "step"), o.Seconds.Agent,
		draw.Tokens(l.Input+l.Output))
	if !a.hidden() {
		words += " · " + draw.Money(l)
	}
	out := []fact{{words, style}}
	for _, v := range o.Verdicts {
		mark, style := "✗ ", screen.Red
		switch v.Status {
		case trial.Held:
			mark, style = "✓ ", screen.Green
		case trial.Undecided:
			mark, style = "∅ ", screen.Yellow
		}
		words := mark + v.Check
		if v.Detail != "" {
			words += ": " + v.Detail
		}
		out = append(out, fact{text.Line(words), style})
	}
	return out
}

func verdictLines(s screen.Stream, facts []fact, width int) []string {
	var out []string
	for _, f := range facts {
		out = append(out, "  "+s.Paint(f.style, text.Cut(f.text, max(width-2, 0))))
	}
	return out
}

// compare shows what two models left, side by side: the one in focus and
// another, which tab changes.
func (a *App) compare() {
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
	a.compareWith(left, others, 0)
}

// compareWith shows what a model left beside that of others[at].
func (a *App) compareWith(left string, others []string, at int) {
	right := others[at]
	title := a.name(left) + "  |  " + a.name(right)
	a.beside("comparing what they left", func(context.Context) func() {
		var pairs []diffs.Pair
		l, err := a.s.Final(left)
		r, err2 := a.s.Final(right)
		switch {
		case err != nil:
			title = a.name(left) + ": " + err.Error()
		case err2 != nil:
			title = a.name(right) + ": " + err2.Error()
		default:
			pairs = diffs.Beside(l, r)
		}
		return func() {
			a.over = besidePage(title, pairs)
			a.over.other = func(by int) { a.compareWith(left, others, (at+by+len(others))%len(others)) }
		}
	})
}

// besidePage is the page of two diffs beside each other.
func besidePage(title string, pairs []diffs.Pair) *overlay {
	o := painted(title, func(s screen.Stream, width int) []string { return besideLines(s, pairs, width) })
	n, widest := 0, 0
	for _, p := range pairs {
		o.marks = append(o.marks, n)
		n++
		if p.Same {
			n++
			continue
		}
		n += max(len(p.Rows), 1)
		for _, r := range p.Rows {
			for _, l := range []*diffs.Line{r.Left, r.Right} {
				if l != nil {
					widest = max(widest, diffs.Lead+text.Width(l.Text))
				}
			}
		}
	}
	o.full = 2*widest + 3
	return o
}

func besideLines(s screen.Stream, pairs []diffs.Pair, width int) []string {
	half := (width - 3) / 2
	var out []string
	for _, p := range pairs {
		out = append(out, s.Paint(screen.Bold, text.Fit(p.Path, width)))
		if p.Same {
			out = append(out, s.Paint(screen.Dim, text.Fit("   both left it the same", width)))
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
			out = append(out, s.Paint(screen.Dim, text.Fit("   no text to compare", width)))
		}
	}
	if len(pairs) == 0 {
		out = append(out, "   neither changed anything")
	}
	return out
}

// pick asks for a note, writes the choice down, and offers to apply it.
func (a *App) pick(j session.Judgement) {
	word := map[session.Choice]string{session.Winner: a.name(j.Winner) + " wins", session.Tie: "a tie",
		session.AllBad: "all bad"}[j.Choice]
	note := new(string)
	a.question = &question{text: word + ". A note why, if you like (enter goes on, esc takes it back):", line: note,
		enter: func(line string) {
			j.Note = strings.TrimSpace(line)
			a.keep(j, word)
		}}
}

// keep writes a choice down, and offers to apply the winner's change.
func (a *App) keep(j session.Judgement, word string) {
	a.written("writing the choice down", func() func() {
		err := a.s.Pick(j, a.host.Preferences)
		return func() {
			switch {
			case err != nil:
				a.over = message("the choice is not kept", err.Error())
			case j.Choice == session.Winner:
				a.status = word
				a.apply(j.Winner)
			default:
				a.status, a.typing = word, true
			}
		}
	})
}

// apply asks whether a model's change is to be brought into the project.
func (a *App) apply(model string) {
	a.beside("looking what applying would change", func(ctx context.Context) func() {
		p, err := a.s.Application(ctx, model)
		return func() { a.offer(model, p, err) }
	})
}

// offer asks whether an application is to be carried out.
func (a *App) offer(model string, p *session.Application, err error) {
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
	words := fmt.Sprintf("Apply the change of %s to this project? %s", a.name(model), text.Count(len(p.Actions), "file"))
	if len(p.Unsaved) > 0 {
		words += "; it would overwrite uncommitted work in " + strings.Join(p.Unsaved, ", ")
	}
	a.question = &question{text: words, keys: []draw.Key{{Key: "y", Does: "apply"},
		{Key: "n", Does: "not now (a asks again)"}, {Key: "d", Does: "diff"}}, on: func(key string) bool {
		switch key {
		case "y":
			a.carry(p)
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

// carry applies a change.
func (a *App) carry(p *session.Application) {
	a.written("writing "+text.Count(len(p.Actions), "file"), func() func() {
		err := a.s.Carry(p)
		return func() {
			if err != nil {
				a.over = message("the change was not applied", err.Error())
				return
			}
			a.status = text.Count(len(p.Actions), "file") + " written; /rewind takes it back"
			a.typing = true
		}
	})
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
		keys: []draw.Key{{Key: "y", Does: "in this task"}, {Key: "a", Does: "in this session"},
			{Key: "n", Does: "do not run the task"}},
		on: func(key string) bool {
			switch key {
			case "y", "a":
				a.s.Allow(key == "y", wants...)
				a.check(text)
			case "n", "esc":
				a.prompt.Set(text)
			default:
				return false
			}
			return true
		},
	}
}

// paid gives the models that take part and that may cost something.
func (a *App) paid() (out []string) {
	names, on := a.s.Models()
	for i, m := range names {
		if on[i] && a.host.Paid != nil && a.host.Paid(m) {
			out = append(out, m)
		}
	}
	return out
}

// askWord asks whether a task of one word is meant: it may be what is left of a
// key, or a command without its slash.
func (a *App) askWord(words string, paid []string) {
	a.question = &question{
		text: fmt.Sprintf("Send the one word %q as a task to %s? It may cost money.", words, text.Count(len(paid), "model")),
		keys: []draw.Key{{Key: "y", Does: "send it"}, {Key: "n", Does: "back to the text"}},
		on: func(key string) bool {
			switch key {
			case "y":
				a.check(words)
			case "n", "esc", "ctrl+c":
				a.prompt.Set(words)
				a.typing = true
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
		if alias := strings.TrimPrefix(aliases[i], "model "); strings.EqualFold(alias, text) || strings.EqualFold(aliases[i],
			text) {
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
