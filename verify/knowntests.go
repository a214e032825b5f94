package verify

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/testrun"
	"cookoff/verify/verdict"
)

// knownTests is what admission learned of one test command of a check.
type knownTests struct {
	Runner   string   `json:"runner"`
	Required []string `json:"required"` // names that must be there and pass
	Mended   []string `json:"mended"`   // those of them that failed at the start
	Marked   []string `json:"marked"`   // tests that print what they are made to
	Chosen   bool     `json:"chosen"`   // only some tests run, so that none can be added
	Works    bool     `json:"works"`    // planted tests did what they must
	Broken   bool     `json:"broken"`   // they did not, with the solution: there is no control
	Why      string   `json:"why,omitempty"`

	// Laid are the protected files that the check itself changes, with the sums
	// of what it makes of them.
	Laid map[string]string `json:"laid,omitempty"`
}

// leftOut says why there is no control; "": there may be one.
func (k *knownTests) leftOut() string {
	if k == nil || !k.Broken {
		return ""
	}
	return "with planted tests, on the state that the solution leaves: " + k.Why
}

// learned are the tests of all checks of a task. It is safe for concurrent use.
type learned struct {
	mu    sync.Mutex
	tests map[string]*knownTests
	held  []string // checks that held on the broken state
}

func newLearned() *learned { return &learned{tests: map[string]*knownTests{}} }

// heldAtStart reports whether a check held on the broken state. False: it did
// not, or nobody asked.
func (l *learned) heldAtStart(check string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.held, check)
}

// atStart takes what the checks said on the broken state.
func (l *learned) atStart(vs []trial.Verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = nil
	for _, v := range vs {
		if v.Status == trial.Held && (verdict.KindOf(v) == trial.KindAfter || verdict.KindOf(v) == trial.KindCriterion) {
			l.held = append(l.held, v.Check)
		}
	}
}

func testKey(check string, i int) string { return fmt.Sprintf("%s %d", check, i) }

// of gives what is known of a check's i-th test command, nil where nothing is.
func (l *learned) of(check string, i int) *knownTests {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tests[testKey(check, i)]
}

func (l *learned) set(check string, i int, k *knownTests) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tests[testKey(check, i)] = k
}

// laid reports whether a check makes this of a protected file by itself. Where
// that is learned, it does.
func (l *learned) laid(check string, f sandbox.File, learns bool) bool {
	if l == nil || !f.Mode.IsRegular() || f.Sum == "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := "laid by " + check
	if learns && l.tests[key] == nil {
		l.tests[key] = &knownTests{Laid: map[string]string{}}
	}
	if learns {
		l.tests[key].Laid[f.Path] = f.Sum
	}
	k := l.tests[key]
	return k != nil && k.Laid[f.Path] == f.Sum
}

// lessons are what admission learned of a task, as they are kept.
type lessons struct {
	Tests     map[string]*knownTests `json:"tests,omitempty"`
	Footprint map[string]string      `json:"footprint,omitempty"` // deeds of the solutions, and their paths
	Traced    bool                   `json:"traced,omitempty"`    // that is all of them
	Held      []string               `json:"held,omitempty"`      // checks that held on the broken state
}

// swap draws whether a test that is there must fail in the control, and which;
// "": none. Half of the time it is one that failed at the start.
func (k *knownTests) swap(draw *rand.Rand) string {
	if k == nil || !k.Works || !k.Chosen && draw.IntN(2) == 0 {
		return ""
	}
	from := k.Marked
	if mended := both(k.Marked, k.Mended); len(mended) > 0 && draw.IntN(2) == 0 {
		from = mended
	}
	if len(from) == 0 {
		return ""
	}
	return k.shortName(from[draw.IntN(len(from))])
}

func (k *knownTests) passedAtStart(name string) bool {
	return k != nil && slices.Contains(k.Required, name) && !slices.Contains(k.Mended, name)
}

func (k *knownTests) shortName(name string) string {
	for _, r := range testrun.Runners() {
		if r.Name == k.Runner {
			return r.Short(name)
		}
	}
	return name
}

// both gives the names that are in two lists.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// keep gives what was learned of the tests of a task, and what its solutions touch, as text;
// nil where there is nothing. traced: that is all of it.
func (l *learned) keep(touched map[string]string, traced bool) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := lessons{l.tests, touched, traced, l.held}
	if len(all.Tests) == 0 && !all.Traced && len(all.Held) == 0 {
		return nil
	}
	text, err := json.Marshal(all.texts(toKept))
	if err != nil { // plain values always encode
		panic(err)
	}
	return text
}

// restore takes what keep gave, and gives what the solutions touch.
func (l *learned) restore(text []byte) (touched map[string]string, traced bool, err error) {
	all := lessons{Tests: map[string]*knownTests{}}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, false, err
	}
	all = all.texts(ofKept)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tests, l.held = all.Tests, all.Held
	return all.Footprint, all.Traced, nil
}

// wrote reports whether it is known that a file is written on such an occasion.
// Where that is learned, it is.
func (l *learned) wrote(when, p string, learns bool) bool {
	if l == nil {
		return learns
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := "written: " + when
	if learns && l.tests[key] == nil {
		l.tests[key] = &knownTests{Laid: map[string]string{}}
	}
	if learns {
		l.tests[key].Laid[p] = "written"
	}
	k := l.tests[key]
	return k != nil && k.Laid[p] != ""
}
