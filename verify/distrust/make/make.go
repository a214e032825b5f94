// Package make is how the referee distrusts make.
package make

import "cookoff/verify/distrust"

// Tool is make. A check is hijacked through a file that it looks for before the
// Makefile that a task protects.
type Tool struct{ distrust.None }

// Fronts are GNUmakefile and makefile.
func (Tool) Fronts() []distrust.Front {
	return []distrust.Front{{
		Programs: []string{"make", "gmake"}, Unless: []string{"-f", "--file", "--makefile"},
		Before: map[string][]string{"Makefile": {"GNUmakefile", "makefile"}, "makefile": {"GNUmakefile"}},
		What:   "a GNUmakefile that does nothing",
		Plant: `find . \( -name Makefile -o -name makefile \) -type f | head -n 200 | while IFS= read -r f; do
	printf '.PHONY: nothing $(MAKECMDGOALS)\nnothing $(MAKECMDGOALS): ; @:\n' > "${f%/*}/GNUmakefile"
done`,
	}}
}
