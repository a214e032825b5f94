package lessons

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/verdict"
)

// Store keeps the tests of all checks of a task. It is safe for concurrent use.
type Store struct {
	mu    sync.Mutex
	tests map[string]*Tests
	held  []string // checks that held on the broken state
}

// New knows nothing yet.
func New() *Store { return &Store{tests: map[string]*Tests{}} }

// HeldAtStart reports whether a check held on the broken state. False: it did
// not, or nobody asked.
func (l *Store) HeldAtStart(check string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.held, check)
}

// AtStart takes what the checks said on the broken state.
func (l *Store) AtStart(vs []trial.Verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = nil
	for _, v := range vs {
		if v.Status == trial.Held && (verdict.KindOf(v) == trial.KindAfter ||
			verdict.KindOf(v) == trial.KindCriterion) {
			l.held = append(l.held, v.Check)
		}
	}
}

func testKey(check string, i int) string { return fmt.Sprintf("%s %d", check, i) }

// Of gives what is known of a check's i-th test command, nil where nothing is.
func (l *Store) Of(check string, i int) *Tests {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tests[testKey(check, i)]
}

// Set keeps what is known of a check's i-th test command.
func (l *Store) Set(check string, i int, k *Tests) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tests[testKey(check, i)] = k
}

// MadeByCheck reports whether a check makes this of a protected file by itself. Where
// that is learned, it does.
func (l *Store) MadeByCheck(check string, f sandbox.File, learns bool) bool {
	if l == nil || !f.Mode.IsRegular() || f.Sum == "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := "laid by " + check
	if learns && l.tests[key] == nil {
		l.tests[key] = &Tests{Laid: map[string]string{}}
	}
	if learns {
		l.tests[key].Laid[f.Path] = f.Sum
	}
	k := l.tests[key]
	return k != nil && k.Laid[f.Path] == f.Sum
}

// kept is what admission learned of a task, as they are kept.
type kept struct {
	Tests     map[string]*Tests `json:"tests,omitempty"`
	Footprint map[string]string `json:"footprint,omitempty"` // differences of the solutions, and their paths
	Traced    bool              `json:"traced,omitempty"`    // that is all of them
	Held      []string          `json:"held,omitempty"`      // checks that held on the broken state
}

// Keep gives what was learned of the tests of a task, and what its solutions touch, as text;
// nil where there is nothing. traced: that is all of it.
func (l *Store) Keep(touched map[string]string, traced bool) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := kept{l.tests, touched, traced, l.held}
	if len(all.Tests) == 0 && !all.Traced && len(all.Held) == 0 {
		return nil
	}
	text, err := json.Marshal(all.texts(toKept))
	if err != nil { // plain values always encode
		panic(err)
	}
	return text
}

// Restore takes what keep gave, and gives what the solutions touch.
func (l *Store) Restore(text []byte) (touched map[string]string, traced bool, err error) {
	all := kept{Tests: map[string]*Tests{}}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, false, err
	}
	all = all.texts(ofKept)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tests, l.held = all.Tests, all.Held
	return all.Footprint, all.Traced, nil
}

// Wrote reports whether it is known that a file is written on such an occasion.
// Where that is learned, it is.
func (l *Store) Wrote(when, p string, learns bool) bool {
	if l == nil {
		return learns
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := "written: " + when
	if learns && l.tests[key] == nil {
		l.tests[key] = &Tests{Laid: map[string]string{}}
	}
	if learns {
		l.tests[key].Laid[p] = "written"
	}
	k := l.tests[key]
	return k != nil && k.Laid[p] != ""
}
