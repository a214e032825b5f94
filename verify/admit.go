package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/needs"
	"cookoff/verify/printed"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// Opening opens a sandbox for admission: over the state, or with st nil at
// the clean start of the task.
type Opening func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error)

// Shortcut is a wrong repair that a task's checks must reject.
type Shortcut struct {
	ID      string
	Command string
	Why     string // it only looks mended
	Runs    bool   // it exits 0: one that fails shows nothing
}

// Admit proves a task before any model is paid for it: the fixture stages a
// broken state that after and verify reject; the solution mends it without
// collateral damage, and twice without drift where it must repeat; every shortcut is rejected. Nil
// and nil: admitted. A task without a solution skips what needs one; a task
// that nothing but success criteria judges is admitted as it is, one that
// nothing judges is not. An error is the sandbox's. begins is told of each step as it begins: "the broken state",
// "the solution" or "solution[1]", "shortcut ID".
func (c *Case) Admit(ctx context.Context, open Opening, shortcuts []Shortcut, begins ...func(step string)) (
	*trial.Exclude, error) {
	at := func(step string) {
		for _, tell := range begins {
			tell(step)
		}
	}
	if len(c.After)+len(c.Blocks)+len(c.Criteria) == 0 {
		return excluded(c.task, "checks",
			"nothing judges this task: it has no after check, no verify block and no success criterion"), nil
	}
	a := &Admission{Case: c, Open: open}
	at("the broken state")
	if err := a.broken(ctx); err != nil {
		return a.Excluded(err)
	}
	for i, text := range c.Solutions {
		at(stepOf(i))
		if err := a.mended(ctx, text, solutionName(i)); err != nil {
			return a.Excluded(err)
		}
	}
	c.foot.Done()
	for _, sc := range shortcuts {
		at("shortcut " + sc.ID)
		if err := a.rejects(ctx, sc); err != nil {
			return a.Excluded(err)
		}
	}
	return nil, nil
}

// MustRepeat has Admit demand that the solution, run a second time, succeeds and
// changes nothing: what is asked of a fix that models call as a tool.
func (c *Case) MustRepeat() { c.repeats = true }

// Admission is one go through the sequence.
type Admission struct {
	*Case
	Open Opening
	// learns says of which state the names of tests are learned: broken, mended;
	// "": of none.
	learns string
	// further: a solution is judged that is not the first.
	further bool
	// wrote, when not nil, is told what each check changed in the project.
	Wrote map[string][]tree.Change
	Alone bool   // one witness is enough
	Draw  string // decides what checks draw by chance; "": the state's files alone do
}

// BrokenStep ends an admission: the task is at fault.
type BrokenStep struct {
	Phase, Why string
	Evidence   *trial.Evidence // of the check or command; nil: there is none
	When       trial.Demand    // on which state the checks said so; "": no check did
}

func (e *BrokenStep) Error() string { return e.Phase + ": " + e.Why }

func excluded(task, phase, why string) *trial.Exclude {
	return &trial.Exclude{Task: task, Phase: phase, Why: why}
}

// Excluded tells a fault of the task from one of the sandbox.
func (a *Admission) Excluded(err error) (*trial.Exclude, error) {
	var step *BrokenStep
	if errors.As(err, &step) {
		x := excluded(a.task, step.Phase, step.Why)
		x.When, x.Evidence = step.When, step.Evidence
		return x, nil
	}
	var st *StagingError
	if errors.As(err, &st) {
		x := excluded(a.task, st.Phase, st.Detail)
		x.Evidence = st.Evidence
		return x, nil
	}
	return nil, err
}

// Counts reports whether it counts what becomes of a file of the start.
func (a *Admission) Counts(path string) bool { return a.foot.Counts(path) }

// Staged opens the task's clean start, stages it, and runs act in it.
func (a *Admission) Staged(ctx context.Context, act func(sandbox.Sandbox, *Start) error) (err error) {
	w, err := a.Open(ctx, nil, sandbox.Agent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s, err := a.Stage(ctx, w)
	if err != nil {
		return err
	}
	return act(w, s)
}

// disagree gives the first check of which a second judging of one state says
// something else.
func disagree(once, again []trial.Verdict) *trial.Verdict {
	for i := range again {
		v := verdict.First(once, func(v trial.Verdict) bool { return v.Check == again[i].Check })
		if v == nil || v.Status != again[i].Status {
			return &again[i]
		}
	}
	return nil
}

// broken demands that the staged state is rejected, by after and by verify.
func (a *Admission) broken(ctx context.Context) error {
	a.learns = "broken"
	defer func() { a.learns = "" }()
	if err := a.stagedWithFiles(ctx); err != nil {
		return err
	}
	return a.Staged(ctx, func(w sandbox.Sandbox, s *Start) error {
		if err := a.Runnable(ctx, w, s); err != nil {
			return err
		}
		out, err := a.SealAndJudge(ctx, w, s, true)
		if err != nil {
			return err
		}
		if err := a.Startable(ctx, out); err != nil {
			return err
		}
		if v := verdict.First(out.Verdicts,
			func(v trial.Verdict) bool { return v.Status == trial.Undecided }); v != nil {
			return &BrokenStep{Phase: verdict.Phase(v), Evidence: v.Evidence,
				Why: "can't be decided: " + verdict.Sentence(v)}
		}
		if v := verdict.First(out.Verdicts, func(v trial.Verdict) bool {
			return verdict.KindOf(v) == trial.KindGuard &&
				v.Status != trial.Held
		}); v != nil {
			return &BrokenStep{Phase: "guard", Evidence: v.Evidence,
				Why: "does not hold on the broken state, where it is judged: " + verdict.Sentence(v)}
		}
		a.tests.AtStart(out.Verdicts)
		a.foot.Learn(out.differences) // what happens with nobody acting is nobody's doing
		for _, group := range a.deciding() {
			if a.holds(out.Verdicts, group) {
				return &BrokenStep{Phase: group.Phase, When: trial.OfBroken,
					Why: "holds on the broken state already: " + strings.Join(group.checks, ", ")}
			}
		}
		return nil
	})
}

// group are checks one of which must reject the broken state.
type group struct {
	Phase  string
	checks []string
}

// deciding gives the groups. A recipe's own blocks need only decide where a
// task has no check of its own.
func (a *Admission) deciding() []group {
	after, own, all := group{Phase: "after"}, group{Phase: "verify"}, group{Phase: "verify"}
	for _, s := range a.After {
		after.checks = append(after.checks, s.Name)
	}
	for _, b := range a.Blocks {
		all.checks = append(all.checks, b.Name)
		if b.Own {
			own.checks = append(own.checks, b.Name)
		}
	}
	var list []group
	for _, g := range []group{after, own} {
		if g.checks != nil {
			list = append(list, g)
		}
	}
	if list == nil && all.checks != nil && a.Setup != "" {
		list = append(list, all)
	}
	return list
}

// holds reports whether every check of a group holds.
func (a *Admission) holds(vs []trial.Verdict, g group) bool {
	for _, name := range g.checks {
		if v := verdict.First(vs, func(v trial.Verdict) bool { return v.Check == name }); v == nil ||
			v.Status != trial.Held {
			return false
		}
	}
	return true
}

// mended demands that the solution mends it without breaking anything else and,
// of a fix that must repeat, that running it again changes nothing. One go shows
// all of it: with no drift between the two runs, the state that is judged is the
// state after each. Only to name what went wrong is the first run judged by itself.
func (a *Admission) mended(ctx context.Context, text, name string) error {
	if a.learns = "mended"; name != "solution" {
		a.learns, a.further = "", true
	}
	defer func() { a.learns, a.further = "", false }()
	once := func() error {
		return a.Staged(ctx, func(w sandbox.Sandbox, s *Start) error {
			if err := a.Solve(ctx, w, text, name); err != nil {
				return err
			}
			if err := (ownWorld{a.Case, w, s}).observe(ctx); err != nil {
				return err
			}
			return a.holdsAll(ctx, w, s)
		})
	}
	if a.foot != nil && a.AsksLive() {
		err := a.Staged(ctx, func(w sandbox.Sandbox, s *Start) error {
			if err := a.Solve(ctx, w, text, name); err != nil {
				return err
			}
			return ownWorld{a.Case, w, s}.waken(ctx)
		})
		if err != nil {
			return err
		}
	}
	if !a.repeats {
		return once()
	}
	twice := a.Staged(ctx, func(w sandbox.Sandbox, s *Start) error { return a.solveTwice(ctx, w, s, text, name) })
	var step *BrokenStep
	if !errors.As(twice, &step) || step.Phase == name {
		return twice
	}
	if err := once(); err != nil {
		return err
	}
	return twice
}

// solveTwice runs a solution on a world and demands that live checks hold, then runs it
// again: the second run must change no file, and all checks must hold behind it.
func (a *Admission) solveTwice(ctx context.Context, w sandbox.Sandbox, s *Start, text, name string) error {
	if err := a.Solve(ctx, w, text, name); err != nil {
		return err
	}
	live, err := a.Live(ctx, w, s)
	if err != nil {
		return err
	}
	if v := verdict.FirstNotHeld(live); v != nil {
		return &BrokenStep{Phase: verdict.Phase(v), When: trial.OfSolved, Evidence: v.Evidence,
			Why: "after the solution: " + verdict.Sentence(v)}
	}
	if err := (ownWorld{a.Case, w, s}).observe(ctx); err != nil {
		return err
	}
	once, err := w.FS().Manifest(ctx, nil)
	if err != nil {
		return err
	}
	if err := a.Solve(ctx, w, text, "again"); err != nil {
		return err
	}
	twice, err := w.FS().Manifest(ctx, nil)
	if err != nil {
		return err
	}
	if drift := tree.Changes(once, twice); len(drift) > 0 {
		return &BrokenStep{Phase: "again", Why: "the solution's second run drifts: " + tree.Listed(drift)}
	}
	err = a.holdsAll(ctx, w, s)
	var step *BrokenStep
	if errors.As(err, &step) {
		return &BrokenStep{Phase: "again", Why: "not mended any more " + step.Why, Evidence: step.Evidence}
	}
	return err
}

// solutionName is what messages call a solution: the first, or only one, has no
// number.
func solutionName(i int) string {
	if i == 0 {
		return "solution"
	}
	return fmt.Sprintf("solution[%d]", i)
}

// stepOf is what the step of a solution is called.
func stepOf(i int) string {
	if i == 0 {
		return "the solution"
	}
	return solutionName(i)
}

// Solve runs the text of a solution on a world. Where it fails, the error is a *BrokenStep
// of this phase; another error is one of the sandbox.
func (a *Admission) Solve(ctx context.Context, w sandbox.Sandbox, text, phase string) error {
	res, err := w.Exec(ctx, sandbox.Cmd{Script: text, Timeout: a.Limits.Solution})
	if err != nil {
		return err
	}
	if !res.OK() {
		return &BrokenStep{Phase: phase, Why: printed.Ended(res), Evidence: witness.Evidence(text, res)}
	}
	return nil
}

// holdsAll seals a world and demands that every check holds on it.
func (a *Admission) holdsAll(ctx context.Context, w sandbox.Sandbox, s *Start) error {
	out, err := a.SealAndJudge(ctx, w, s, true)
	if err != nil {
		return err
	}
	if v := verdict.FirstNotHeld(out.Verdicts); v != nil {
		why := "after the solution: " + verdict.Sentence(v)
		if witness.OnlyDistrusted(v) || v.Evidence != nil && len(v.Evidence.Unbelieved) > 0 {
			why += "; a task about that says verify_env: agent"
		}
		if a.patch {
			why += "; judge: patch takes the change of the project alone"
		}
		said := needs.FailureText(v.Evidence)
		if name, _ := needs.MissedIn(said, s.Files); name != "" {
			why += "; " + needs.RemedyFor(s.Files, name, said, a.Texts()...)
		}
		return &BrokenStep{Phase: verdict.Phase(v), When: trial.OfSolved, Why: why + out.proposes(a.Case, v),
			Evidence: v.Evidence}
	}
	return nil
}

// rejects demands that a wrong repair does not pass.
func (a *Admission) rejects(ctx context.Context, sc Shortcut) error {
	where := "shortcut " + sc.ID
	return a.Staged(ctx, func(w sandbox.Sandbox, s *Start) error {
		res, err := w.Exec(ctx, sandbox.Cmd{Script: sc.Command})
		if err != nil {
			return err
		}
		if sc.Runs && !res.OK() {
			return &BrokenStep{Phase: where, Why: printed.Ended(res)}
		}
		out, err := a.refused(ctx, w, s)
		if err != nil {
			return err
		}
		switch status, _, detail := verdict.Decide(out.Verdicts, out.changed, trial.StopDone); status {
		case trial.Pass:
			return &BrokenStep{Phase: where, Why: fmt.Sprintf("is not rejected (%s)",
				cmp.Or(sc.Why, "it passes every check"))}
		case trial.Void:
			return &BrokenStep{Phase: where, Why: "can't be decided: " + detail}
		}
		return nil
	})
}
