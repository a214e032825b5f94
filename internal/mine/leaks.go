package mine

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/leaks"
)

// mostNames is of how many names files may be in which a line stands that everybody doesn't write.
const mostNames = 2

// giveaway finds a place that holds a fix, and a line of it there: a file with two of its lines; with one that
// says much, unless files of several names have it, so that everybody writes it; or with any of them, where
// the file is called as one that the fix changes. "": there is none.
func giveaway(secret, changed []string, places map[string][]string) (where, line string) {
	held := map[string]int{}
	for _, l := range secret {
		for _, at := range places[l] {
			held[at]++
		}
	}
	for _, l := range secret {
		names := map[string]bool{}
		for _, at := range places[l] {
			names[nameOf(at)] = true
		}
		much := lines.SaysMuch(l) && len(names) <= mostNames
		for _, at := range places[l] {
			if much || held[at] > 1 || slices.ContainsFunc(changed, func(p string) bool {
				return path.Base(p) == nameOf(at) && !anyones.MatchString(path.Base(p))
			}) {
				return at, l
			}
		}
	}
	return "", ""
}

// nameOf is the name of a file; of one in a packed file, which stands in brackets, of that.
func nameOf(at string) string {
	if before, inside, ok := strings.Cut(strings.TrimSuffix(at, ")"), " ("); ok && before != "" {
		at = inside
	}
	return path.Base(at)
}

// anyones are names of files that every project has.
var anyones = pattern.New(`^(index|main|mod|lib|__init__|utils?|helpers?|common|core|types?|errors?|api|cli|app)\.\w+$`)

// leaked looks in the worlds of the tasks that were not looked at before for the lines
// of their fixes: one search for all that are prepared alike. Their projects have a
// repository of one commit, so that what else there is decides.
func (s *shift) leaked(ctx context.Context) error {
	began := time.Now()
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
	if s.waiting > 0 {
		s.cost = time.Since(began)
	}
	s.waiting, s.looked = 0, time.Now()
	return nil
}

// tracked refuses a candidate where the project itself has lines of the fix in a directory of others'
// work, or of what was made: a package that is kept with the code. It gives the lines but for those that
// stand in the project's own files, and don't say much: that is how people write there.
func (w *writer) tracked(ctx context.Context, secret []string) ([]string, error) {
	var fresh []string
	places := map[string][]string{}
	for _, l := range secret {
		list, err := w.repo.Holding(ctx, w.c.Before(), []string{l})
		if err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(slices.Clone(list), func(p string) bool { return !leaks.Others(p) })
		if len(others) == len(list) || lines.SaysMuch(l) {
			fresh, places[l] = append(fresh, l), others
		}
	}
	if where, _ := giveaway(fresh, paths(w.c.Fix), places); where != "" {
		return nil, refusal.New(refusal.Leaked, where)
	}
	return fresh, nil
}

// withdraw takes the files of a judge away that this search laid for what is no task, before that is recorded: no
// search that is killed leaves files that nobody asks for. The recipe of an earlier one may ask for its own.
func (s *shift) withdraw(f *Found) error {
	if !f.fresh {
		return nil
	}
	return s.ground.Remove(judgesDir(f.Commit, f.From))
}

func (s *shift) search(ctx context.Context, prepared string, list []*Found) (err error) {
	var secret, endings []string
	bare := false
	for _, f := range list {
		secret = append(secret, f.Task.Secret...)
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
	places, late, err := leaks.Lines(ctx, sb, secret, endings)
	if err != nil {
		return err
	}
	for _, f := range list {
		f.Task.Searched, f.Task.Unread = true, late
		if where, l := giveaway(f.Task.Secret, f.Task.Paths, places); where != "" {
			s.drop(f, refusal.Leaked, where+": "+lines.Cut(l, 80))
			if err := s.withdraw(f); err != nil {
				return err
			}
		}
		if err := s.rec.add(f); err != nil {
			return err
		}
	}
	return nil
}
