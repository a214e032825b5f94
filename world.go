package cookoff

import (
	"context"
	"slices"

	"cookoff/internal/host"
	"cookoff/recipe"
	"cookoff/runner/prepare"
	"cookoff/runner/project"
	"cookoff/sandbox"
)

// Worlds opens sandboxes for who looks at a project before there are tasks.
type Worlds struct {
	p     *preparation
	tools string
}

// Worlds gives sandboxes as the recipe's trials have them.
func (c *Comparison) Worlds(ctx context.Context) (*Worlds, error) {
	if err := c.Check(ctx); err != nil {
		return nil, err
	}
	if err := c.prep.warm(ctx); err != nil {
		return nil, err
	}
	c.prep.host.SayChains(c.prep.chains, c.prep.recipe)
	return &Worlds{&c.prep, host.Programs(c.prep.env.ToolPaths)}, nil
}

// Open opens a sandbox that the caller describes, with the tool chains and variables
// that the recipe's trials have.
func (w *Worlds) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	return w.p.env.Backend.Open(ctx, w.equip(spec))
}

// Prepare has the recipe's prepare: of Sandbox run over the project in dir, which
// belongs to the one in from, unless that was done before for the same lockfiles. It
// gives what a sandbox takes as Spec.Prepared; "": the recipe prepares nothing. What is its own belongs to no other
// state of the project, whatever its lockfiles are.
func (w *Worlds) Prepare(ctx context.Context, dir, from string) (made string, own bool, err error) {
	s := w.p.recipe.Sandbox
	if s.Prepare == "" {
		return "", false, nil
	}
	store := w.p.env.Prepare
	store.Network = true
	made, err = store.Make(ctx, w.p.env.Backend, prepare.Work{Command: s.Prepare, Timeout: s.PrepareTimeout, Project: dir,
		From: from, SharedByStates: true, Sum: func() (string, error) { return project.Digest(dir, &recipe.Recipe{}) },
		Spec: w.equip(sandbox.Spec{}), Tools: w.tools})
	if err == nil {
		own, err = prepare.OfSources(made)
	}
	return made, own, err
}

func (w *Worlds) equip(spec sandbox.Spec) sandbox.Spec {
	spec.ToolPaths = w.p.env.ToolPaths
	spec.Env = slices.Concat(w.p.recipe.Sandbox.Env, spec.Env)
	return spec
}
