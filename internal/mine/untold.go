package mine

import (
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/sides"
	"cookoff/internal/mine/told"
)

// A message that says no more than that something was fixed leaves what fails to tell what is wanted. Where that says
// no more than that it fails, and the test can't be seen, nobody can know what it asks for.

// untold gives the tests of which nothing says what they ask for: neither what is told of the message, nor their names,
// nor what they print. fix and tests are the candidate's files. declares: the fix only declares what is new, so that tests
// that can't be built without it, and use nothing of that, ask for what is there.
func (w *writer) untold(said string, fix, tests []sides.Pair, code *lines.Code, declares bool) (out []string) {
	if w.Show || told.Message(said, namesIn(fix, tests)) {
		return nil
	}
	all := leaves(w.broken)
	for _, name := range all {
		part := func(other string) bool { return strings.HasPrefix(other, name+"/") }
		switch {
		case slices.Contains(w.failing.Hung, name), told.Name(name), slices.ContainsFunc(all, part):
		case slices.Contains(w.absent, name): // what is printed is of what is missing
			if uses, documented := w.uses(tests, name); !documented && (uses || !declares) {
				out = append(out, name)
			}
		case !told.Output(w.failing.Excerpt([]string{name}, code), name):
			out = append(out, name)
		}
	}
	return out
}

// uses reports whether a test uses something that the fix declares, and whether the prompt says what of it does; of one
// that isn't found, it does.
func (w *writer) uses(tests []sides.Pair, name string) (uses, documented bool) {
	found := false
	for _, p := range tests {
		body := told.Body(p.Now, name)
		found = found || body != ""
		for _, d := range w.declared {
			if strings.Contains(body, d.Name) {
				uses, documented = true, documented || d.Doc != ""
			}
		}
	}
	return uses, documented || !found
}

// namesIn are the words of which the names in files that a candidate changes are put together, and those of the files.
func namesIn(fix, tests []sides.Pair) map[string]bool {
	out := map[string]bool{}
	for _, p := range slices.Concat(fix, tests) {
		told.Words(out, p.Path)
	}
	for _, p := range fix {
		told.Words(out, p.Was)
	}
	return out
}

// Unsaid says what the tests ask for and nothing says, of names and texts and then of tests.
func (t *Task) Unsaid() string {
	list := slices.Clone(t.Vague)
	if len(t.Untold) > 0 {
		list = append(list, "what "+some(t.Untold)+map[bool]string{true: " asks for", false: " ask for"}[len(t.Untold) == 1])
	}
	return some(list)
}

// Unclear reports whether its tests ask for what nothing says.
func (t *Task) Unclear() bool { return len(t.Vague)+len(t.Untold) > 0 }
