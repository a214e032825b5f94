package sides

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
)

// Joined gives files before and after where one that is gone and one that is new, of the same ending and with more
// than half of their lines in common, are one: that was renamed. from tells the old path of each by its new one.
func Joined(pairs []Pair) (out []Pair, from map[string]string) {
	pairs, from = slices.Clone(pairs), map[string]string{}
	taken := map[string]bool{} // old paths
	for i, p := range pairs {
		if p.Was != "" || p.Now == "" {
			continue
		}
		for _, old := range pairs {
			if old.Now == "" && !taken[old.Path] && path.Ext(old.Path) == path.Ext(p.Path) && mostly(old.Was, p.Now) {
				from[p.Path], taken[old.Path] = old.Path, true
				pairs[i].Was = old.Was
				break
			}
		}
	}
	for _, p := range pairs {
		if !taken[p.Path] {
			out = append(out, p)
		}
	}
	return out, from
}

// mostly reports whether two texts have more than half of their lines in common.
func mostly(was, now string) bool {
	all := strings.Count(was, "\n") + strings.Count(now, "\n")
	return all > 0 && 2*len(lines.Changed(was, now)) < all
}
