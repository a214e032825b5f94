package mine

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
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

// mostFiles is how many files a fix, or tests, may change.
const mostFiles = 60

// candidate is a commit that changes tests and other files; or several that follow one
// another and do so together.
type candidate struct {
	history.Entry
	parent   string
	fix      []history.Change // the solution
	tests    []history.Change
	beside   []history.Change // what is changed, and no test looks at
	needs    []history.Change // what says what the project needs from elsewhere: worlds have it from the start
	message  string           // with those of a merged branch
	commits  int              // how many it is made of
	almost   []history.Change // of several: what of the fix was there before the last of them; nil: not asked for
	inOne    bool             // tests stand among code
	examples bool             // so do examples in documents
	apart    *apartFrom       // its tests were taken out of its code; nil: they were not
	links    bool             // a test is a link
}

// finder makes candidates of the commits of a history.
type finder struct {
	repo    *history.Repo
	entries map[string]history.Entry // of the log, by id
	changes *changes
	ranged  bool   // commits are ranges that were asked for: none has to do with those around it
	test    string // the command that tests the project
}

// look makes a candidate of a commit; an error is a *refusal.Error, or the repository's.
func (f *finder) look(ctx context.Context, e history.Entry) (*candidate, error) {
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
	if !f.ranged && c.apart == nil {
		if c, err = f.spread(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := c.unfit(); err != nil {
		return nil, err
	}
	if len(e.Parents) > 1 && !f.ranged {
		if c.message, err = f.merged(ctx, e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// unfit says why what a commit changes is no candidate; nil: it is one.
func (c *candidate) unfit() error {
	switch {
	case len(c.tests) == 0 && c.inOne:
		return refusal.New(refusal.InOneFile, "")
	case len(c.tests) > 0 && len(c.fix) == 0 && len(c.needs) > 0:
		return refusal.New(refusal.Needs, c.needs[0].Path)
	case len(c.tests) == 0 || len(c.fix) == 0 && len(c.beside) == 0:
		return refusal.New(refusal.NotBoth, "")
	case len(c.fix) == 0 && slices.ContainsFunc(c.beside, func(ch history.Change) bool { return kind.Of(ch.Path) == kind.Code }):
		return refusal.New(refusal.OnlyVersion, "")
	case len(c.fix) == 0:
		return refusal.New(refusal.NotBoth, "")
	case !slices.ContainsFunc(c.tests, func(ch history.Change) bool { return ch.Now.ID != "" }):
		return refusal.New(refusal.NotBoth, "it only removes tests")
	case len(c.fix) > mostFiles || len(c.tests) > mostFiles:
		return refusal.New(refusal.TooLarge, fmt.Sprintf("%d files", len(c.fix)+len(c.tests)))
	case c.links:
		return refusal.New(refusal.TooLarge, "a link among its tests")
	}
	return nil
}

// changed sorts what differs between a commit and one before it.
func (f *finder) changed(ctx context.Context, e history.Entry, parent string) (*candidate, error) {
	c := &candidate{Entry: e, parent: parent, message: e.Message, commits: 1}
	list, err := f.changes.of(ctx, f.repo, history.Step{From: c.parent, To: e.ID})
	if odd, ok := errors.AsType[*history.PathError](err); ok {
		return nil, refusal.New(refusal.OddPath, odd.Error())
	}
	if err != nil {
		if f.repo.Shallow() {
			return nil, refusal.New(refusal.NoParent, "")
		}
		return nil, refusal.New(refusal.Missing, "")
	}
	contents := f.repo.Contents(ctx)
	defer contents.Close()
	byName := oneKind(list)
	for _, ch := range list {
		if ch.Was.Mode == history.ModeSubmodule || ch.Now.Mode == history.ModeSubmodule {
			return nil, refusal.New(refusal.Submodule, ch.Path)
		}
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
	if c.settle(); c.examples && !c.inOne && len(c.tests) == 0 {
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

// test sorts a change of a test. A module of Rust's that goes is the code's, which declares it until then.
func (c *candidate) test(ch history.Change) {
	if ch.Now.ID == "" && kind.Language(ch.Path) == "rust" && strings.Contains("/"+ch.Path, "/src/") {
		c.fix = append(c.fix, ch)
		return
	}
	c.tests = append(c.tests, ch)
}

func (c *candidate) sortByName(ch history.Change) {
	switch kind.Of(ch.Path) {
	case kind.Tests:
		c.test(ch)
	case kind.Beside:
		c.beside = append(c.beside, ch)
	case kind.Needs:
		c.needs = append(c.needs, ch)
	default:
		c.fix = append(c.fix, ch)
	}
}

// settle has all manifests with what a project needs, where one of them says something
// else of that. How tests are run, without a test, is none.
func (c *candidate) settle() {
	if !slices.ContainsFunc(c.tests, func(ch history.Change) bool { return !kind.IsManifest(ch.Path) }) {
		c.tests, c.beside = nil, append(c.beside, c.tests...)
	}
	if len(c.needs) == 0 {
		return
	}
	c.fix = slices.DeleteFunc(c.fix, func(ch history.Change) bool {
		is := kind.IsManifest(ch.Path)
		if is {
			c.needs = append(c.needs, ch)
		}
		return is
	})
}

// sort puts a change where it belongs.
func (c *candidate) sort(contents *history.Contents, ch history.Change) error {
	k := kind.Of(ch.Path)
	if k == kind.Beside {
		c.beside = append(c.beside, ch)
		return nil
	}
	was, err := sides.Text(contents, ch.Was)
	if err != nil {
		return err
	}
	now, err := sides.Text(contents, ch.Now)
	if err != nil {
		return err
	}
	switch {
	case kind.OnlyRunners(ch.Path, was, now):
		c.tests = append(c.tests, ch)
	case k == kind.Needs || kind.IsManifest(ch.Path) && kind.NeedsDiffer(was, now):
		c.needs = append(c.needs, ch)
	case k == kind.Tests:
		c.test(ch)
	case kind.OnlyVersion(ch.Path, was, now):
		c.beside = append(c.beside, ch)
	default:
		c.fix = append(c.fix, ch)
		list := lines.Changed(was, now)
		c.inOne = c.inOne || slices.ContainsFunc(list, inline.MatchString)
		c.examples = c.examples || slices.ContainsFunc(list, example.MatchString)
	}
	return nil
}

// merged is the message of a merge: its own words, and the subjects of what it brought.
func (f *finder) merged(ctx context.Context, e history.Entry) (string, error) {
	subjects, err := f.repo.Range(e.Parents[0], e.Parents[1]).Subjects(ctx)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(e.Message, "\n")
	if rest = strings.TrimSpace(rest); rest != "" {
		rest += "\n\n"
	}
	subjects = slices.DeleteFunc(subjects, lines.Unsaid)
	for _, s := range subjects[:min(len(subjects), 8)] {
		rest += "- " + s + "\n"
	}
	return strings.TrimSpace(rest), nil
}

// paths gives those of changes.
func paths(list []history.Change) (out []string) {
	for _, ch := range list {
		out = append(out, ch.Path)
	}
	return out
}

// base is the commit whose files the worlds of a candidate's task begin with: its parent;
// or itself, where it changes what the project needs from elsewhere, so that what is
// prepared is what its tests need. Then its fix is taken back before anybody works.
func (c *candidate) base() string {
	switch {
	case len(c.needs) > 0:
		return c.ID
	case c.apart != nil:
		return c.apart.parent
	}
	return c.parent
}

// now is the commit that has the candidate's files: itself, unless its tests were taken out of
// its code.
func (c *candidate) now() string {
	if c.apart != nil {
		return c.apart.now
	}
	return c.ID
}

// inline are lines that begin a test within a file of code; example, those that do so where examples in
// documents are run.
var (
	inline  = pattern.New(`(?m)^\s*(#\[(tokio::)?test\]|#\[cfg\(test\)\]|def test_\w+\()`)
	example = pattern.New(`(?m)^\s*>>> `)
)
