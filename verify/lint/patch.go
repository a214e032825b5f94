package lint

import (
	"fmt"
	"path"
	"strings"

	"cookoff/recipe"
	"cookoff/verify/tree"
)

// lintPatch warns of keys about what a patch never holds.
func lintPatch(fs *Findings, t recipe.Task) {
	if t.Judge != "patch" {
		return
	}
	for _, k := range []struct {
		key  string
		list []string
	}{{"protect", t.Protect}, {"may_change", t.MayChange}, {"may_add", t.MayAdd}} {
		for i, g := range k.list {
			if p := tree.Pattern(g); strings.HasPrefix(p, "~/") || path.IsAbs(p) {
				fs.Warn(fmt.Sprintf("%s[%d]", k.key, i),
					"judge: patch takes the change of the project alone; name files of the project",
					"%q is never part of a patch", g)
			}
		}
	}
}
