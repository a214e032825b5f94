package shootout

import (
	"context"
	"fmt"
	"strings"

	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// tasks checks what was typed as a task, and lets the models begin.
type tasks struct {
	*front
	*panels
	wants func(r *recipe.Recipe) []string // the permissions that a person has to give
	costs func(model string) bool         // whether asking a model may cost money; nil: none does
}

// start checks a task and lets the models work on it. A word alone is asked
// about before it is paid for.
func (t *tasks) start(text string) {
	if t.s.Running() {
		t.prompt.Set(text)
		t.status = "a task is under way: esc stops a model, ctrl+c all"
		return
	}
	if paid := t.paid(); len(strings.Fields(text)) == 1 && len(paid) > 0 {
		t.askWord(text, paid)
		return
	}
	t.check(text)
}

// paid gives the models that take part and that may cost something.
func (t *tasks) paid() (out []string) {
	names, on := t.s.Models()
	for i, m := range names {
		if on[i] && t.costs != nil && t.costs(m) {
			out = append(out, m)
		}
	}
	return out
}

// askWord asks whether a task of one word is meant: it may be what is left of a
// key, or a command without its slash.
func (t *tasks) askWord(words string, paid []string) {
	t.question = &question{
		text: fmt.Sprintf("Send the one word %q as a task to %s? It may cost money.", words,
			text.Count(len(paid), "model")),
		keys: []draw.Key{{Key: "y", Does: "send it"}, {Key: "n", Does: "back to the text"}},
		on: func(key string) bool {
			switch key {
			case "y":
				t.check(words)
			case "n", "esc", "ctrl+c":
				t.prompt.Set(words)
				t.typing = true
			default:
				return false
			}
			return true
		},
	}
}

// check checks a task beside the screen, and lets the models begin. What the
// recipe needs a person's permission for is asked first.
func (t *tasks) check(text string) {
	r := t.s.Recipe()
	w := t.beside("checking the task", func(ctx context.Context) func() {
		if wants := t.s.Missing(t.wants(r)); len(wants) > 0 {
			return func() { t.askPermission(text, wants) }
		}
		return t.showStart(t.s.Start(ctx, text), text)
	})
	w.text, w.say = text, t.s.Doing
}

// askPermission asks for what a recipe needs before its task is run.
func (t *tasks) askPermission(text string, wants []string) {
	t.question = &question{
		text: "The recipe wants: " + strings.Join(wants, ", ") + " (see cookoff help trust). Let it?",
		keys: []draw.Key{{Key: "y", Does: "in this task"}, {Key: "a", Does: "in this session"},
			{Key: "n", Does: "do not run the task"}},
		on: func(key string) bool {
			switch key {
			case "y", "a":
				t.s.Allow(key == "y", wants...)
				t.check(text)
			case "n", "esc":
				t.prompt.Set(text)
			default:
				return false
			}
			return true
		},
	}
}

// retry tries the last task again.
func (t *tasks) retry() {
	t.beside("checking the task", func(ctx context.Context) func() {
		return t.showStart(t.s.Retry(ctx), "")
	}).say = t.s.Doing
}

// showStart shows that models began, or why they did not.
func (t *tasks) showStart(err error, text string) func() {
	return func() {
		if err != nil {
			t.prompt.Set(text)
			t.over = message("the task was not run", err.Error())
			return
		}
		t.typing, t.asked, t.status = false, false, ""
		t.panes.State.Panes, t.panes.State.Focus = freshPanes(), 0
		t.working = true
		t.look()
	}
}

// finished says how a turn ended and what can be done now.
func (t *tasks) finished(err error) {
	t.working = false
	t.look()
	switch {
	case err != nil:
		t.page(message("the run could not go on", err.Error()))
	case t.s.Noticed() != nil:
		t.page(message("the session is not whole on disk", t.s.Noticed().Error()))
	}
}
