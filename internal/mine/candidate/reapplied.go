package candidate

import (
	"context"
	"maps"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// reapplied gives the commit of the history that another does again, by what git says of it: a revert of a revert,
// what was reapplied, or what was taken back and then done again line by line; "": none is known. It would be the same
// task twice, and the older one says what is wrong.
func (f *Finder) reapplied(ctx context.Context, e history.Entry) string {
	subject := lines.First(e.Message)
	again := false
	for {
		inner, is := cutQuoted(subject, "Reapply")
		if is {
			again, subject = true, inner
			continue
		}
		once, is := cutQuoted(subject, "Revert")
		if !is {
			break
		}
		if inner, is = cutQuoted(once, "Revert"); !is {
			return "" // what is taken back at last
		}
		again, subject = true, inner
	}
	if f.ranged {
		return ""
	}
	if !again {
		return f.redone(ctx, e)
	}
	for _, o := range f.changes.log {
		if o.ID != e.ID && lines.First(o.Message) == subject && !o.Time.After(e.Time) && f.samePaths(ctx, o, e) {
			return o.ID
		}
	}
	return ""
}

// takenBack is what git writes below the subject of a commit that takes another one back.
var takenBack = pattern.New(`(?m)^This reverts commit ([0-9a-f]{7,40})\b`)

// redone gives the commit which was taken back later, and whose very change another makes again, under whatever title;
// "": there is none.
func (f *Finder) redone(ctx context.Context, e history.Entry) string {
	for _, r := range f.changes.log {
		if r.ID == e.ID || r.Time.After(e.Time) {
			continue
		}
		subject, is := cutQuoted(lines.First(r.Message), "Revert")
		m := takenBack.FindStringSubmatch(r.Message)
		if !is && m == nil {
			continue
		}
		for _, o := range f.changes.log {
			if o.ID == e.ID || o.ID == r.ID || o.Time.After(r.Time) {
				continue
			}
			if (m != nil && strings.HasPrefix(o.ID, m[1]) || is && lines.First(o.Message) == subject) &&
				f.samePaths(ctx, o, e) && f.sameChange(ctx, o, e) {
				return o.ID
			}
		}
	}
	return ""
}

// sameChange reports whether two commits that change the same files take out and put in the same lines, wherever.
func (f *Finder) sameChange(ctx context.Context, a, b history.Entry) bool {
	var texts [2]string
	for i, e := range []history.Entry{a, b} {
		changed, err := f.changes.of(ctx, f.repo, history.Step{From: e.Parents[0], To: e.ID})
		if err != nil {
			return false
		}
		var paths []string
		for _, ch := range changed {
			paths = append(paths, ch.Path)
		}
		patch, err := f.repo.Patch(ctx, e.Parents[0], e.ID, 0, paths)
		if err != nil {
			return false
		}
		texts[i] = placed.ReplaceAllString(patch, "")
	}
	return texts[0] == texts[1]
}

// placed are lines of a patch that say where it is made, and of what.
var placed = pattern.New(`(?m)^(@@ .*|index .*)$`)

// samePaths reports whether two commits change the same files: what was done again differently is another task.
func (f *Finder) samePaths(ctx context.Context, a, b history.Entry) bool {
	var list [2]map[string]bool
	for i, e := range []history.Entry{a, b} {
		if len(e.Parents) == 0 {
			return false
		}
		changed, err := f.changes.of(ctx, f.repo, history.Step{From: e.Parents[0], To: e.ID})
		if err != nil {
			return false
		}
		list[i] = map[string]bool{}
		for _, ch := range changed {
			list[i][ch.Path] = true
		}
	}
	return maps.Equal(list[0], list[1])
}

// cutQuoted gives what stands in quotation marks behind a word that a subject begins with.
func cutQuoted(subject, word string) (string, bool) {
	rest, is := strings.CutPrefix(subject, word+` "`)
	if !is || !strings.HasSuffix(rest, `"`) {
		return subject, false
	}
	return strings.TrimSuffix(rest, `"`), true
}
