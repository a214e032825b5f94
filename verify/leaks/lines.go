package leaks

import (
	"context"
	"strings"

	"cookoff/sandbox"
)

// Lines looks in a world for lines that may stand nowhere in it: in project and HOME,
// caches, the system and its tool chains, there in files with one of the endings. It
// gives places by line; a line that stands in more places than could be chance is
// left out. late says what was not looked through in time. An error is the sandbox's.
func Lines(ctx context.Context, sb sandbox.Sandbox, lines, endings []string) (places map[string][]string, late string,
	err error) {
	places = map[string][]string{}
	if len(lines) == 0 {
		return places, "", nil
	}
	s := &search{world: sb}
	for _, part := range []struct{ script, what string }{{lookHere, "project, home and caches"},
		{lookBeyond, "the system and its tool chains"}} {
		out, cut, err := s.run(ctx, part.script, strings.Join(lines, "\n")+"\n", strings.Join(endings, " "))
		if err != nil {
			return nil, "", err
		}
		if cut {
			late = part.what
		}
		for hit := range strings.Lines(out) {
			if p, text, ok := strings.Cut(strings.TrimSuffix(hit, "\n"), "\x00"); ok {
				places[text] = append(places[text], at(p))
			}
		}
	}
	for l, where := range places {
		if len(where) > common {
			delete(places, l)
		}
	}
	return places, late, nil
}
