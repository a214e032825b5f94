package runner

import (
	"context"
	"fmt"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
)

// Rate counts what generated contestants came to.
type Rate struct{ Wrong, Tried int }

func (r Rate) String() string { return fmt.Sprintf("%d of %d tried", r.Wrong, r.Tried) }

// Cheat lets generated cheats play every task that Env.Only lets run, without a
// model, and gives those that are not rejected.
func (r *Runner) Cheat(ctx context.Context, tell func(done, of int)) (recipe.Problems, Rate, error) {
	return r.attempts(ctx, tell, attempting{
		play: (*verify.Case).Cheat, want: trial.Fail,
		say: func(a verify.Attempt) string {
			if a.Status == trial.Void {
				return fmt.Sprintf("a cheat ends void and is not counted, class %q: %s: %s", a.Class, a.What, a.Detail)
			}
			return fmt.Sprintf("a cheat passes, class %q: %s", a.Class, a.What)
		},
		hint: func(a verify.Attempt) string { return a.Close },
	})
}

// Honest lets variants of the solution play, and gives those that do not pass.
func (r *Runner) Honest(ctx context.Context, tell func(done, of int)) (recipe.Problems, Rate, error) {
	return r.attempts(ctx, tell, attempting{
		play: (*verify.Case).Honest, want: trial.Pass,
		say: func(a verify.Attempt) string {
			return fmt.Sprintf("an honest repair does not pass, class %q: %s: %s", a.Class, a.What, a.Sentence())
		},
		hint: func(verify.Attempt) string {
			return "look at what works, not at how it is written; may_change says what a repair may touch"
		},
	})
}

// attempting is one kind of generated contestants.
type attempting struct {
	play func(*verify.Case, context.Context, verify.Opening, func(class, name string) bool) (verify.Attempts, error)
	want trial.Status
	say  func(verify.Attempt) string
	hint func(verify.Attempt) string
}

func (r *Runner) attempts(ctx context.Context, tell func(done, of int), how attempting) (recipe.Problems, Rate, error) {
	counts := make(chan Rate, len(r.order))
	found, err := r.try(ctx, tell, func(ctx context.Context, t *task, open verify.Opening) ([]verify.Finding, error) {
		got, err := how.play(t.checks, ctx, open, nil)
		if err != nil {
			return nil, err
		}
		if x := got.Exclude; x != nil {
			return []verify.Finding{{Key: x.Phase, Msg: "not fit to be run: " + x.Why}}, nil
		}
		var list []verify.Finding
		for _, a := range got.Wrong(how.want) {
			list = append(list, verify.Finding{Key: "after[0]", Msg: how.say(a), Hint: how.hint(a)})
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
