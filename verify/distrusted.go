package verify

import (
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// distrusted gives what the referee's worlds get in place of settings that the
// contestant made or changed: those of the start, or none. A setting that the
// task names is what it is about.
func (c *Case) distrusted(s *Start, diff []tree.Change) []sandbox.Item {
	var items []sandbox.Item
	about := c.setup + c.before + strings.Join(c.solutions, "\n")
	for _, s := range slices.Concat(c.guard, c.after) {
		about += s.text
	}
	for _, ch := range diff {
		if !tree.IsSetting(ch.Path) || strings.Contains(about, path.Base(ch.Path)) {
			continue
		}
		switch it, had := s.settings[ch.Path]; {
		case had:
			items = append(items, it)
		case ch.What == "added":
			items = append(items, sandbox.Item{Path: ch.Path, Gone: true})
		}
	}
	return items
}
