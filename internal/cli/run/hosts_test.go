package run

import (
	"slices"
	"testing"
)

// TestHostNames: a list that names nobody is refused: it would run here what was meant
// to run elsewhere.
func TestHostNames(t *testing.T) {
	for said, want := range map[string][]string{"a": {"a"}, "a, local": {"a", "local"}, "": nil, ",": nil, "a,": nil,
		"kubernetes:a=b,c!=d,!e,slurm:3,local": {"kubernetes:a=b,c!=d,!e", "slurm:3", "local"},
		"slurm:-N2 -t 60,a":                    {"slurm:-N2 -t 60", "a"}} {
		var h hostNames
		if err := h.Set(said); (err == nil) != (want != nil) || !slices.Equal(h, want) {
			t.Errorf("%q gives %q, %v", said, h, err)
		}
	}
}
