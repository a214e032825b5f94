// Package candidate finds the commits of a history that may become tasks: those that change tests and code, by
// themselves or together with others.
package candidate

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

// How many files a commit may change: of its fix, and of what judges it, of which snapshots and expected output are
// many.
const (
	mostFiles = 60
	mostTests = 300
)

// Candidate is a commit that changes tests and other files; or several that follow one
// another and do so together.
type Candidate struct {
	history.Entry
	Parent      string           // the commit before it, or before the first of several
	Fix         []history.Change // the solution
	Tests       []history.Change // what judges
	Beside      []history.Change // what is changed, and no test looks at
	Needs       []history.Change // what says what the project needs from elsewhere: worlds have it from the start
	FullMessage string           // with those of a merged branch
	Commits     int              // how many it is made of
	Almost      []history.Change // of several: what of the fix was there before the last of them; nil: not asked for
	Outside     []history.Change // of submodules, and of pointers of Git LFS: worlds have neither before nor after
	Apart       *Apart           // its tests were taken out of its code; nil: they were not

	inOne    bool // tests stand among code
	examples bool // so do examples in documents
	links    bool // a test is a link
}

// unfit says why what a commit changes is no candidate; nil: it is one.
func (c *Candidate) unfit() error {
	switch {
	case len(c.Outside) > 0 && (len(c.Tests) == 0 || len(c.Fix) == 0):
		return c.outside("")
	case len(c.Tests) == 0 && c.inOne:
		return refusal.New(refusal.InOneFile, "")
	case len(c.Tests) > 0 && len(c.Fix) == 0 && len(c.Needs) > 0:
		return refusal.New(refusal.Needs, c.Needs[0].Path)
	case len(c.Tests) == 0 || len(c.Fix) == 0 && len(c.Beside) == 0:
		return refusal.New(refusal.NotBoth, "")
	case len(c.Fix) == 0 && slices.ContainsFunc(c.Beside, isCode):
		return refusal.New(refusal.OnlyVersion, "")
	case len(c.Fix) == 0:
		return refusal.New(refusal.NotBoth, "")
	case !slices.ContainsFunc(c.Tests, func(ch history.Change) bool { return ch.Now.ID != "" }):
		return refusal.New(refusal.NotBoth, "it only removes tests")
	case len(c.Fix) > mostFiles || len(c.Tests) > mostTests:
		return refusal.New(refusal.TooLarge, fmt.Sprintf("%d files of code and %d of tests (at most %d and %d)",
			len(c.Fix), len(c.Tests), mostFiles, mostTests))
	case c.links:
		return refusal.New(refusal.TooLarge, "a link among its tests")
	}
	return nil
}

func isCode(ch history.Change) bool { return kind.Of(ch.Path) == kind.Code }

// test sorts a change of a test. A module of Rust's that goes is the code's, which declares it until then.
func (c *Candidate) test(ch history.Change) {
	if ch.Now.ID == "" && kind.Language(ch.Path) == "rust" && strings.Contains("/"+ch.Path, "/src/") {
		c.Fix = append(c.Fix, ch)
		return
	}
	c.Tests = append(c.Tests, ch)
}

func (c *Candidate) sortByName(ch history.Change) {
	switch kind.Of(ch.Path) {
	case kind.Tests:
		c.test(ch)
	case kind.Beside:
		c.Beside = append(c.Beside, ch)
	case kind.Needs:
		c.Needs = append(c.Needs, ch)
	default:
		c.Fix = append(c.Fix, ch)
	}
}

// settle has all manifests with what a project needs, where one of them says something
// else of that. How tests are run, without a test, is none.
func (c *Candidate) settle() {
	if len(c.Registers()) == len(c.Tests) {
		c.Tests, c.Beside = nil, append(c.Beside, c.Tests...)
	}
	if len(c.Needs) == 0 {
		return
	}
	c.Fix = slices.DeleteFunc(c.Fix, func(ch history.Change) bool {
		is := kind.IsManifest(ch.Path)
		if is {
			c.Needs = append(c.Needs, ch)
		}
		return is
	})
}

// Registers are the files among the tests of a candidate that say how the project is built, too: which tests there are,
// and how they are run, is all that differs in them.
func (c *Candidate) Registers() (list []string) {
	for _, ch := range c.Tests {
		if kind.IsManifest(ch.Path) || kind.BuildsTests(ch.Path) {
			list = append(list, ch.Path)
		}
	}
	return list
}

// sort puts a change where it belongs.
func (c *Candidate) sort(contents *history.Contents, ch history.Change) error {
	k := kind.Of(ch.Path)
	if k == kind.Beside {
		c.Beside = append(c.Beside, ch)
		return nil
	}
	was, err := sides.Text(contents, ch.Was)
	if err != nil {
		return c.points(ch, err)
	}
	now, err := sides.Text(contents, ch.Now)
	if err != nil {
		return c.points(ch, err)
	}
	switch {
	case kind.OnlyRunners(ch.Path, was, now) || kind.OnlyRegisters(ch.Path, was, now):
		c.Tests = append(c.Tests, ch)
	case k == kind.Needs || kind.IsManifest(ch.Path) && kind.NeedsDiffer(was, now):
		c.Needs = append(c.Needs, ch)
	case k == kind.Tests:
		c.test(ch)
	case kind.OnlyVersion(ch.Path, was, now):
		c.Beside = append(c.Beside, ch)
	default:
		c.Fix = append(c.Fix, ch)
		list := lines.Changed(was, now)
		c.inOne = c.inOne || slices.ContainsFunc(list, inline.MatchString)
		c.examples = c.examples || slices.ContainsFunc(list, example.MatchString)
	}
	return nil
}

// Base is the commit whose files the worlds of a candidate's task begin with: its parent;
// or itself, where it changes what the project needs from elsewhere, so that what is
// prepared is what its tests need. Then its fix is taken back before anybody works.
func (c *Candidate) Base() string {
	if len(c.Needs) > 0 {
		return c.ID
	}
	return c.Before()
}

// Before is the commit of the history whose files, but for what the project needs from elsewhere, the worlds of a
// candidate's task have: its parent. What stands in Base may be the fix.
func (c *Candidate) Before() string {
	if c.Apart != nil {
		return c.Apart.Parent
	}
	return c.Parent
}

// Now is the commit that has the candidate's files: itself, unless its tests were taken out of
// its code.
func (c *Candidate) Now() string {
	if c.Apart != nil {
		return c.Apart.now
	}
	return c.ID
}

// inline are lines that begin a test within a file of code; example, those that do so where examples in
// documents are run.
var (
	inline  = pattern.New(`(?m)^\s*(#\[(tokio::)?test\]|#\[cfg\(test\)\]|def test_\w+\()`)
	example = pattern.New(`(?m)^\s*>>> `)
)
