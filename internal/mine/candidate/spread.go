package candidate

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"

	"cookoff/internal/history"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

// mostSpread is of how many commits that follow one another a candidate is made.
const mostSpread = 6

// alone reports whether a commit changes tests alone, or code alone.
func (c *Candidate) alone() bool { return (len(c.Fix) == 0) != (len(c.Tests) == 0) }

// spread gives the candidate that a commit of tests alone, or of code alone, makes with
// those before it; else the commit's own. Before tests stand all commits of code that they
// have to do with; before code that mends stands more of it, and then the tests.
func (f *Finder) spread(ctx context.Context, c *Candidate) (*Candidate, error) {
	if !c.alone() || len(c.Outside) > 0 {
		return c, nil
	}
	ch := &chain{f, []*Candidate{c}, map[*Candidate]bool{}}
	for len(ch.list) < mostSpread {
		older, err := ch.before(ctx)
		if err != nil {
			return nil, err
		}
		if older == nil || !ch.joins(ctx, older) {
			break
		}
		if ch.list = append(ch.list, older); !older.alone() && !ch.form[older] {
			break
		}
	}
	for len(ch.list) > 1 && ch.form[ch.oldest()] { // nothing that tests follow stands before it
		ch.list = ch.list[:len(ch.list)-1]
	}
	return ch.together(ctx)
}

// chain are commits that follow one another, newest first, which may be one candidate.
type chain struct {
	*Finder
	list []*Candidate
	form map[*Candidate]bool // of them: they change how code looks, see onlyForm, or documents
}

func (ch *chain) newest() *Candidate { return ch.list[0] }
func (ch *chain) oldest() *Candidate { return ch.list[len(ch.list)-1] }

// before is the commit before the oldest, where both lie on a line; nil: there is none
// that counts.
func (ch *chain) before(ctx context.Context) (*Candidate, error) {
	c := ch.oldest()
	e, known := ch.entries[c.Parent]
	if len(c.Parents) != 1 || !known || len(e.Parents) != 1 {
		return nil, nil
	}
	older, err := ch.changed(ctx, e, e.Parents[0])
	if _, no := errors.AsType[*refusal.Error](err); no {
		return nil, nil
	}
	if err == nil && len(older.Outside) > 0 {
		return nil, nil
	}
	return older, err
}

// joins reports whether a commit belongs before the others.
func (ch *chain) joins(ctx context.Context, older *Candidate) bool {
	newest, last := ch.newest(), ch.oldest()
	if len(newest.Fix) == 0 && !older.alone() && (ch.onlyForm(ctx, older) || ch.noCode() && older.beside()) {
		ch.form[older] = true
		return true
	}
	if len(newest.Fix) == 0 { // code that a test follows
		return older.alone() && len(older.Fix) > 0 &&
			ch.related(ctx, &Candidate{Tests: newest.Tests, Fix: older.Fix})
	}
	if len(last.Fix) == 0 { // tests are what it begins with
		return older.alone() && len(older.Tests) > 0
	}
	if len(older.Tests) == 0 {
		return older.alone()
	}
	if !older.alone() && !sameWork(newest.Message, older.Message) {
		return false
	}
	for _, c := range ch.list {
		if !ch.related(ctx, &Candidate{Tests: older.Tests, Fix: c.Fix}) {
			return false
		}
	}
	return true
}

// beside reports whether a commit changes neither code nor tests: documents, a version.
func (c *Candidate) beside() bool { return len(c.Fix)+len(c.Tests)+len(c.Needs) == 0 && !c.inOne }

// noCode reports whether none of the commits changes code yet.
func (ch *chain) noCode() bool {
	return !slices.ContainsFunc(ch.list, func(c *Candidate) bool { return len(c.Fix) > 0 })
}

// together makes one candidate of the commits; the newest by itself where they are none.
func (ch *chain) together(ctx context.Context) (*Candidate, error) {
	newest, oldest := ch.newest(), ch.oldest()
	if len(ch.list) == 1 {
		return newest, nil
	}
	all, err := ch.changed(ctx, newest.Entry, oldest.Parent)
	if _, no := errors.AsType[*refusal.Error](err); no {
		return newest, nil
	}
	if err != nil {
		return nil, err
	}
	if len(all.Fix) == 0 || len(all.Tests) == 0 {
		return newest, nil
	}
	all.Commits, all.FullMessage = len(ch.list), ""
	for _, c := range ch.list { // of tests a message says nothing
		if len(c.Fix) > 0 && !ch.form[c] {
			all.FullMessage = strings.TrimSpace(c.FullMessage + "\n\n" + all.FullMessage)
		}
	}
	if len(ch.list) > 2 && len(newest.Fix) > 0 {
		if err := ch.withoutLast(ctx, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withoutLast finds what of the fix was there before its last commit.
func (ch *chain) withoutLast(ctx context.Context, all *Candidate) error {
	newest, oldest := ch.newest(), ch.oldest()
	if newest.Parent == oldest.ID && len(oldest.Fix) == 0 {
		return nil
	}
	e, known := ch.entries[newest.Parent]
	if !known {
		return nil
	}
	almost, err := ch.changed(ctx, e, oldest.Parent)
	if _, no := errors.AsType[*refusal.Error](err); no {
		return nil
	}
	if err == nil {
		all.Almost = almost.Fix
	}
	return err
}

// related reports whether the tests of a candidate have to do with its code: they lie
// beside it, or name one of its files.
func (ch *chain) related(ctx context.Context, c *Candidate) bool {
	contents := history.NewContents(ctx, ch.repo)
	defer contents.Close()
	for _, t := range c.Tests {
		text, err := sides.Text(contents, t.Now)
		for _, f := range c.Fix {
			stem, _, _ := strings.Cut(path.Base(f.Path), ".")
			if path.Dir(t.Path) == path.Dir(f.Path) || len(stem) > 2 &&
				(strings.Contains(path.Base(t.Path), stem) || err == nil && strings.Contains(text, stem)) {
				return true
			}
		}
	}
	return false
}

// onlyForm reports whether a commit changes nothing but how code looks: blanks, ends of lines, quotation marks, and
// signs that may stand or not, as formatters do. Where blanks mean something (Python) it may be wrong: that is for runs
// to tell.
func (ch *chain) onlyForm(ctx context.Context, c *Candidate) bool {
	contents := history.NewContents(ctx, ch.repo)
	defer contents.Close()
	list := slices.Concat(c.Fix, c.Tests)
	for _, f := range list {
		if f.Was.ID == "" || f.Now.ID == "" {
			return false
		}
		was, err := sides.Text(contents, f.Was)
		if err != nil {
			return false
		}
		now, err := sides.Text(contents, f.Now)
		if err != nil || formless(was) != formless(now) {
			return false
		}
	}
	return len(list) > 0
}

// formless is a text without what formatters put there.
func formless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || strings.ContainsRune(",;()\\", r):
			return -1
		case r == '"' || r == '`':
			return '\''
		}
		return r
	}, text)
}

var (
	number = pattern.New(`#(\d+)\b`)
	fixup  = pattern.New(`^(fixup|squash|amend)! *`)
)

// sameWork reports whether two messages say that their commits are of one piece of work:
// both name the same issue, or one is a correction of the other.
func sameWork(newer, older string) bool {
	if s := lines.First(newer); fixup.MatchString(s) {
		return fixup.ReplaceAllString(s, "") == fixup.ReplaceAllString(lines.First(older), "")
	}
	named := map[string]bool{}
	for _, m := range number.FindAllStringSubmatch(newer, -1) {
		named[m[1]] = true
	}
	for _, m := range number.FindAllStringSubmatch(older, -1) {
		if named[m[1]] {
			return true
		}
	}
	return false
}
