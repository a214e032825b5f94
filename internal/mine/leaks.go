package mine

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/leaks"
)

// What of a fix is looked for in worlds.
const (
	longLine  = 32 // bytes that a line has that is nobody else's by chance
	mostLines = 5  // of each fix: the longest
	mostLine  = 400
)

// secretLines gives the lines that only a fix has, of those that say something.
func secretLines(pairs []pair) []string {
	var out []string
	for _, p := range pairs {
		old := map[string]bool{}
		for l := range strings.Lines(p.was) {
			old[strings.TrimSpace(l)] = true
		}
		for l := range strings.Lines(p.now) {
			if l = strings.TrimSpace(l); len(l) >= longLine && !old[l] && !idle.MatchString(l) && !slices.Contains(out, l) {
				out = append(out, l[:min(len(l), mostLine)])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return out[:min(len(out), mostLines)]
}

// leaked looks in the worlds of the tasks that were not looked at before for the lines
// of their fixes: one search for all that are prepared alike. Their projects have a
// repository of one commit, so that what else there is decides.
func (s *shift) leaked(ctx context.Context) error {
	by := map[string][]*Found{}
	for _, f := range s.found {
		if f != nil && f.Task != nil && !f.Task.Searched {
			by[f.Task.Prepared] = append(by[f.Task.Prepared], f)
		}
	}
	for prepared, list := range by {
		if err := s.search(ctx, prepared, list); err != nil {
			return err
		}
	}
	s.waiting = 0
	return nil
}

// tracked refuses a candidate where the project itself has a line of the fix in a directory
// of others' work, or of what was made: a package that is kept with the code.
func (w *writer) tracked(ctx context.Context, secret []string) error {
	list, err := w.repo.Holding(ctx, w.c.base(), secret)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, leaks.Others); i >= 0 {
		return refuse(Leaked, list[i])
	}
	return nil
}

func (s *shift) search(ctx context.Context, prepared string, list []*Found) (err error) {
	var lines, endings []string
	bare := false
	for _, f := range list {
		lines = append(lines, f.Task.Secret...)
		for _, p := range f.Task.Paths {
			bare = bare || path.Ext(p) == ""
			if e := path.Ext(p); !slices.Contains(endings, e) {
				endings = append(endings, e)
			}
		}
	}
	if bare {
		endings = nil // files of the system have any name
	}
	s.say("looking for the fixes in the worlds of their tasks")
	sb, err := s.machine.Open(ctx, sandbox.Spec{Prepared: prepared, Network: sandbox.NoNetwork})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	places, late, err := leaks.Lines(ctx, sb, lines, endings)
	if err != nil {
		return err
	}
	for _, f := range list {
		f.Task.Searched, f.Task.Unread = true, late
		for _, l := range f.Task.Secret {
			if where := places[l]; where != nil {
				s.drop(f, Leaked, where[0]+": "+cut(l, 80))
				break
			}
		}
		if err := s.rec.add(f); err != nil {
			return err
		}
	}
	return nil
}
