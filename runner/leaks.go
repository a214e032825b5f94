package runner

import (
	"context"

	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/verify"
	"cookoff/verify/leaks"
	"cookoff/verify/lint"
)

// Leaks looks in the world of every task that Env.Only lets run for what gives its
// answer away, without a model. An error is ctx's, or the sandbox's.
func (s *staging) Leaks(ctx context.Context) (recipe.Problems, error) {
	return s.try(ctx, nil, func(ctx context.Context, t *resolve.Task, open verify.Opening) ([]lint.Finding, error) {
		return leaks.Find(ctx, t.Checks, open, s.texts(t))
	})
}

// texts are those that contestants are given at a task, by what they are called.
func (s *staging) texts(t *resolve.Task) map[string]string {
	out := map[string]string{"the prompt": t.Told(), "the system prompt": s.Recipe.SystemPrompt,
		"the tool guidance": s.Recipe.ToolGuidance}
	for _, c := range s.Recipe.Contestants {
		if c.SystemPrompt != nil {
			out["the system prompt of "+c.Name] = *c.SystemPrompt
		}
	}
	return out
}
