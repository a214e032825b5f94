package html

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/trial"
)

// lost says with which call the attempt lost, and after which one each check held last:
// there and in its facts.
func (a *attempt) lost(l trial.Loss) {
	fact := func(name, text string) { a.loss = append(a.loss, [2]string{name, visibleLine(text)}) }
	if l.Move == nil {
		fact("losing move", "none: the solution still mends what it left")
	} else {
		fact("losing move", fmt.Sprintf("step %d, %s", l.Move.Step, l.Move.Tool))
		a.mark(*l.Move, "the losing move", true)
	}
	for _, o := range l.Once {
		if o.After == nil {
			fact("held last", o.Check+": at the start")
			continue
		}
		fact("held last", fmt.Sprintf("%s: after step %d, %s", o.Check, o.After.Step, o.After.Tool))
		a.mark(*o.After, o.Check+" held last after it", false)
	}
	if text := l.Confidence(); text != "" {
		fact("confidence", text)
	}
}

// mark says something of the entry of a move.
func (a *attempt) mark(m trial.Move, what string, bad bool) {
	for i := range slices.Backward(a.entries) {
		e := &a.entries[i]
		if e.Kind == call && e.Step == m.Step && e.Who == m.Tool && strings.Contains(e.Text, firstLine(m.Command())) {
			e.Facts, e.Bad = strings.TrimPrefix(e.Facts+" · "+visibleLine(what), " · "), e.Bad || bad
			return
		}
	}
}

// firstLine is what of a command stands in the text of its call, too: up to what is
// quoted or escaped there.
func firstLine(command string) string {
	if i := strings.IndexAny(command, "\\\"…\n"); i >= 0 {
		command = command[:i]
	}
	return strings.TrimSpace(command)
}
