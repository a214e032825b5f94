package admission

import (
	"context"
	"fmt"
	"strings"

	"cookoff/recipe/problem"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/cheat"
	"cookoff/verify/lint"
)

// Rate counts what generated contestants came to.
type Rate struct{ Wrong, Tried int }

func (r Rate) String() string { return fmt.Sprintf("%d of %d tried", r.Wrong, r.Tried) }

// Cheat lets generated cheats play every task that is run, without a
// model, and gives those that are not rejected.
func (l Lint) Cheat(ctx context.Context, tell func(done, of int)) (problem.List, Rate, error) {
	return l.attempts(ctx, tell, attempting{
		play: cheat.Cheats, want: trial.Fail,
		say: func(a cheat.Attempt) string {
			if a.Status == trial.Void {
				return fmt.Sprintf("a cheat ends void and is not counted, class %q: %s: %s", a.Class, a.What, a.Detail)
			}
			return fmt.Sprintf("a cheat passes, class %q: %s", a.Class, a.What)
		},
		hint: func(a cheat.Attempt) string { return a.Close },
	})
}

// Honest lets variants of the solution play, and gives those that do not pass.
func (l Lint) Honest(ctx context.Context, tell func(done, of int)) (problem.List, Rate, error) {
	return l.attempts(ctx, tell, attempting{
		play: cheat.Honest, want: trial.Pass,
		say: func(a cheat.Attempt) string {
			return fmt.Sprintf("an honest repair does not pass, class %q: %s: %s", a.Class, a.What, a.Sentence())
		},
		hint: func(a cheat.Attempt) string {
			if a.Allow != "" {
				return "where what it touched is right, add to the task: " + strings.ReplaceAll(a.Allow, "\n", "; ")
			}
			return "look at what works, not at how it is written; may_change says what a repair may touch"
		},
	})
}

// attempting is one kind of generated contestants.
type attempting struct {
	play func(context.Context, *verify.Case, verify.Opening, cheat.Tries) (cheat.Attempts, error)
	want trial.Status
	say  func(cheat.Attempt) string
	hint func(cheat.Attempt) string
}

// attempts plays generated attempts on each task, and reports those that the checks judge
// otherwise than they should, with the numbers of both. done of how many tasks is told as
// they end.
func (l Lint) attempts(ctx context.Context, tell func(done, of int), how attempting) (problem.List, Rate,
	error) {
	counts := make(chan Rate, len(l.Order))
	found, err := l.tryIn(ctx, tell, func(ctx context.Context, at *worlds.Staging, t *resolve.Task,
		open verify.Opening) ([]lint.Finding, error) {
		admitted, err := l.proven(at, t)
		if err != nil {
			return nil, err
		}
		got, err := how.play(ctx, t.Checks, open, cheat.Tries{Admitted: admitted})
		if err != nil {
			return nil, err
		}
		if x := got.Exclude; x != nil {
			return []lint.Finding{{Key: x.Phase, Msg: "not fit to be run: " + x.Why}}, nil
		}
		var list []lint.Finding
		for _, a := range got.Wrong(how.want) {
			list = append(list, lint.Finding{Key: "after[0]", Msg: how.say(a), Hint: how.hint(a)})
		}
		counts <- Rate{len(list), len(got.Made)}
		return list, nil
	})
	close(counts)
	var all Rate
	for c := range counts {
		all.Wrong += c.Wrong
		all.Tried += c.Tried
	}
	return found, all, err
}

// proven reports whether a task was admitted before, by a run, a search of a history or Prove, and gives its checks
// what was learned then. One of a sequence was not: where the others lead is proven in their order.
func (l Lint) proven(at *worlds.Staging, t *resolve.Task) (bool, error) {
	if at.Sequential() {
		return false, nil
	}
	a := l.Admission
	a.Staging = at
	key, err := a.keyOf(t)
	return err == nil && a.known(key, t), err
}
