package mine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/mine"
	"cookoff/internal/plant"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// scene is how long one script of a world may take where --timeout does not say.
const scene = 2 * time.Minute

// inWorlds plants in the worlds of a recipe's tasks.
func (p *planting) inWorlds(ctx context.Context) error {
	for _, flag := range []string{"test", "prepare", "path", "tool-dir"} {
		if p.given(flag) {
			return cli.Usage("--%s is about the project, and --world plants in another's worlds", flag)
		}
	}
	if p.faults != 1 {
		return cli.Usage("--faults must be 1 with --world: each fault is tried in a world of its own")
	}
	if p.timeout < 0 {
		return cli.Usage("--timeout must not be negative")
	}
	p.top = p.Dir
	var o mine.Options
	if err := p.places(&o); err != nil {
		return err
	}
	ref, r, err := p.source(ctx)
	if err != nil {
		return err
	}
	p.Say("planting faults with seed %d in the worlds of %s, judged by their checks", p.seed, text.Line(p.world))
	alone := func(tasks ...recipe.Task) *recipe.Recipe {
		out := *r
		out.Name, out.Tasks, out.Contestants = "Planted", tasks, nil
		out.Metadata.Extends = nil
		if out.Models = p.models; len(out.Models) == 0 {
			out.Models = []string{"baseline/noop", "baseline/oracle"}
		}
		return &out
	}
	s := plant.Options{Seed: p.seed, Tasks: p.tasks, Faults: 1, Timeout: p.timeout, Env: p.env,
		Each: p.shown.planted}
	p.shown.start(p.Common, "staging the first world")
	if s.Timeout == 0 {
		s.Timeout = scene
	}
	dir := filepath.Dir(p.output) // what its tasks name by paths lies there
	list, tried, err := plant.SowIn(ctx, s, r.Tasks, ref.Open, p.proving(ref, dir, func(t recipe.Task) *recipe.Recipe {
		return alone(t)
	}), p.told, func(title, why string) {
		if p.Verbose || len(p.only) > 0 {
			p.shown.say("not %s: %s", text.Line(title), text.Line(why))
		}
	})
	p.shown.finish()
	if err != nil && ctx.Err() == nil { // interrupted, it says what it has
		return p.failed(ctx, err)
	}
	return p.finish(ctx, alone(recipes(list)...),
		fmt.Sprintf("Faults planted in %s, seed %d", r.Name, p.seed), list, tried)
}

// source reads the recipe, and makes sandboxes as it has them.
func (p *planting) source(ctx context.Context) (*referee, *recipe.Recipe, error) {
	opt := p.Options(false, false)
	opt.Offline, opt.Models = true, []string{"baseline/noop"}
	read, ps, err := cookoff.Find(ctx, p.world, opt)
	if err != nil {
		return nil, nil, door.Failure(ctx, err)
	}
	if read == nil {
		return nil, nil, cli.Fail(cli.ExitUsage, ps)
	}
	for _, name := range p.only {
		if !slices.ContainsFunc(read.Tasks, func(t recipe.Task) bool { return t.Title == name }) {
			return nil, nil, cli.Usage("--task %q: %s has no such task", name, p.world)
		}
	}
	read.Tasks = slices.DeleteFunc(read.Tasks, func(t recipe.Task) bool {
		return len(p.only) > 0 && !slices.Contains(p.only, t.Title)
	})
	c, err := cookoff.Check(ctx, read, ps, opt)
	if err != nil {
		return nil, nil, door.Failure(ctx, err)
	}
	w, err := c.Worlds(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, nil, cli.Fail(cli.ExitInterrupted, nil)
	case err != nil:
		return nil, nil, cli.Fail(cli.ExitInfra, err)
	case len(read.Tasks) == 0:
		return nil, nil, cli.Usage("%s has no task of its own to plant in", p.world+": its tasks stand for others")
	}
	return &referee{Worlds: w, door: p.Door}, read, nil
}
