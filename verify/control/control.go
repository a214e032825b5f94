package control

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/testrun/planted"
	"cookoff/verify/witness"
)

// testRun is one run of the tests of a check, each named.
type testRun struct {
	*testrun.Run
	planted *planted.Tests
	results *testrun.Results
	raw     sandbox.Result
}

// planting says what a run of tests is given.
type planting struct {
	rand *mathrand.Rand
	add  bool
	swap string

	demand *lessons.Demand // a line of a test that is changed before
}

// key names runs of one kind: what is planted differs by chance alone.
func (pl *planting) key() string { return fmt.Sprintf("add %v swap %q", pl.add, pl.swap) }

// runTests runs the i-th test command of a check once more, in a fresh sandbox,
// with what is planted. Everything that the check does before has been done.
// nil: its tests can't be told by name. What was learned so at this place is not run again.
func runTests(ctx context.Context, p witness.Place, c checks.Script, i int, plant *planting) (*testRun, error) {
	if plant.demand != nil {
		return runNamed(ctx, p, c, i, plant)
	}
	var run *testRun
	named, err := witness.Same(p, fmt.Sprintf("tests %d of %s have names", i, c.Name), func() (bool, error) {
		var err error
		run, err = runNamed(ctx, p, c, i, plant)
		return run != nil, err
	})
	if err != nil || !named {
		return nil, err
	}
	return witness.Same(p, fmt.Sprintf("tests %d of %s: %s", i, c.Name, plant.key()), func() (*testRun, error) {
		var err error
		if run == nil {
			run, err = runNamed(ctx, p, c, i, plant)
		}
		if err == nil && run != nil && !plant.add && plant.swap == "" && run.raw.Reason == "" {
			p.Exits(c.Name, run.raw.OK())
		}
		return run, err
	})
}

func runNamed(ctx context.Context, p witness.Place, c checks.Script, i int, plant *planting) (*testRun, error) {
	var out *testRun
	err := p.In(ctx, "", func(sb sandbox.Sandbox) error {
		c.Text = p.Asked(c.Text)
		cmd := c.Command(p.ScriptEnv(c.Text))
		run, err := testrun.Find(ctx, sb, cmd, i)
		if err != nil || run == nil {
			return err
		}
		if plant.demand != nil {
			if there, err := demand(ctx, sb, *plant.demand); err != nil || !there {
				return err
			}
		}
		out = &testRun{Run: run}
		if run.Runner.Source != nil {
			so := &planted.Sowing{Language: run.Runner.Source, Rand: plant.rand, FS: sandbox.AsOwner(sb),
				Add: plant.add && !run.Chosen, Swap: plant.swap, Only: run.Named}
			if out.planted, err = so.Sow(ctx, run.Dir); err != nil {
				return err
			}
		}
		cmd.Script, cmd.Output = p.Draw.Into(p.Who, run.Loud), sandbox.MaxOutput
		if out.raw, err = sb.Exec(ctx, cmd); err != nil {
			return err
		}
		out.results = run.Runner.Read(out.raw, run.Word)
		if run.Runner.Name == testrun.PrintedTests && len(out.results.Tests) == 0 {
			out = nil // it prints no names
		}
		return nil
	})
	return out, err
}

// failsTwice asks a check once more where it fails, which one may by chance, and gives what the second one showed; nil:
// it does not fail, or can't be asked.
func failsTwice(ask func() (*sandbox.Result, error)) (failed *sandbox.Result, err error) {
	for range 2 {
		if failed, err = ask(); err != nil || failed == nil || failed.OK() {
			return nil, err
		}
	}
	return failed, nil
}

// notHeld is the verdict on a check that held, and does not as it was asked by its control.
func notHeld(c checks.Script, cause trial.Cause, as *sandbox.Result, detail string) *trial.Verdict {
	return &trial.Verdict{Check: c.Name + " control", Kind: trial.KindControl, Status: trial.NotHeld, Cause: cause,
		Evidence: witness.Evidence(c.Text, *as), Detail: detail}
}

// names judges a check that held by the names of its tests: those that must
// pass did, and tests that were planted did what they must. It gives no
// verdict where the check runs no tests that are known by name.
func names(ctx context.Context, p witness.Place, c checks.Script) ([]trial.Verdict, error) {
	var vs []trial.Verdict
	for i := range testrun.Commands(c.Text) {
		known := p.Tests.Of(c.Name, i)
		v, err := ofCommand(ctx, p, c, i, known)
		if err != nil {
			return nil, err
		}
		if v != nil && v.Status == trial.Held {
			other, err := sameDisguised(ctx, p, c, i, known)
			if err != nil {
				return nil, err
			}
			v = cmp.Or(other, v)
		}
		if v != nil && (vs == nil || v.Status != trial.Held || v.Strength != "" && vs[0].Status == trial.Held) {
			vs = []trial.Verdict{*v}
		}
	}
	return vs, nil
}

// ofCommand is names for one test command.
func ofCommand(ctx context.Context, p witness.Place, c checks.Script, i int, known *lessons.Tests) (*trial.Verdict,
	error) {
	draw := p.Draw.Rand(fmt.Sprintf("%s %d", c.Name, i))
	plant := &planting{rand: draw, add: true, swap: known.Swap(draw)}
	run, err := runTests(ctx, p, c, i, plant)
	if err != nil {
		return nil, err
	}
	if run == nil {
		return gone(known, c), nil
	}
	held := &trial.Verdict{Check: c.Name + " control", Kind: trial.KindControl, Status: trial.Held,
		Evidence: witness.Evidence(c.Text, run.raw)}
	if why := run.forged(known); why != "" {
		held.Status, held.Detail = trial.NotHeld, why
		return held, nil
	}
	missing := run.missing(known, p.From.Moved)
	if len(missing) > 0 || plant.swap != "" || known == nil && !run.ownPassed() {
		// Planted tests may have kept others from passing: ask without them.
		plain, err := runTests(ctx, p, c, i, &planting{rand: draw})
		if err != nil || plain == nil {
			return nil, err
		}
		if why := plain.forged(known); why != "" {
			held.Status, held.Detail, held.Evidence = trial.NotHeld, why, witness.Evidence(c.Text, plain.raw)
			return held, nil
		}
		run, missing = plain, plain.missing(known, p.From.Moved)
	}
	names := &trial.Verdict{Check: c.Name + " names", Kind: trial.KindNames, Status: trial.NotHeld,
		Evidence: witness.Evidence(c.Text, run.raw)}
	switch {
	case len(missing) > 0:
		names.Detail = "tests that must pass did not, or did not run: " + someNames(missing)
		return names, nil
	case (known == nil || known.Long) && run.raw.OK() && run.raw.Cut == 0 && !run.ownPassed():
		names.Detail = "no test passes: there is none, or all are skipped"
		return names, nil
	case known != nil && known.Broken:
		names.Status, names.Strength = trial.Held, trial.StrengthNames
		names.Detail = known.LeftOut()
		return names, nil
	case run.Runner.Source == nil:
		names.Status, names.Strength = trial.Held, trial.StrengthNames
		names.Detail = "no test can be planted beside those of " + run.Runner.Name
		if run.Runner.Name == testrun.PrintedTests {
			names.Detail = "no test can be planted where tests are known only by what is printed"
		}
		return names, nil
	}
	return held, nil
}

// ownPassed reports whether a test passed that was not planted.
func (r *testRun) ownPassed() bool {
	added := counted(r.planted.All())
	for name, t := range r.results.Tests {
		if t.Passed > 0 && added[r.Runner.Short(name)] == 0 {
			return true
		}
	}
	return false
}

// forged says what shows that the record of a run is not true; "": nothing.
func (r *testRun) forged(known *lessons.Tests) string {
	if r.planted == nil || r.raw.Cut > 0 || r.raw.Reason != "" {
		return ""
	}
	if known != nil && known.Broken {
		return ""
	}
	fails := slices.Clone(r.planted.Fails)
	if r.planted.Swapped != "" {
		fails = append(fails, planted.Addition{Name: r.planted.Swapped})
	}
	ran := false
	for name, want := range counted(fails) {
		passed, failed := r.count(name)
		ran = ran || passed+failed > 0
		if passed > 0 && failed < want {
			return "a test that must fail passes: " + text.Visible(name)
		}
	}
	switch {
	case len(fails) > 0 && r.raw.OK():
		return "exits 0 with tests that must fail: the tests don't decide its exit status"
	case known == nil || !known.Works:
		return ""
	case len(fails) > 0 && !ran:
		return "no planted test ever ran"
	}
	return r.unearned(known)
}

// counted says how many tests have each name.
func counted(list []planted.Addition) map[string]int {
	out := map[string]int{}
	for _, a := range list {
		out[a.Name]++
	}
	return out
}

// count says how many tests of a short name passed and failed.
func (r *testRun) count(short string) (passed, failed int) {
	for _, name := range r.named(short) {
		t := r.results.Tests[name]
		passed, failed = passed+t.Passed, failed+t.Failed
	}
	return passed, failed
}

// unearned says which test is named as passed though it never ran: what only
// running it prints is not there.
func (r *testRun) unearned(known *lessons.Tests) string {
	passed := len(r.planted.Passes) == 0
	for _, a := range r.planted.Passes {
		for _, name := range r.named(a.Name) {
			t := r.results.Tests[name]
			switch {
			case t.Passed == 0:
			case !r.results.Saw(name, []string{a.Printed()}):
				return "a test is named as passed that never ran: " + text.Visible(a.Name)
			default:
				passed = true
			}
		}
	}
	if !passed {
		return "no planted test that must pass did"
	}
	for name, t := range r.results.Tests {
		values := r.planted.Marked[r.Runner.Short(name)]
		if values != nil && t.Passed > 0 && slices.Contains(known.Marked, name) && !r.results.Saw(name, values) {
			return "a test is named as passed that never ran: " + text.Visible(name)
		}
	}
	return ""
}

// named gives the tests of the record that a planted one stands for.
func (r *testRun) named(short string) []string { return r.results.Under(r.Runner.Short, short) }

// someNames shows the first names of many.
func someNames(names []string) string {
	slices.Sort(names)
	shown := names[:min(len(names), 5)]
	s := text.Visible(strings.Join(shown, ", "))
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func sortedNames(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// gone judges a check whose tests can't be told by name any more.
func gone(k *lessons.Tests, c checks.Script) *trial.Verdict {
	if k == nil || len(k.Required) == 0 {
		return nil
	}
	return &trial.Verdict{Check: c.Name + " names", Status: trial.NotHeld,
		Detail: fmt.Sprintf("it ran %s at the start, and does not any more", k.Runner)}
}

// withControl adds what a further control says to the verdicts on the names of the tests. One that
// held adds nothing, but where names had no control it is theirs.
func withControl(vs []trial.Verdict, v trial.Verdict) []trial.Verdict {
	if v.Status != trial.Held {
		return append(vs, v)
	}
	for i := range vs {
		if vs[i].Strength == trial.StrengthNames {
			vs[i] = v
		}
	}
	return vs
}

// Add adds the negative control of the last verdict, where the check
// held and there is one.
func Add(ctx context.Context, b *witness.Bench, c checks.Script, vs []trial.Verdict) ([]trial.Verdict,
	error) {
	if b.Once || c.Text == "" || c.Live || vs[len(vs)-1].Status != trial.Held {
		return vs, nil
	}
	p := *b.Most()
	more, err := names(ctx, p, c)
	for _, further := range []func(context.Context, witness.Place, checks.Script) (*trial.Verdict, error){
		sameInPlace, failsOnDemand, computes, sameRenamed, sameRebuilt} {
		if err != nil || slices.ContainsFunc(more, func(v trial.Verdict) bool { return v.Status != trial.Held }) {
			break
		}
		var v *trial.Verdict
		if v, err = further(ctx, p, c); v != nil {
			more = withControl(more, *v)
		}
	}
	if last := &vs[len(vs)-1]; len(more) == 0 && last.Strength == "" && p.Tests.HeldAtStart(c.Name) {
		last.Strength = trial.StrengthUnshown
	}
	return append(vs, more...), err
}
