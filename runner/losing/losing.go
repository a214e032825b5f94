package losing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/runner/lend"
	"cookoff/runner/record"
	"cookoff/runner/resolve"
	"cookoff/runner/toolset"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
)

// maxPaths bounds the files that a move is shown with; maxStates how many states
// of a world are judged without the solution.
const (
	maxPaths  = 20
	maxStates = 12
)

// Task is the task of the trial, and worlds of it.
type Task struct {
	*resolve.Task
	Recipe *recipe.Recipe
	Open   verify.Opening
	Files  []sandbox.Item // that its contestant was given
}

// find looks for the losing move of a trial that failed, of its events in order. Its
// task was admitted: the solution mends the start of it. An error is ctx's, or the sandbox's.
func find(ctx context.Context, t Task, events []trial.Event, out trial.Outcome) (trial.Loss, error) {
	s := &search{Task: t, set: t.Offer(t.Recipe).Set(nil, t.Limits.Solution), calls: callsOf(events)}
	s.found.Calls = len(s.calls)
	if s.found.Unknown = s.unfit(events, out); s.found.Unknown != "" || len(s.calls) == 0 {
		return s.found, nil
	}
	if err := s.look(ctx, out); err != nil {
		var broken *verify.StagingError
		if errors.As(err, &broken) {
			return trial.Loss{Calls: len(s.calls), Unknown: "the task can't be staged any more: " + broken.Error()}, nil
		}
		return s.found, err
	}
	return s.found, nil
}

// search looks at one trial.
type search struct {
	Task
	set    *toolset.Set
	calls  []call
	found  trial.Loss
	worlds []world // after so many calls; only some are looked at
}

// world is what the files are after so many calls.
type world struct {
	calls   int
	changed []string // by the last call
}

// unfit says why nothing can be found out about a trial; "": something can.
func (s *search) unfit(events []trial.Event, out trial.Outcome) string {
	switch {
	case out.Status != trial.Fail:
		return fmt.Sprintf("it did not fail: %s", out.Status)
	}
	for _, e := range events {
		if e.Kind == trial.Note && e.Note != nil && e.Note.Kind == "network" {
			return "it has reached the network, which is not asked again"
		}
	}
	if s.Recipe.Sandbox.Network == string(sandbox.FullNetwork) && slices.ContainsFunc(s.calls,
		func(c call) bool { return c.made && c.Tool != "read_file" }) {
		return "its commands had the whole network, which is not asked again"
	}
	for _, c := range s.calls {
		if _, known := s.set.Tools[c.Tool]; c.made && !known && strings.Contains(c.Tool, "__") {
			return fmt.Sprintf("it has asked an MCP server by %s, which is not asked again", c.Tool)
		}
	}
	return ""
}

// look finds the move by bisection: before it the solution mends the world, after
// it no more.
func (s *search) look(ctx context.Context, out trial.Outcome) error {
	end, err := s.judged(ctx, len(s.calls), true, true)
	if err != nil {
		return err
	}
	if end == nil {
		return s.held(ctx, out)
	}
	if end.Status == trial.Undecided {
		s.found.Unknown = "what it left can't be judged with the solution: " + verdict.Sentence(end)
		return nil
	}
	good, bad := 0, len(s.calls) // the task was admitted: its solution mends the start
	for good+1 < bad {
		mid := (good + bad) / 2
		v, err := s.judged(ctx, mid, true, false)
		if err != nil {
			return err
		}
		switch {
		case v == nil:
			good = mid
		case v.Status == trial.Undecided:
			s.found.Unknown = fmt.Sprintf("the world after %d of its calls can't be judged: %s", mid,
				verdict.Sentence(v))
			return nil
		default:
			bad, end = mid, v
		}
	}
	m := s.calls[bad-1].Move
	m.Paths = s.changedBy(bad)
	s.found.Move, s.found.Check, s.found.Because = &m, end.Check, end.Detail
	return s.held(ctx, out)
}

// judged makes the first n calls again, runs the solution where that is asked for,
// and gives the first check that does not hold then; nil: all do.
func (s *search) judged(ctx context.Context, n int, solve, watch bool) (v *trial.Verdict, err error) {
	a := &verify.Admission{Case: s.Checks, Open: s.Open, Alone: true}
	err = a.Staged(ctx, func(sb sandbox.Sandbox, start *verify.Start) error {
		if err := s.again(ctx, sb, start, n, watch); err != nil {
			return err
		}
		if solve {
			if err := a.Solve(ctx, sb, s.Checks.Solutions[0], "solution"); err != nil {
				return err
			}
		}
		out, err := a.SealAndJudge(ctx, sb, start, false)
		if err != nil {
			return err
		}
		v = verdict.First(out.Verdicts, func(v trial.Verdict) bool { return v.Status != trial.Held })
		return nil
	})
	var broken *verify.BrokenStep
	if errors.As(err, &broken) {
		return &trial.Verdict{Detail: broken.Why}, nil
	}
	return v, err
}

// again makes the first n calls again. With watch it notes what differs from what
// was recorded, and what files each call changes.
func (s *search) again(ctx context.Context, sb sandbox.Sandbox, start *verify.Start, n int, watch bool) error {
	loan, err := lend.Give(ctx, sb, s.Files)
	if err != nil {
		return err
	}
	before := start.Manifest()
	if loan != nil && watch {
		if before, err = sb.FS().Manifest(ctx, nil); err != nil {
			return err
		}
	}
	for i := range n {
		c := &s.calls[i]
		tool, known := s.set.Tools[c.Tool]
		if !known || !c.made || c.Args == nil {
			continue
		}
		res, err := tool.Call(ctx, sb, c.Args)
		var bad *tools.CallError
		if errors.As(err, &bad) {
			res, err = tools.Result{Text: bad.Reason, Failed: true}, nil
		}
		if err != nil {
			return err
		}
		if !watch {
			continue
		}
		s.compare(c, res)
		after, err := sb.FS().Manifest(ctx, nil)
		if err != nil {
			return err
		}
		if diff := tree.Changes(before, after); len(diff) > 0 {
			s.worlds = append(s.worlds, world{i + 1, paths(diff)})
		}
		before = after
	}
	return loan.TakeBack(ctx)
}

// compare notes the first call that gives something else than it gave.
func (s *search) compare(c *call, res tools.Result) {
	if s.found.Differs != "" || c.gave == nil {
		return
	}
	if what := record.Differs(c.Tool, c.gave, res); what != "" {
		s.found.Differs = fmt.Sprintf("%s in step %d: %s", c.Tool, c.Step, what)
	}
}

// paths gives the first files that changed.
func paths(diff []tree.Change) []string {
	var out []string
	for _, d := range diff[:min(len(diff), maxPaths)] {
		out = append(out, d.Path)
	}
	return out
}

// changedBy gives the files that the nth call changed.
func (s *search) changedBy(n int) []string {
	for _, w := range s.worlds {
		if w.calls == n {
			return w.changed
		}
	}
	return nil
}

// held finds when the checks held last that do not hold at the end. A world whose
// files no call changed is judged but once.
func (s *search) held(ctx context.Context, out trial.Outcome) error {
	open := map[string]bool{}
	for _, v := range out.Verdicts {
		if v.Status == trial.NotHeld {
			open[v.Check] = true
		}
	}
	at := []int{0}
	for _, w := range s.worlds[:max(len(s.worlds)-1, 0)] { // the last is the one that was judged
		at = append(at, w.calls)
	}
	if len(at) > maxStates {
		at = at[len(at)-maxStates:]
	}
	for i := len(at) - 1; i >= 0 && len(open) > 0; i-- {
		vs, err := s.verdicts(ctx, at[i])
		if err != nil {
			return err
		}
		for _, v := range vs {
			if v.Status != trial.Held || !open[v.Check] {
				continue
			}
			delete(open, v.Check)
			h := trial.Once{Check: v.Check}
			if at[i] > 0 {
				m := s.calls[at[i]-1].Move
				m.Paths = s.changedBy(at[i])
				h.After = &m
			}
			s.found.Once = append(s.found.Once, h)
		}
	}
	return nil
}

// verdicts judges the world after n calls, as it is.
func (s *search) verdicts(ctx context.Context, n int) (vs []trial.Verdict, err error) {
	a := &verify.Admission{Case: s.Checks, Open: s.Open, Alone: true}
	err = a.Staged(ctx, func(sb sandbox.Sandbox, start *verify.Start) error {
		if err := s.again(ctx, sb, start, n, false); err != nil {
			return err
		}
		out, err := a.SealAndJudge(ctx, sb, start, false)
		vs = out.Verdicts
		return err
	})
	return vs, err
}
