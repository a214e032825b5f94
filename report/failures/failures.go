// Package failures groups trials that failed: by cause, by the check that did not
// hold, by what that check said, and by the move with which each trial lost. It
// goes by rule; no model judges.
package failures

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/trial"
)

// Failure is a trial that failed.
type Failure struct {
	Trial   trial.Trial
	Outcome trial.Outcome
	Loss    *trial.Loss // nil: nobody looked for it
}

// By says what the trials of a group have in common.
type By string

// What trials may have in common.
const (
	ByCause By = "cause" // of the outcome
	ByCheck By = "check" // the first that did not hold
	BySays  By = "says"  // what that check printed last
	ByMove  By = "move"  // the losing move: its tool and file, or its program
)

// Group are trials of a contestant that failed alike.
type Group struct {
	Model  string   `json:"model"`
	By     By       `json:"by"`
	What   string   `json:"what"`
	Trials []string `json:"trials"` // their ids, in plan order
	Of     int      `json:"of"`     // failures of the contestant
}

// Groups gives the groups of each contestant, in the order in which contestants come
// first; within a contestant by what is shared, the largest first. A trial is in one
// group of each kind at most.
func Groups(list []Failure) []Group {
	var out []Group
	var models []string
	of := map[string][]Failure{}
	for _, f := range list {
		if of[f.Trial.Model] == nil {
			models = append(models, f.Trial.Model)
		}
		of[f.Trial.Model] = append(of[f.Trial.Model], f)
	}
	for _, m := range models {
		for _, by := range []By{ByMove, ByCause, ByCheck, BySays} {
			out = append(out, grouped(m, by, of[m])...)
		}
	}
	return out
}

// grouped groups the failures of a contestant by one thing.
func grouped(model string, by By, list []Failure) []Group {
	var out []Group
	for _, f := range list {
		what := f.what(by)
		if what == "" {
			continue
		}
		i := slices.IndexFunc(out, func(g Group) bool { return g.What == what })
		if i < 0 {
			i = len(out)
			out = append(out, Group{Model: model, By: by, What: what, Of: len(list)})
		}
		out[i].Trials = append(out[i].Trials, f.Trial.ID)
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(len(b.Trials), len(a.Trials)) })
	return out
}

// what gives what a failure shares with others; "": nothing.
func (f Failure) what(by By) string {
	v := f.check()
	switch {
	case by == ByCause:
		return string(f.Outcome.Cause)
	case by == ByCheck && v != nil:
		return v.Check
	case by == BySays && v != nil:
		return signature(v)
	case by == ByMove && f.Loss != nil && f.Loss.Move != nil:
		return moveWords(*f.Loss.Move)
	case by == ByMove && f.Loss != nil && f.Loss.Unknown == "":
		return "no losing move: the solution still mends what it left"
	}
	return ""
}

// check gives the first check that did not hold; nil: none.
func (f Failure) check() *trial.Verdict {
	for i, v := range f.Outcome.Verdicts {
		if v.Status == trial.NotHeld {
			return &f.Outcome.Verdicts[i]
		}
	}
	return nil
}

// moveWords says what a move does, in words that others of its kind share.
func moveWords(m trial.Move) string {
	kind := kindWords(m)
	switch {
	case kind != "":
		return kind
	case len(m.Paths) == 1:
		return fmt.Sprintf("%s changes %s", m.Tool, m.Paths[0])
	case len(m.Paths) > 1:
		return fmt.Sprintf("%s changes files in %s", m.Tool, common(m.Paths))
	}
	words := strings.Fields(m.Command())
	for len(words) > 0 && strings.Contains(words[0], "=") { // VAR=value
		words = words[1:]
	}
	if len(words) > 2 {
		words = words[:2]
	}
	return strings.TrimSpace(m.Tool + " " + strings.Join(words, " "))
}

// common gives the directory that all paths lie in.
func common(paths []string) string {
	dir := path.Dir(paths[0])
	for _, p := range paths[1:] {
		for dir != "." && dir != "/" && !strings.HasPrefix(p, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	if dir == "." {
		return "several directories"
	}
	return dir
}

// What differs between errors of one kind.
var passing = []struct {
	is   *pattern.Pattern
	word string
}{
	{pattern.New(`"[^"]*"|'[^']*'`), "…"},
	{pattern.New(`\b(0x)?[0-9a-f]{7,64}\b`), "N"},
	{pattern.New(`\d+([.,:]\d+)*`), "N"},
	{pattern.New(`[ \t]+`), " "},
}

// maxSignature bounds a signature, in runes.
const maxSignature = 90

// signature is the last line that a check printed, without what differs each time;
// "": it printed nothing.
func signature(v *trial.Verdict) string {
	if v.Evidence == nil {
		return ""
	}
	text := strings.TrimSpace(cmp.Or(strings.TrimSpace(v.Evidence.Stderr), v.Evidence.Tail))
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	for _, p := range passing {
		line = p.is.ReplaceAllString(line, p.word)
	}
	if r := []rune(line); len(r) > maxSignature {
		line = string(r[:maxSignature]) + "…"
	}
	return line
}

// Sentence says a group in one line.
func (g Group) Sentence() string {
	what := map[By]string{ByMove: g.What, ByCause: "cause " + g.What, ByCheck: g.What + " does not hold",
		BySays: "a check says: " + g.What}[g.By]
	return fmt.Sprintf("%d of %d: %s", len(g.Trials), g.Of, what)
}
