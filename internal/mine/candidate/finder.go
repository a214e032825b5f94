package candidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
)

// Finder makes candidates of the commits of a history.
type Finder struct {
	repo    *history.Repo
	entries map[string]history.Entry // of the log, by id
	changes *changes
	ranged  bool   // commits are ranges that were asked for: none has to do with those around it
	test    string // the command that tests the project
}

// NewFinder makes a finder for a log. ranged: its commits are ranges that were asked for. test is the command that
// tests the project.
func NewFinder(repo *history.Repo, log []history.Entry, ranged bool, test string) *Finder {
	f := &Finder{repo: repo, entries: make(map[string]history.Entry, len(log)), changes: changesOf(log), ranged: ranged,
		test: test}
	for _, e := range log {
		f.entries[e.ID] = e
	}
	return f
}

// Look makes a candidate of a commit; an error is a *refusal.Error, or the repository's.
func (f *Finder) Look(ctx context.Context, e history.Entry) (*Candidate, error) {
	if len(e.Parents) == 0 {
		return nil, refusal.New(refusal.NoParent, "")
	}
	if older := f.reapplied(ctx, e); older != "" {
		return nil, refusal.New(refusal.Again, fmt.Sprintf("%.10s", older))
	}
	c, err := f.changed(ctx, e, e.Parents[0])
	if err != nil {
		return nil, err
	}
	if c, err = f.takenApart(ctx, c); err != nil {
		return nil, err
	}
	if !f.ranged && c.Apart == nil {
		if c, err = f.spread(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := c.unfit(); err != nil {
		return nil, err
	}
	if len(e.Parents) > 1 && !f.ranged {
		if c.FullMessage, err = f.merged(ctx, e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// changed sorts what differs between a commit and one before it.
func (f *Finder) changed(ctx context.Context, e history.Entry, parent string) (*Candidate, error) {
	c := &Candidate{Entry: e, Parent: parent, FullMessage: e.Message, Commits: 1}
	list, err := f.changes.of(ctx, f.repo, history.Step{From: c.Parent, To: e.ID})
	if odd, ok := errors.AsType[*history.PathError](err); ok {
		return nil, refusal.New(refusal.OddPath, odd.Error())
	}
	if err != nil {
		if f.repo.Shallow() {
			return nil, refusal.New(refusal.NoParent, "")
		}
		return nil, refusal.New(refusal.Missing, "")
	}
	contents := history.NewContents(ctx, f.repo)
	defer contents.Close()
	list = c.within(list)
	byName := oneKind(list)
	for _, ch := range list {
		if kind.Of(ch.Path) == kind.Tests && !utf8.ValidString(ch.Path) {
			return nil, refusal.New(refusal.OddPath, fmt.Sprintf("%q: files of judges have names in UTF-8", ch.Path))
		}
		c.links = c.links || ch.Now.Mode == history.ModeLink && kind.Of(ch.Path) == kind.Tests
		if byName {
			c.sortByName(ch)
		} else if err := c.sort(contents, ch); err != nil {
			return nil, err
		}
	}
	if c.settle(); c.examples && !c.inOne && len(c.Tests) == 0 {
		c.inOne = f.runsExamples(ctx, c.ID, contents)
	}
	return c, nil
}

// oneKind reports whether the names of what a commit changes say that it is no candidate,
// so that nothing of it needs to be read: it has no tests, or nothing but tests.
func oneKind(list []history.Change) bool {
	code, test := false, false
	for _, ch := range list {
		switch kind.Of(ch.Path) {
		case kind.Tests:
			test = true
		case kind.Beside:
		default:
			code = true
			if l := kind.Language(ch.Path); l == "rust" || l == "python" { // tests may stand in it
				return false
			}
		}
	}
	return !code || !test
}

// merged is the message of a merge: its own words, and the subjects of what it brought.
func (f *Finder) merged(ctx context.Context, e history.Entry) (string, error) {
	subjects, err := f.repo.Range(e.Parents[0], e.Parents[1]).Subjects(ctx)
	if err != nil {
		return "", err
	}
	return mergeWords(e.Message, subjects), nil
}

// mostSubjects is how many subjects of what it brought the words of a merge hold.
const mostSubjects = 8

// mergeWords are what a merge's message says below its first line, and the subjects of what it brought. A subject of
// one or two words, as "casefold", names what was done and nothing that was wrong: it is left out where others say
// more.
func mergeWords(message string, subjects []string) string {
	_, own, _ := strings.Cut(message, "\n")
	own = strings.TrimSpace(own)
	subjects = slices.DeleteFunc(slices.Clone(subjects), lines.Unsaid)
	long := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return len(strings.Fields(s)) <= 2 })
	if own != "" || len(long) > 0 {
		subjects = long
	}
	if own != "" {
		own += "\n\n"
	}
	for _, s := range subjects[:min(len(subjects), mostSubjects)] {
		own += "- " + s + "\n"
	}
	return strings.TrimSpace(own)
}
