package shootout

import (
	"context"
	"fmt"
	"strings"

	"cookoff/internal/shootout/diffs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/text"
)

// judging shows what models left, keeps the user's choice, and applies a change.
type judging struct {
	*front
	*panels
	preferences string // file of the user's choices
}

// diff shows what a model left.
func (g *judging) diff(model string) {
	g.beside("reading what "+g.name(model)+" left", func(context.Context) func() {
		final, err := g.s.Final(model)
		if err != nil {
			return func() { g.over = message("no diff of "+g.name(model), err.Error()) }
		}
		files := diffs.Of(final)
		return func() { g.over = diffPage("diff of "+g.name(model)+": "+diffs.Stat(files), files, g.facts(model)) }
	})
}

// compare shows what two models left, side by side: the one in focus and
// another, which tab changes.
func (g *judging) compare() {
	left := g.focused()
	var others []string
	for _, m := range g.panes.View().Models {
		if len(m.Lanes) > 0 && m.Lanes[0].Model != left {
			others = append(others, m.Lanes[0].Model)
		}
	}
	if len(others) == 0 {
		g.status = "there is no other model to compare with"
		return
	}
	g.compareWith(left, others, 0)
}

// compareWith shows what a model left beside that of others[at].
func (g *judging) compareWith(left string, others []string, at int) {
	right := others[at]
	title := g.name(left) + "  |  " + g.name(right)
	g.beside("comparing what they left", func(context.Context) func() {
		var pairs []diffs.Pair
		l, err := g.s.Final(left)
		r, err2 := g.s.Final(right)
		switch {
		case err != nil:
			title = g.name(left) + ": " + err.Error()
		case err2 != nil:
			title = g.name(right) + ": " + err2.Error()
		default:
			pairs = diffs.Beside(l, r)
		}
		return func() {
			g.over = besidePage(title, pairs)
			g.over.other = func(by int) { g.compareWith(left, others, (at+by+len(others))%len(others)) }
		}
	})
}

// judge begins to judge a turn.
func (g *judging) judge(name string) bool {
	var j session.Judgement
	switch name {
	case "w":
		j = session.Judgement{Choice: session.Winner, Winner: g.focused()}
	case "t":
		j.Choice = session.Tie
	case "x":
		j.Choice = session.AllBad
	default:
		return false
	}
	g.pick(j)
	return true
}

// pick asks for a note, writes the choice down, and offers to apply it.
func (g *judging) pick(j session.Judgement) {
	word := map[session.Choice]string{session.Winner: g.name(j.Winner) + " wins", session.Tie: "a tie",
		session.AllBad: "all bad"}[j.Choice]
	note := new(string)
	g.question = &question{text: word + ". A note why, if you like (enter goes on, esc takes it back):", line: note,
		enter: func(line string) {
			j.Note = strings.TrimSpace(line)
			g.keep(j, word)
		}}
}

// keep writes a choice down, and offers to apply the winner's change.
func (g *judging) keep(j session.Judgement, word string) {
	g.written("writing the choice down", func() func() {
		err := g.s.Pick(j, g.preferences)
		return func() {
			switch {
			case err != nil:
				g.over = message("the choice is not kept", err.Error())
			case j.Choice == session.Winner:
				g.status = word
				g.apply(j.Winner)
			default:
				g.status, g.typing = word, true
			}
		}
	})
}

// apply asks whether a model's change is to be brought into the project.
func (g *judging) apply(model string) {
	g.beside("looking what applying would change", func(ctx context.Context) func() {
		p, err := g.s.Application(ctx, model)
		return func() { g.offer(model, p, err) }
	})
}

// offer asks whether an application is to be carried out.
func (g *judging) offer(model string, p *session.Application, err error) {
	switch {
	case err != nil:
		g.over = message("the change of "+g.name(model)+" can't be applied", err.Error())
		return
	case len(p.Conflicts) > 0:
		g.over = message("the change does not fit what you have now; nothing was written", conflictText(p))
		return
	case len(p.Actions) == 0:
		g.status = g.name(model) + " left nothing to apply"
		g.typing = true
		return
	}
	words := fmt.Sprintf("Apply the change of %s to this project? %s", g.name(model),
		text.Count(len(p.Actions), "file"))
	if len(p.Unsaved) > 0 {
		words += "; it would overwrite uncommitted work in " + strings.Join(p.Unsaved, ", ")
	}
	g.question = &question{text: words, keys: []draw.Key{{Key: "y", Does: "apply"},
		{Key: "n", Does: "not now (a asks again)"}, {Key: "d", Does: "diff"}}, on: func(key string) bool {
		switch key {
		case "y":
			g.carry(p)
		case "n", "esc":
			g.typing = true
		case "d":
			g.diff(model)
			return false
		default:
			return false
		}
		return true
	}}
}

// carry applies a change.
func (g *judging) carry(p *session.Application) {
	g.written("writing "+text.Count(len(p.Actions), "file"), func() func() {
		err := g.s.Carry(p)
		return func() {
			if err != nil {
				g.over = message("the change was not applied", err.Error())
				return
			}
			g.status = text.Count(len(p.Actions), "file") + " written; /rewind takes it back"
			g.typing = true
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
