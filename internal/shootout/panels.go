package shootout

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/live/panes"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// panels are the models of the last task, one a panel, by the names that may be
// shown.
type panels struct {
	session *session.Session
	panes   *panes.Panes
	working bool   // models began, and their end was not told yet
	seen    uint64 // the state of the board that was shown last
}

// look takes a newer view of the board, if there is one.
func (p *panels) look() {
	if n := p.session.Board().Changed(); n != p.seen {
		p.seen = n
		p.panes.Look(shuffled(p.session, p.session.Board().Look()))
	}
}

// focused is the model that keys act on; "": there is none.
func (p *panels) focused() string {
	if l := p.panes.Focus(); l != nil {
		return l.Model
	}
	return ""
}

func (p *panels) name(model string) string { return Alias(p.session, model) }

// hidden reports whether the names of the last turn are hidden.
func (p *panels) hidden() bool { return Hidden(p.session) }

// model is the one that an argument names, without one that in focus.
func (p *panels) model(arg string) (string, error) {
	if arg == "" && p.focused() != "" {
		return p.focused(), nil
	}
	return p.modelNamed(arg)
}

// modelNamed finds a model by its name, a part of it, or its number.
func (p *panels) modelNamed(text string) (string, error) {
	var models []string
	for _, m := range p.panes.View().Models {
		if len(m.Lanes) > 0 {
			models = append(models, m.Lanes[0].Model)
		}
	}
	if len(models) == 0 {
		models, _ = p.session.Models()
	}
	if !p.hidden() {
		return chooseModel(models, text)
	}
	aliases := make([]string, len(models))
	for i := range models {
		aliases[i] = hiddenName(i)
		if alias := strings.TrimPrefix(aliases[i], "model "); strings.EqualFold(alias, text) ||
			strings.EqualFold(aliases[i], text) {
			return models[i], nil
		}
	}
	return "", fmt.Errorf("%q is none of %s: names are hidden until you pick", text, strings.Join(aliases, ", "))
}

// chooseModel finds the model that a text means: its name, its number in the list (from 1),
// or a part of the name that only one has.
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

// facts are what helps to judge a model: how it ended, time, cost, verdicts.
func (p *panels) facts(model string) []fact {
	l, _, _, err := p.session.Lane(model)
	if err != nil || l.Outcome == nil {
		return nil
	}
	word, style := draw.Status(l)
	o := l.Outcome
	words := fmt.Sprintf("%s · %s · %.1fs · %s tokens", word, text.Count(o.Steps, "step"), o.Seconds.Agent,
		draw.Tokens(l.Input+l.Output))
	if !p.hidden() {
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
