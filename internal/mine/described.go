package mine

import (
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/prompt"
)

// Clean gives of a description of a task what models may be told: without sentences that
// name what only the fix has. why says why nothing of it may be told.
func (t *Task) Clean(text string) (clean, why string) {
	fresh := map[string]bool{}
	for _, w := range t.New {
		fresh[w] = !slices.ContainsFunc(t.Vague, func(v string) bool { return v == w }) // the tests ask for it
	}
	for _, l := range t.Secret {
		if strings.Contains(text, l) {
			return "", "it holds a line of the fix"
		}
	}
	if clean = prompt.Symptom(text, fresh, lines.OfPatch(patches.InScript(t.Recipe.Solution))); clean == "" {
		return "", "nothing is left of it without what only the fix has"
	}
	return clean, ""
}

// Describe has the prompt begin with other words than those of the commit's message.
// What the tests ask for and the words say is no longer vague; nor is a test of which nothing said what it asks for.
func (t *Task) Describe(text string) {
	t.Recipe.Prompt = text + "\n\n" + strings.TrimPrefix(t.Recipe.Prompt, t.FromMessage+"\n\n")
	t.FromMessage = text
	t.Vague = slices.DeleteFunc(t.Vague, func(v string) bool { return strings.Contains(text, v) })
	t.Untold = nil
	if len(t.Vague) == 0 {
		t.Recipe.Tags = slices.DeleteFunc(t.Recipe.Tags, func(tag string) bool { return tag == underspecified })
	}
}

// underspecified is the tag of tasks whose tests ask for what nothing says.
const underspecified = "underspecified"
