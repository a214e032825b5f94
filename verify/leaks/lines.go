package leaks

import (
	"context"
	"strings"

	"cookoff/sandbox"
)

// Lines looks in a world for lines that may stand nowhere in it: in project and HOME,
// caches, packed files, the system and its tool chains, there in files with one of the
// endings. It gives places by line; a line that stands in more places than could be chance
// is left out. late is what was not looked through in time. An error is the sandbox's.
func Lines(ctx context.Context, sb sandbox.Sandbox, lines, endings []string) (places map[string][]string, late []string,
	err error) {
	places = map[string][]string{}
	if len(lines) == 0 {
		return places, nil, nil
	}
	s := &search{world: sb}
	for _, l := range lines {
		s.lines = append(s.lines, line{text: l})
	}
	for _, part := range []struct{ script, what string }{{lookHere, "project, home and caches"},
		{lookBeyond, "the system and its tool chains"}} {
		out, cut, err := s.run(ctx, part.script, strings.Join(lines, "\n")+"\n", strings.Join(endings, " "))
		if err != nil {
			return nil, nil, err
		}
		if cut {
			late = append(late, part.what)
		}
		for hit := range strings.Lines(out) {
			if p, text, ok := strings.Cut(strings.TrimSuffix(hit, "\n"), "\x00"); ok {
				places[text] = append(places[text], at(p))
			}
		}
	}
	inside, left, err := s.packed(ctx)
	if err != nil {
		return nil, nil, err
	}
	if left != "" {
		late = append(late, "packed files ("+left+")")
	}
	for l, where := range inside {
		places[l.text] = append(places[l.text], where...)
	}
	for l, where := range places {
		if len(where) > common {
			delete(places, l)
		}
	}
	return places, late, nil
}
