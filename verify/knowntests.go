package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
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

// Learned is what admission learned of the tests of a task and of what its
// solutions touch, for Learn of a later run; nil where there is nothing.
func (c *Case) Learned() []byte {
	l := lessons{}
	l.Footprint, l.Traced = c.foot.All()
	c.tests.mu.Lock()
	defer c.tests.mu.Unlock()
	l.Tests, l.Held = c.tests.tests, c.tests.held
	if len(l.Tests) == 0 && !l.Traced && len(l.Held) == 0 {
		return nil
	}
	text, err := json.Marshal(l.texts(toKept))
	if err != nil { // plain values always encode
		panic(err)
	}
	return text
}

// Learn takes what an admission of the same task learned.
func (c *Case) Learn(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	l := lessons{Tests: map[string]*knownTests{}}
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	l = l.texts(ofKept)
	if l.Traced {
		c.foot.Know(l.Footprint)
	}
	c.tests.mu.Lock()
	defer c.tests.mu.Unlock()
	c.tests.tests, c.tests.held = l.Tests, l.Held
	return nil
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

// gone judges a check whose tests can't be told by name any more.
func (k *knownTests) gone(c checks.Script) *trial.Verdict {
	if k == nil || len(k.Required) == 0 {
		return nil
	}
	return &trial.Verdict{Check: c.Name + " names", Status: trial.NotHeld,
		Detail: fmt.Sprintf("it ran %s at the start, and does not any more", k.Runner)}
}

// missing gives the tests that must pass and did not.
func (k *knownTests) missing(r *controlRun) []string {
	if k == nil {
		return nil
	}
	var out []string
	for _, name := range k.Required {
		if !r.results.Tests[name].OK() {
			out = append(out, name)
		}
	}
	return out
}

// learn runs the tests of the checks on a state that admission judges: with
// planted ones, and without. solved: it is that of the solution, whose tests
// must pass from now on.
func (a *Admission) learn(ctx context.Context, p place, s *Start, solved bool) error {
	for _, c := range a.TestScripts() {
		for i := range testrun.Commands(c.Text) {
			if err := a.learnOne(ctx, p, s, learning{c, i, solved}); err != nil {
				return err
			}
		}
	}
	return nil
}

// learning names what is learned.
type learning struct {
	check  checks.Script
	i      int
	solved bool
}

func (a *Admission) learnOne(ctx context.Context, p place, s *Start, l learning) error {
	draw := p.draw.chance(l.check.Name)
	alone, err := s.again(ctx, p, l.check, l.i, &planting{rand: draw})
	if err != nil || alone == nil {
		return err
	}
	beside, err := s.again(ctx, p, l.check, l.i, &planting{rand: draw, add: true})
	if err != nil || beside == nil {
		return err
	}
	a.tests.set(l.check.Name, l.i, a.tests.of(l.check.Name, l.i).next(alone, beside, l.solved))
	return nil
}

// next is what is known after two runs on one state, alone and beside planted
// tests: a test that is not named in both has a name that changes.
func (k *knownTests) next(alone, beside *controlRun, solved bool) *knownTests {
	out := &knownTests{Runner: alone.Runner.Name}
	passed := alone.results.PassedNames()
	names := alone.results.RanNames()
	if solved {
		names = passed
	}
	there := beside.results.RanNames()
	maps.DeleteFunc(names, func(n string, _ bool) bool { return !there[n] })
	out.Required = sortedNames(names)
	for _, n := range out.Required {
		if !passed[n] || solved && !k.passedAtStart(n) {
			out.Mended = append(out.Mended, n)
		}
		values := alone.planted.Marks(alone.Runner.Short(n))
		if values != nil && alone.results.Saw(n, values) {
			out.Marked = append(out.Marked, n)
		}
	}
	why := beside.forged(&knownTests{Works: true, Marked: out.Marked})
	if why == "" && len(beside.planted.All()) == 0 && len(out.Marked) == 0 {
		why = "no test can be planted beside them"
	}
	out.Chosen, out.Works = alone.Chosen, why == ""
	out.Broken = why != "" && solved
	out.Why = why
	return out
}
