package resolve

import (
	"fmt"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/verify/lint"
)

// report is what is wrong with a recipe.
type report struct {
	recipe   *recipe.Recipe
	problems problem.List
}

// at reports a problem with the value at key.
func (r *report) at(key, hint, format string, args ...any) {
	r.problems = append(r.problems, problem.Problem{Pos: r.recipe.Place(key), Msg: fmt.Sprintf(format, args...),
		Hint: hint})
}

// warn reports what is worth saying and no reason to refuse.
func (r *report) warn(key, hint, format string, args ...any) {
	r.at(key, hint, format, args...)
	r.problems[len(r.problems)-1].Warning = true
}

// unknown reports a name that means nothing, with what is allowed.
func (r *report) unknown(key, what, name string, allowed []string) {
	hint := ""
	if n := nearest.Name(name, allowed); n != "" {
		hint = fmt.Sprintf("did you mean %s?", n)
	}
	r.at(key, hint, "unknown %s %q; allowed: %s", what, name, strings.Join(allowed, ", "))
}

// findings reports what verify found, at key.
func (r *report) findings(key string, fs []lint.Finding) {
	for _, f := range fs {
		r.problems = append(r.problems, problem.Problem{Pos: r.recipe.At(key + f.Key), Msg: f.Msg, Hint: f.Hint,
			Warning: f.Warning})
	}
}
