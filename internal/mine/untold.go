package mine

import (
	"slices"
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/sides"
	"cookoff/internal/mine/told"
)

// A message that says no more than that something was fixed leaves what fails to tell what is wanted. Where that says
// no more than that it fails, and the test can't be seen, nobody can know what it asks for.

// untold gives the tests of which nothing says what they ask for: neither what is told of the message, nor their names,
// nor what they print, as bare ones do. fix and tests are the candidate's files. declares: the fix only declares what
// is new, so that tests that can't be built without it, and use nothing of that, ask for what is there.
func (w *writer) untold(said string, bare []string, fix, tests []sides.Pair, declares bool) (out []string) {
	if told.Message(said, namesIn(fix, tests)) {
		return nil
	}
	for _, name := range bare {
		if told.Name(name) {
			continue
		}
		uses, documented := false, false
		if slices.Contains(w.absent, name) {
			uses, documented = w.uses(tests, name)
		}
		if !documented && (uses || !declares || !slices.Contains(w.absent, name)) {
			out = append(out, name)
		}
	}
	return out
}

// maxUntold is of how many tests is looked at what they print: a run may print much, and fail in thousands.
const maxUntold = 16

// untoldTests gives the tests that say no more than that they fail, those that can't be built without the fix among
// them: what is printed is of what is missing. Where models see the tests, none does.
func (w *writer) untoldTests(code *lines.Code) []string { return w.silent(code, told.Output) }

// silent gives the tests that end, and of whose output says does not hold, those that can't be built among them.
func (w *writer) silent(code *lines.Code, says func(output, name string) bool) []string {
	if w.Show {
		return nil
	}
	all := leaves(w.broken)
	return slices.DeleteFunc(slices.Clone(all[:min(len(all), maxUntold)]), func(name string) bool {
		part := func(other string) bool { return strings.HasPrefix(other, name+"/") }
		return slices.Contains(w.failing.Hung, name) || slices.ContainsFunc(all, part) ||
			!slices.Contains(w.absent, name) && says(w.saidBy(name, code), name)
	})
}

// unshown gives the tests that may ask for more than they print: those that print no value, crash, or can't be built.
func (w *writer) unshown(code *lines.Code) []string {
	return w.silent(code, func(output, name string) bool { return told.Shows(output, name) && !told.Crashes(output) })
}

// values gives the texts and numbers, however short, that tests which print no value have in common
// with the fix, and that neither their names nor what is told of the message says.
func (w *writer) values(said string, bare []string, fix, tests []sides.Pair) (out []string) {
	said += "\n" + strings.Join(bare, "\n")
	var bodies []sides.Pair // of each of these tests
	for _, name := range bare {
		for _, p := range tests {
			if body := told.Body(p.Now, name); body != "" && !slices.Contains(w.absent, name) {
				bodies = append(bodies, sides.Pair{Path: p.Path, Now: body})
			}
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	for _, p := range fix {
		added, gone := strings.Join(lines.Added(p.Was, p.Now), "\n"), strings.Join(lines.Added(p.Now, p.Was), "\n")
		for _, b := range bodies {
			for _, v := range lines.Values(kind.Language(p.Path), added, gone, kind.Language(b.Path), b.Now) {
				if !lines.Says(said, v) && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// composites gives the texts that a fix puts together of what it brings, and that tests demand without printing it:
// names are those that may. said is all that models are told.
func (w *writer) composites(said string, names []string, fix, tests []sides.Pair) (out []string) {
	said += "\n" + strings.Join(names, "\n")
	for _, name := range names {
		for _, t := range tests {
			body := told.Body(t.Now, name)
			for _, p := range fix {
				added, gone := strings.Join(lines.Added(p.Was, p.Now), "\n"), strings.Join(lines.Added(p.Now, p.Was), "\n")
				for _, c := range lines.Composites(kind.Language(p.Path), added, gone, kind.Language(t.Path), body) {
					known := func(p sides.Pair) bool { return c.Known(kind.Language(p.Path), p.Was) }
					if !c.Said(said) && !slices.Contains(out, c.Text) && !slices.ContainsFunc(fix, known) &&
						!slices.ContainsFunc(tests, known) {
						out = append(out, c.Text)
					}
				}
			}
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
