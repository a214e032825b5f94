package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
	"cookoff/verify/testrun"
)

// Bounds of test runs.
const (
	leastTime = 10 * time.Second // that a broken state gets
	slowness  = 10               // times what the mended one takes

	mostRounds = 3 // in which tests are left out that fail with the fix: some do so now and then

	quickWhole = 20 * time.Second // that the whole test command may take, to judge as well
	firstWhole = 2 * time.Minute  // the same, where all has to be compiled
)

// seen is what test runs showed of a candidate.
type seen struct {
	all     string           // the command of the tests that judge, with those that are left out
	command string           // without them
	narrow  bool             // they are not all
	whole   string           // the command whose tests judge, too: what the fix touches may break others; "": none
	runner  string           // that ran them
	passed  []string         // tests that pass with the fix, sorted, as the first run of it has them
	broken  []string         // tests that fail without the fix and pass with it, by name
	flaky   []string         // tests that differ between runs
	always  []string         // tests that fail here with the fix, too
	outside []string         // tests that are left out of the whole command
	kept    int              // tests that pass before and after
	failing *outcome.Outcome // a run without the fix
	output  string           // what of that the prompt shows
	absent  []string         // tests that can't be built, or imported, without what the fix declares
	apart   []string         // tests that fail by themselves, where those are left out that keep them from being built
	unbuilt []string         // both of these
	partly  *outcome.Outcome // the run in which those fail that are apart

	declared []declared.Declaration // that the fix has, and its tests name
	took     time.Duration
	hung     bool          // without the fix some of them never end
	wholeBy  time.Duration // how long the whole command takes
}

// attempt is a candidate that is tried in a world.
type attempt struct {
	Options
	seen
	repo     *history.Repo
	c        *candidate.Candidate
	world    *world
	states   *states
	manifest string            // the text of package.json; "": there is none
	sure     bool              // the test command is known to end as its tests do
	step     func(step string) // is told which tests run; nil: nobody
}

// says tells which tests run.
func (a *attempt) says(step string) {
	if a.step != nil {
		a.step(step)
	}
}

// states are the files of a candidate's three states.
type states struct {
	parent, broken, mended tree
	almost                 tree // of several commits: without the last; nil: not asked for
}

// statesOf makes the files of a candidate.
func statesOf(ctx context.Context, repo *history.Repo, c *candidate.Candidate) (*states, error) {
	list, err := repo.Files(ctx, history.Commit{ID: c.Parent, Time: c.Time})
	if odd, ok := errors.AsType[*history.PathError](err); ok {
		return nil, refusal.New(refusal.OddPath, odd.Error())
	}
	if none, ok := errors.AsType[*history.NoDirError](err); ok {
		return nil, refusal.New(refusal.NoParent, none.Error())
	}
	if err != nil {
		return nil, refusal.New(refusal.Missing, lines.First(err.Error()))
	}
	s := &states{parent: tree{}}
	for _, f := range list {
		if !Secret(f.Path) && f.Mode != history.ModeSubmodule {
			f.Size = 0 // that of a change is not known
			s.parent[f.Path] = f
		}
	}
	s.parent = with(s.parent, c.Needs)
	s.broken = with(s.parent, c.Tests)
	s.mended = with(s.broken, c.Fix)
	if c.Almost != nil {
		s.almost = with(s.broken, c.Almost)
	}
	for _, t := range []tree{s.broken, s.mended} {
		if odd, ok := errors.AsType[*history.PathError](history.Clash(maps.Keys(t))); ok {
			return nil, refusal.New(refusal.OddPath, odd.Error())
		}
	}
	return s, nil
}

// with gives files after changes.
func with(base tree, list []history.Change) tree {
	out := maps.Clone(base)
	for _, ch := range list {
		if ch.Now.ID == "" {
			delete(out, ch.Path)
			continue
		}
		out[ch.Path] = ch.Now
	}
	return out
}

// try runs the tests of a candidate; an error is a *refusal.Error, or the sandbox's.
func (a *attempt) try(ctx context.Context) error {
	a.all, a.narrow = commands.Narrowed(a.Test, a.c.Tests, a.states.broken)
	a.command = a.all
	if err := a.world.set(ctx, a.states.mended, nil); err != nil {
		return err
	}
	a.says("tests with the fix")
	mended, err := a.passes(ctx)
	if err != nil {
		return err
	}
	if err := (ending{a}).isGood(ctx); err != nil {
		return err
	}
	if err := a.world.set(ctx, a.states.broken, nil); err != nil {
		return err
	}
	a.says("tests without the fix")
	broken, err := a.breaks(ctx)
	if err != nil {
		return err
	}
	if a.undemanding(broken) && len(broken.Failed) == 0 { // nothing failed but the demand
		if broken, err = a.breaks(ctx); err != nil {
			return err
		}
	}
	if err := a.declares(); err != nil {
		return err
	}
	if err := a.compare(mended, broken); err != nil {
		if broken, err = a.undeclared(ctx, mended, broken, err); err != nil {
			return err
		}
	}
	a.failing, a.declared = broken, needed(a.declared, broken)
	if err := (ending{a}).isBad(ctx); err != nil {
		return err
	}
	a.says("tests without the fix, again")
	if err := a.again(ctx); err != nil {
		return err
	}
	if err := a.lastNeeded(ctx, a.most()); err != nil {
		return err
	}
	return a.everything(ctx)
}

// most bounds a run of a state that may be broken, by how long the mended one took.
func (a *attempt) most() time.Duration { return min(a.Limit(), max(leastTime, slowness*a.took)) }

// passes demands that the mended state passes: by the tests that the commit changes, else by all, where
// these take little time: what is set up for all may lie where tests that are called alone don't look.
func (a *attempt) passes(ctx context.Context) (*outcome.Outcome, error) {
	out, err := a.pass(ctx, a.Limit())
	if _, refused := errors.AsType[*refusal.Error](err); !refused || !a.narrow {
		return out, err
	}
	alone := a.seen
	a.seen = seen{all: a.Test, command: a.Test}
	a.says("all tests with the fix")
	whole, again := a.pass(ctx, min(a.Limit(), quickWhole))
	if _, refused := errors.AsType[*refusal.Error](again); refused {
		a.seen = alone
		return out, err
	}
	return whole, again
}

// pass demands that the mended state passes by the command that judges, in so much time. Where a module of
// unittest can't be imported, those that the commit changes are to. Tests that fail here even so are left out
// by name, where they are the fewer.
func (a *attempt) pass(ctx context.Context, limit time.Duration) (*outcome.Outcome, error) {
	out, err := a.world.test(ctx, a.command, limit)
	if err == nil && out.Unbuilt() && out.Runner == "unittest" && len(out.Passed) > 0 {
		if only, ok := commands.Discovered(a.Test, a.c.Tests, a.states.mended); ok {
			a.all, a.command = only, only
			out, err = a.world.test(ctx, a.command, limit)
		}
	}
	if err == nil && a.undemanding(out) && !out.OK() {
		out, err = a.world.test(ctx, a.command, limit)
	}
	if err == nil && out.Runner == testrun.Node {
		err = a.world.askNode(ctx)
	}
	for range mostRounds {
		if err == nil && out.Late() && len(out.Unfinished) == 0 {
			out, err = a.world.goes(ctx, a.command, limit)
		}
		if err != nil || out.OK() || !out.FewFailed() && !(out.Late() && len(out.Unfinished) > 0) {
			break
		}
		a.passed = out.Passed
		fails := slices.Concat(a.always, out.Failed)
		if out.Late() {
			fails = slices.Concat(fails, out.Unfinished)
		}
		without, ok := a.leavingOut(a.all, cmp.Or(a.runner, out.Runner), fails)
		if !ok {
			break
		}
		a.command, a.always = without, fails
		out, err = a.world.test(ctx, a.command, limit)
	}
	if err == nil {
		err = unmended(out, a.command)
	}
	if err != nil {
		return nil, err
	}
	a.took, a.runner, a.passed = out.Took, out.Runner, out.Passed
	return out, nil
}

// unmended says why a run of the mended state shows no tests that pass; nil: it does.
func unmended(out *outcome.Outcome, command string) error {
	passed := len(out.Passed)
	switch {
	case out.Late() && len(out.Unfinished) == 0 && len(out.Failed) == 0 && passed > 0:
		return refusal.New(refusal.Endless, fmt.Sprintf("with the fix in its tests pass (%d), and the run does not end: "+
			"a timer, a process or a connection is left open", passed))
	case out.Late():
		return refusal.New(refusal.Endless, cmp.Or(some(out.Unfinished), "they")+" don't end with the fix in")
	case out.Killed() != "":
		return refusal.New(refusal.Ended, "with the fix in: "+out.Killed())
	case out.Unbuilt() && !out.OK():
		return refusal.New(refusal.FixedBuild, out.KeyLine())
	case out.NoneRan():
		return refusal.New(refusal.NoneRuns, fmt.Sprintf("%s (it says: %s)", command, out.KeyLine()))
	case out.Runner == "":
		return refusal.New(refusal.Nameless, fmt.Sprintf("%s (it says: %s)", command, out.KeyLine()))
	case !out.OK() && len(out.Failed) > 0:
		return refusal.New(refusal.FixedFails, some(out.Failed))
	case !out.OK() && passed > 0:
		return failsEvenSo(out, passed)
	case !out.OK():
		return refusal.New(refusal.FixedFails, out.KeyLine())
	case passed == 0:
		return refusal.New(refusal.NoneRuns, command)
	}
	return nil
}

// undemanding has the tests run without the demand that so much of the code be run which a run showed; false: it showed
// none.
func (a *attempt) undemanding(o *outcome.Outcome) bool {
	test, ok := commands.Uncovered(a.Test, o.Outcome)
	if !ok && commands.Demanded(o.Outcome) {
		test, ok = a.direct()
	}
	if !ok {
		return false
	}
	all, narrow := commands.Narrowed(test, a.c.Tests, a.states.broken)
	command := all
	if len(a.always) > 0 {
		if command, ok = a.leavingOut(all, cmp.Or(a.runner, o.Runner), a.always); !ok {
			return false
		}
	}
	a.Test, a.all, a.narrow, a.command = test, all, narrow, command
	return true
}

// direct is the test command of npm's script, called without npm, where what measures coverage in it can be told not to
// demand any; false: there is none.
func (a *attempt) direct() (string, bool) {
	direct := a.withoutNpm(a.Test)
	test := commands.Undemanding(direct)
	return test, test != direct
}

// withoutNpm is what npm calls where a test command is npm's; "": it is not, or that can't be told.
func (a *attempt) withoutNpm(test string) string {
	if a.Direct == nil || a.manifest == "" || !strings.HasPrefix(strings.TrimPrefix(test, "CI=1 "), "npm ") {
		return ""
	}
	return a.Direct(a.manifest)
}

// leavingOut gives a test command that does not run some tests. node reads no flags behind the files that it is given,
// where npm would put them.
func (a *attempt) leavingOut(command, runner string, names []string) (string, bool) {
	if runner == testrun.Node && a.world.skips != "" {
		runner = a.world.skips
		command = cmp.Or(a.withoutNpm(command), command)
	}
	return commands.LeavingOut(command, runner, names, a.passed)
}

// compare finds the tests that only the fix makes pass.
func (s *seen) compare(mended, broken *outcome.Outcome) error {
	var none []string
	for _, name := range mended.Passed {
		switch {
		case slices.Contains(broken.Failed, name):
			s.broken = append(s.broken, name)
		case slices.Contains(broken.Passed, name):
			s.kept++
		default:
			none = append(none, name)
		}
	}
	switch {
	case broken.OK() && len(s.broken) > 0:
		return refusal.New(refusal.Forgiving, some(s.broken))
	case broken.OK() && len(none) > 0: // a build file registers tests, say
		return refusal.New(refusal.NothingFails, "only with it these run: "+some(none))
	case broken.OK():
		return refusal.New(refusal.NothingFails, "")
	case broken.Late() && len(broken.Hung) == 0:
		return refusal.New(refusal.Endless, "without the fix")
	case broken.Killed() != "":
		return refusal.New(refusal.Ended, "without the fix: "+broken.Killed())
	case broken.Unbuilt() && broken.Runner == "go test" && !broken.TestsUnbuilt():
		return refusal.New(refusal.FixedBuild, "without the change: "+broken.KeyLine())
	case broken.Unbuilt() && (broken.Runner == "go test" || len(s.broken) == 0):
		return refusal.New(refusal.NewNames, broken.NewNames())
	case len(s.broken) == 0:
		return refusal.New(refusal.Nameless, fmt.Sprintf("they fail without the change, and none of those that pass "+
			"with it by name (it says: %s)", broken.KeyLine()))
	}
	return nil
}

// lastNeeded demands of a candidate of several commits that the last of them is needed:
// else the ones before it are a candidate of their own. The world is that of the mended state
// then.
func (a *attempt) lastNeeded(ctx context.Context, limit time.Duration) error {
	if a.states.almost == nil {
		return a.world.set(ctx, a.states.mended, nil)
	}
	if err := a.world.set(ctx, a.states.almost, nil); err != nil {
		return err
	}
	out, err := a.world.test(ctx, a.command, limit)
	if err == nil && out.OK() {
		return refusal.New(refusal.NothingFails, "without the last of its commits")
	}
	if err != nil {
		return err
	}
	return a.world.set(ctx, a.states.mended, nil)
}

// Limit bounds one run of tests.
func (o Options) Limit() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return 5 * time.Minute
}

// some names the first of several.
func some(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
