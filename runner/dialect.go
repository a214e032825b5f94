package runner

import (
	"fmt"

	"cookoff/model"
)

// dialect is how a model is spoken to.
type dialect struct {
	budget int // tokens of a conversation
}

func (r *Runner) dialect(id string) dialect {
	return dialect{budget: assumedBudget}
}

// aside is something that neither the task nor a tool says: a reminder, what a
// hook adds.
type aside struct{ tag, text string }

// mention says an aside before the next request: between a reply and the
// results of its calls nothing may stand.
func (l *loop) mention(tag, text string) {
	if text != "" {
		l.asides = append(l.asides, aside{tag, text})
	}
}

// interject appends the asides.
func (l *loop) interject() {
	for _, a := range l.asides {
		l.push(model.Message{Role: model.User, Content: fmt.Sprintf("<%s>\n%s\n</%s>", a.tag, a.text, a.tag)})
	}
	l.asides = nil
}
