package admission

import (
	"context"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/resolve"
	"cookoff/verify"
	"cookoff/verify/leaks"
	"cookoff/verify/lint"
)

// Leaks looks in the world of every task that is run for what gives its
// answer away, without a model.
func (l Lint) Leaks(ctx context.Context) (problem.List, error) {
	return l.try(ctx, nil, func(ctx context.Context, t *resolve.Task, open verify.Opening) ([]lint.Finding, error) {
		return leaks.Find(ctx, t.Checks, open, texts(l.Recipe, t))
	})
}

// texts are those that contestants are given at a task, by what they are called.
func texts(r *recipe.Recipe, t *resolve.Task) map[string]string {
	out := map[string]string{"the prompt": t.Told(), "the system prompt": r.SystemPrompt,
		"the tool guidance": r.ToolGuidance}
	for _, c := range r.Contestants {
		if c.SystemPrompt != nil {
			out["the system prompt of "+c.Name] = *c.SystemPrompt
		}
	}
	return out
}
