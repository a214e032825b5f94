package sides

import (
	"cmp"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
)

// SecretLines gives the lines that only a fix has, of those that say something: first those that say much,
// the longest first.
func SecretLines(pairs []Pair) []string {
	var out []string
	old := map[string]bool{}
	for _, p := range pairs {
		for l := range strings.Lines(p.Was) {
			old[strings.TrimSpace(l)] = true
		}
	}
	for _, p := range pairs {
		for l := range strings.Lines(p.Now) {
			if l = strings.TrimSpace(l); len(l) >= longLine && !old[l] && lines.Weight(l) >= lines.Some && !slices.Contains(out, l) {
				out = append(out, l[:min(len(l), mostLine)])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		if much := lines.SaysMuch(a); much != lines.SaysMuch(b) {
			return map[bool]int{true: -1, false: 1}[much]
		}
		return cmp.Compare(len(b), len(a))
	})
	return out[:min(len(out), mostLines)]
}

// What of a fix is looked for in worlds.
const (
	longLine  = 32 // bytes that a line has that is nobody else's by chance
	mostLines = 5  // of each fix: the longest
	mostLine  = 400
)
