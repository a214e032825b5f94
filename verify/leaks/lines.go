package leaks

import (
	"context"
	"maps"
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
	s := searchFor(sb, lines)
	for _, part := range []struct{ script, what string }{{lookHere, "project, home and caches"},
		{lookBeyond, "the system and its tool chains"}} {
		cut, err := s.into(ctx, places, part.script, lines, endings)
		if err != nil {
			return nil, nil, err
		}
		if cut {
			late = append(late, part.what)
		}
	}
	left, err := s.intoPacked(ctx, places, "/")
	if err != nil {
		return nil, nil, err
	}
	if left != "" {
		late = append(late, "packed files ("+left+")")
	}
	uncommon(places)
	return places, late, nil
}

// Here is Lines for what is the world's own: project, HOME and caches, and packed files of the project. What is not
// looked through in time has none.
func Here(ctx context.Context, sb sandbox.Sandbox, lines []string) (places map[string][]string, err error) {
	places = map[string][]string{}
	if len(lines) == 0 {
		return places, nil
	}
	s := searchFor(sb, lines)
	if _, err = s.into(ctx, places, lookHere, lines, nil); err == nil {
		_, err = s.intoPacked(ctx, places, sandbox.WorkDir)
	}
	uncommon(places)
	return places, err
}

// searchFor is a search of a world for lines.
func searchFor(sb sandbox.Sandbox, lines []string) *search {
	s := &search{world: sb}
	for _, l := range lines {
		s.lines = append(s.lines, line{text: l})
	}
	return s
}

// intoPacked adds the places in packed files below a directory; left says what was not looked into.
func (s *search) intoPacked(ctx context.Context, places map[string][]string, dir string) (left string, err error) {
	inside, left, err := s.packed(ctx, dir)
	for l, where := range inside {
		places[l.text] = append(places[l.text], where...)
	}
	return left, err
}

// into adds the places in which a script finds lines; cut: its time was not enough.
func (s *search) into(ctx context.Context, places map[string][]string, script string, lines, endings []string) (
	cut bool, err error) {
	out, cut, err := s.run(ctx, script, strings.Join(lines, "\n")+"\n", strings.Join(endings, " "))
	for hit := range strings.Lines(out) {
		if p, text, ok := strings.Cut(strings.TrimSuffix(hit, "\n"), "\x00"); ok {
			places[text] = append(places[text], at(p))
		}
	}
	return cut, err
}

// uncommon takes the lines away that stand in so many places that they say nothing.
func uncommon(places map[string][]string) {
	maps.DeleteFunc(places, func(_ string, where []string) bool { return len(where) > common })
}
