package recipe

import (
	"fmt"

	"cookoff/recipe/problem"
)

// Runner is a recipe bound to the behaviour of the version it was written for.
type Runner interface {
	// Version returns the recipe format version this runner implements.
	Version() int
	// Recipe returns the underlying recipe configuration.
	Recipe() *Recipe
}

type v1 struct{ recipe *Recipe }

// NewV1Runner creates a Runner for a version 1 recipe.
func NewV1Runner(r *Recipe) Runner { return v1{r} }

func (v v1) Version() int    { return 1 }
func (v v1) Recipe() *Recipe { return v.recipe }

// BuildRunner creates the Runner of the recipe's version, or says which
// versions this binary supports.
func (r *Recipe) BuildRunner() (Runner, error) {
	if r.Version != 1 {
		return nil, problem.List{{Pos: r.At("version"),
			Kind: problem.Unreadable, Msg: fmt.Sprintf("recipe version %d is not supported: this binary supports 1..%d",
				r.Version, MaxVersion)}}
	}
	return NewV1Runner(r), nil
}
