package candidate

import (
	"context"
	"maps"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/lines"
)

// reapplied gives the commit of the history that another does again, by what git says of it: a revert of a revert, or
// what was reapplied; "": none is known. It would be the same task twice, and the older one says what is wrong.
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
	if !again || f.ranged {
		return ""
	}
	for _, o := range f.changes.log {
		if o.ID != e.ID && lines.First(o.Message) == subject && !o.Time.After(e.Time) && f.alike(ctx, o, e) {
			return o.ID
		}
	}
	return ""
}

// alike reports whether two commits change the same files: what was done again differently is another task.
func (f *Finder) alike(ctx context.Context, a, b history.Entry) bool {
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
