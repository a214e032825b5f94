package plant

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
	"cookoff/verify/leaks"
)

// What tells a copy of a source by its lines.
const (
	mostMarks  = 5  // lines of a source that are looked for: those that say the most
	leastMarks = 2  // fewer tell nothing
	shortMark  = 12 // bytes that such a line has at least
)

// packed are the names of packed files, and of files in them, as leaks gives them.
var packed = pattern.New(`\.(tgz|gz)$|\)$`)

// marks are the lines of a source that say the most.
func marks(source string) (list []string) {
	for l := range strings.Lines(source) {
		if l = strings.TrimSpace(l); len(l) >= shortMark && lines.Weight(l) > 0 && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Or(lines.Weight(b)-lines.Weight(a), len(b)-len(a))
	})
	return list[:min(mostMarks, len(list))]
}

// twin finds a place that has most of the marks of a source: a file that nobody works on, or with its name, as it is
// kept aside under (prices.py.bak, prices.js.map); or any that has all of many. places are those of lines. "": there
// is none.
func twin(source string, marks []string, places map[string][]string) string {
	held := map[string]int{}
	for _, l := range marks {
		for _, at := range places[l] {
			held[at]++
		}
	}
	delete(held, source)
	for _, at := range slices.Sorted(maps.Keys(held)) {
		likely := path.IsAbs(at) || strings.HasPrefix(at, "~/") || leaks.Others(at) || packed.MatchString(at) ||
			strings.HasPrefix(path.Base(at), path.Base(source))
		if held[at] == mostMarks || likely && held[at] >= leastMarks && 2*held[at] > len(marks) {
			return at
		}
	}
	return ""
}

// uncopied leaves the sources out of which a copy lies in the world, as in a dist/ that was committed or where the
// project is installed: there a model would read what the lines were in which faults are planted.
func (s *sower) uncopied(ctx context.Context) error {
	of, all := map[string][]string{}, []string{}
	for _, source := range slices.Sorted(maps.Keys(s.texts)) {
		of[source] = marks(s.texts[source])
		all = append(all, of[source]...)
	}
	places, err := leaks.Here(ctx, s.sb, all)
	if err != nil {
		return err
	}
	n, first, where := 0, "", ""
	for _, source := range slices.Sorted(maps.Keys(s.texts)) {
		at := twin(source, of[source], places)
		if at == "" {
			continue
		}
		delete(s.texts, source)
		if n++; n == 1 {
			first, where = source, at
		}
	}
	switch {
	case n > 0 && len(s.texts) == 0:
		return fmt.Errorf("every source lies in its world a second time, where its lines could be read as they were "+
			"before a fault: %s as %s\n  hint: take what is made of the sources out of the commit, or name others by --path",
			first, where)
	case n > 0 && s.Note != nil:
		line := fmt.Sprintf("nothing is planted in what the world has a copy of: %s is %s, too", first, where)
		if n > 1 {
			line += fmt.Sprintf(" (and %d more)", n-1)
		}
		s.Note(line)
	}
	return nil
}
