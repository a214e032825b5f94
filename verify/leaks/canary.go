package leaks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// A canary string marks the text of a benchmark, so that it is found where it should not be.
const (
	canaryID   = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`
	canaryText = `BENCHMARK DATA SHOULD NEVER APPEAR|` +
		`[Cc][Aa][Nn][Aa][Rr][Yy][^a-zA-Z0-9]*([A-Za-z]{2,6}[^a-zA-Z0-9]{0,4})?` + canaryID
)

var (
	canaries  = pattern.New(canaryText)
	canaryIDs = pattern.New(canaryID)
)

// lookCanaries prints the paths of files that hold a canary string, each with that, in
// the places that are the task's own.
const lookCanaries = `grep -rIoE -Z -D skip -e "$LOOK_1" /work /home/agent /var /tmp /run 2>/dev/null |
  LC_ALL=C sort -u | head -n 500; exit 0`

// canary reports files of the world that say they are of a benchmark: an error where the
// string is the one of the task's own checks or solutions, since they come from there.
func (s *search) canary(ctx context.Context) error {
	out, cut, err := s.run(ctx, lookCanaries, "", canaryText)
	if err != nil {
		return err
	}
	if cut {
		s.slow("project, home and caches for canary strings")
	}
	secret := canariesOf(s.c.Texts(), s.c.Solutions)
	places := map[string][]string{} // by the string
	for hit := range strings.Lines(out) {
		p, text, ok := strings.Cut(strings.TrimSuffix(hit, "\n"), "\x00")
		if !ok {
			continue
		}
		if id := canaryIDs.FindString(text); id != "" {
			text = strings.ToLower(id)
		}
		if p = at(p); !slices.Contains(places[text], p) {
			places[text] = append(places[text], p)
		}
	}
	for _, text := range sortedKeys(places) {
		f := finding(fmt.Sprintf("the canary string of a benchmark stands in the task's world: %s: %q",
			list(places[text]), text),
			"its answers may have been read by models, and may lie beside it: take the files out of the world")
		f.Warning = true
		if secret[text] {
			f.Warning = false
			f.Msg = fmt.Sprintf("the canary string of the task's own checks or solution stands in its world: %s: %q",
				list(places[text]), text)
			f.Hint = "what is marked with it is not for models: take the files out of the world"
		}
		s.found.List = append(s.found.List, f)
	}
	return nil
}

// canariesOf gives the ids of the canary strings in texts.
func canariesOf(lists ...[]string) map[string]bool {
	ids := map[string]bool{}
	for _, text := range slices.Concat(lists...) {
		for _, c := range canaries.FindAllString(text, -1) {
			if id := canaryIDs.FindString(c); id != "" {
				ids[strings.ToLower(id)] = true
			}
		}
	}
	return ids
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
