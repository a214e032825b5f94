package mine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/internal/history"
	"cookoff/internal/pattern"
)

// Bounds of a candidate.
const (
	mostFiles = 60      // of a fix, or of tests
	mostText  = 1 << 20 // bytes of one file
)

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

// look makes a candidate of a commit; an error is a *refusal, or the repository's.
func (f *finder) look(ctx context.Context, e history.Entry) (*candidate, error) {
	if len(e.Parents) == 0 {
		return nil, refuse(NoParent, "")
	}
	if older := f.reapplied(ctx, e); older != "" {
		return nil, refuse(Again, fmt.Sprintf("%.10s", older))
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
		return refuse(InOneFile, "")
	case len(c.tests) > 0 && len(c.fix) == 0 && len(c.needs) > 0:
		return refuse(Needs, c.needs[0].Path)
	case len(c.tests) == 0 || len(c.fix) == 0 && len(c.beside) == 0:
		return refuse(NotBoth, "")
	case len(c.fix) == 0 && slices.ContainsFunc(c.beside, func(ch history.Change) bool { return kindOf(ch.Path) == code }):
		return refuse(OnlyVersion, "")
	case len(c.fix) == 0:
		return refuse(NotBoth, "")
	case !slices.ContainsFunc(c.tests, func(ch history.Change) bool { return ch.Now.ID != "" }):
		return refuse(NotBoth, "it only removes tests")
	case len(c.fix) > mostFiles || len(c.tests) > mostFiles:
		return refuse(TooLarge, fmt.Sprintf("%d files", len(c.fix)+len(c.tests)))
	case c.links:
		return refuse(TooLarge, "a link among its tests")
	}
	return nil
}

// changed sorts what differs between a commit and one before it.
func (f *finder) changed(ctx context.Context, e history.Entry, parent string) (*candidate, error) {
	c := &candidate{Entry: e, parent: parent, message: e.Message, commits: 1}
	list, err := f.changes.of(ctx, f.repo, history.Step{From: c.parent, To: e.ID})
	if odd, ok := errors.AsType[*history.PathError](err); ok {
		return nil, refuse(OddPath, odd.Error())
	}
	if err != nil {
		if f.repo.Shallow() {
			return nil, refuse(NoParent, "")
		}
		return nil, refuse(Missing, "")
	}
	contents := f.repo.Contents(ctx)
	defer contents.Close()
	byName := oneKind(list)
	for _, ch := range list {
		if ch.Was.Mode == history.ModeSubmodule || ch.Now.Mode == history.ModeSubmodule {
			return nil, refuse(Submodule, ch.Path)
		}
		if kindOf(ch.Path) == tests && !utf8.ValidString(ch.Path) {
			return nil, refuse(OddPath, fmt.Sprintf("%q: files of judges have names in UTF-8", ch.Path))
		}
		c.links = c.links || ch.Now.Mode == history.ModeLink && kindOf(ch.Path) == tests
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
		switch kindOf(ch.Path) {
		case tests:
			test = true
		case beside:
		default:
			code = true
			if l := language(ch.Path); l == "rust" || l == "python" { // tests may stand in it
				return false
			}
		}
	}
	return !code || !test
}

// test sorts a change of a test. A module of Rust's that goes is the code's, which declares it until then.
func (c *candidate) test(ch history.Change) {
	if ch.Now.ID == "" && language(ch.Path) == "rust" && strings.Contains("/"+ch.Path, "/src/") {
		c.fix = append(c.fix, ch)
		return
	}
	c.tests = append(c.tests, ch)
}

func (c *candidate) sortByName(ch history.Change) {
	switch kindOf(ch.Path) {
	case tests:
		c.test(ch)
	case beside:
		c.beside = append(c.beside, ch)
	case needs:
		c.needs = append(c.needs, ch)
	default:
		c.fix = append(c.fix, ch)
	}
}

// settle has all manifests with what a project needs, where one of them says something
// else of that. How tests are run, without a test, is none.
func (c *candidate) settle() {
	if !slices.ContainsFunc(c.tests, func(ch history.Change) bool { return !manifest.MatchString(ch.Path) }) {
		c.tests, c.beside = nil, append(c.beside, c.tests...)
	}
	if len(c.needs) == 0 {
		return
	}
	c.fix = slices.DeleteFunc(c.fix, func(ch history.Change) bool {
		is := manifest.MatchString(ch.Path)
		if is {
			c.needs = append(c.needs, ch)
		}
		return is
	})
}

// sort puts a change where it belongs.
func (c *candidate) sort(contents *history.Contents, ch history.Change) error {
	k := kindOf(ch.Path)
	if k == beside {
		c.beside = append(c.beside, ch)
		return nil
	}
	was, err := side(contents, ch.Was)
	if err != nil {
		return err
	}
	now, err := side(contents, ch.Now)
	if err != nil {
		return err
	}
	switch {
	case runnerOnly(ch.Path, was, now):
		c.tests = append(c.tests, ch)
	case k == needs || manifest.MatchString(ch.Path) && dependent(was, now):
		c.needs = append(c.needs, ch)
	case k == tests:
		c.test(ch)
	case onlyVersion(ch.Path, was, now):
		c.beside = append(c.beside, ch)
	default:
		c.fix = append(c.fix, ch)
		list := changedLines(was, now)
		c.inOne = c.inOne || slices.ContainsFunc(list, inline.MatchString)
		c.examples = c.examples || slices.ContainsFunc(list, example.MatchString)
	}
	return nil
}

const lfsHead = "version https://git-lfs.github.com/spec/"

// side reads one side of a change, "" where there is none.
func side(contents *history.Contents, f history.File) (string, error) {
	if f.ID == "" {
		return "", nil
	}
	text, err := contents.Of(f)
	switch {
	case err != nil:
		return "", refuse(Missing, f.Path)
	case len(text) > mostText:
		return "", refuse(TooLarge, f.Path)
	case strings.HasPrefix(string(text), lfsHead):
		return "", refuse(Pointer, f.Path)
	}
	return string(text), nil
}

// dependent reports whether what differs in a manifest is what the project needs: a
// line within such a list, or one that names a version of something.
func dependent(was, now string) bool {
	return lists(was) != lists(now)
}

// lists gives the parts of a manifest that say what is needed.
func lists(text string) string {
	var b strings.Builder
	within, indent := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		depth := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case dependencies.MatchString(line):
			within, indent = true, depth
		case strings.TrimSpace(line) != "" && within && depth <= indent && strings.ContainsAny(line[:min(depth+1, len(line))],
			"}])["):
			within = strings.HasPrefix(strings.TrimSpace(line), "[") && dependencies.MatchString(line)
		}
		if within {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// wordless are subjects that say nothing at all, a release's among them.
const wordless = `(\[?wip\]?|tmp|fix(es|up)?|fix (tests?|lint|ci|build|typo|format(ting)?)|lint|typos?)[.! ]*|` +
	`format(ting)?[.! ]*|` +
	`(cleanup|clean up|nits?|update|updates|oops|more|changes?|\.+)[.! ]*|` +
	`\[?(chore(\(release\))?: ?)?((prepare|cut|tag|bump|set)\w* )?((for|the|to) )?` +
	`((release|version|bump)\w* )?((to|of|for) )?` +
	`v?\d+\.\d+[\w.+-]*\]?( ?\(\d[\d-]+\)| [-–] \d[\d-]+)?[.! ]*`

// unsaid are subjects that say nothing of what was wrong.
var (
	unsaid = pattern.New("(?i)^(" + strings.Join([]string{
		`(fixup|squash|amend)! .*`, `merge (branch|remote|pull).*`, wordless,
		`(address|apply) (review|comments|feedback|suggestions).*`, `(apply|update from) .*code review.*`,
	}, "|") + ")$")
	saysNothing = pattern.New("(?i)^(" + wordless + ")$")
)

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
	subjects = slices.DeleteFunc(subjects, unsaid.MatchString)
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
