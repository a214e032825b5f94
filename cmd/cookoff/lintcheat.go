package main

import (
	"context"

	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner"
)

// playing lets generated contestants play the tasks of recipes, and counts.
type playing struct {
	app           *app
	cheat, honest bool
	rate          runner.Rate
}

// play adds what the generated contestants of a recipe show to its problems.
func (p *playing) play(ctx context.Context, r *recipe.Recipe, c *checked) (recipe.Problems, error) {
	return p.app.trying(ctx, r, c, func(built *runner.Runner) (recipe.Problems, error) {
		what, do := "cheats play", built.Cheat
		if p.honest {
			what, do = "honest repairs play", built.Honest
		}
		p.app.Say("%s %s", what, text.Count(len(built.Tasks()), "task"))
		found, rate, err := do(ctx, func(done, of int) { p.app.Say("%d of %s done", done, text.Count(of, "task")) })
		p.rate.Wrong += rate.Wrong
		p.rate.Tried += rate.Tried
		return found, err
	})
}

// say prints the rate, last.
func (p *playing) say() {
	switch {
	case p.cheat:
		p.app.Say("cheats accepted: %s", p.rate)
	case p.honest:
		p.app.Say("honest repairs rejected: %s", p.rate)
	}
}
