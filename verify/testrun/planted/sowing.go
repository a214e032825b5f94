// Package planted puts tests into the files of a project: new ones that pass, new ones that must fail, and values
// that those which are there print. Nobody who has not run them knows what they report, so that a record of tests that
// says something else is not true.
package planted

import (
	"context"
	"errors"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// Bounds of what is planted.
const (
	maxControlled = 200     // files that are looked at
	maxSource     = 1 << 20 // bytes of one
)

// Language is how the tests of a language are written.
type Language struct {
	glob string
	is   *pattern.Pattern // the names of files that hold tests
	// tests finds the tests in a file.
	tests func(text string) []testAt
	// says makes a test that starts at a place print a value, or with fails
	// fail as well. It stands on the line that is there already.
	says func(t testAt, v value, fails bool) string
	// added are new tests, to be put behind a file's text; alone, the file's own
	// tests are not there. None: the file can't take any.
	added func(text string, add []Addition, alone bool) (string, bool)
	// named makes a name like another.
	named func(name, word string) string
	// kinds is how many failing tests are added, each of another kind.
	kinds int
	// twice: two tests of a file may have the same name.
	twice bool
	// file makes a test file's name like another's.
	file func(base, word string) string
}

// testAt is a test in a source text.
type testAt struct {
	name   string
	at     int    // where its body starts
	indent string // of its body
	param  string // the variable it fails with
}

// value is what a planted test prints: only who runs it knows a product of two
// numbers that stands nowhere.
type value struct{ a, b uint64 }

// Printed is what it prints.
func (v value) Printed() string { return strconv.FormatUint(v.a*v.b, 10) }

// Addition is a test to be added.
type Addition struct {
	Name string
	value
	kind int // 0: it passes; 1 to Language.kinds: it fails in one of these ways
}

// Tests are those that were put into a project, or changed.
type Tests struct {
	Fails   []Addition
	Passes  []Addition
	Marked  map[string][]string // a test that was there -> what it now prints
	Swapped string              // a test that was there, and now must fail
}

// words stand behind a test's name where another is like it.
var words = strings.Fields("again empty large small zero first last more other twice nested single default " +
	"simple mixed long short basic reset order repeat valid unknown missing extra")

// Sowing plants tests once.
type Sowing struct {
	*Language
	Rand *rand.Rand
	FS   sandbox.FS
	Add  bool   // new tests
	Swap string // a test that must fail now; "": none

	Only []string // the files that run, where the command names them; nil: all
}

// Sow plants tests into the files of a directory and below. Errors are the
// sandbox's.
func (s *Sowing) Sow(ctx context.Context, dir string) (*Tests, error) {
	files, texts, err := s.files(ctx, dir)
	if err != nil {
		return nil, err
	}
	out := &Tests{Marked: map[string][]string{}, Swapped: s.Swap}
	var names []string
	for _, f := range files {
		for _, t := range s.tests(texts[f]) {
			names = append(names, t.name)
		}
	}
	chosen := s.choose(files)
	for _, f := range files {
		text := s.mark(texts[f], out)
		var err error
		if s.Add && slices.Contains(chosen, f) {
			text, err = s.extend(ctx, f, text, names, out)
		}
		if err == nil && text != texts[f] {
			err = s.FS.Write(ctx, f, []byte(text))
		}
		if err = unrefused(err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// choose gives a test file of each directory, by chance; all of them where
// each file is run for itself.
func (s *Sowing) choose(files []string) []string {
	if s.Only != nil {
		return slices.DeleteFunc(slices.Clone(files), func(f string) bool {
			return !slices.ContainsFunc(s.Only, func(n string) bool { return f == n || strings.HasSuffix(f, "/"+n) })
		})
	}
	if s.twice {
		return files
	}
	byDir := map[string][]string{}
	var dirs []string
	for _, f := range files {
		d := path.Dir(f)
		if byDir[d] == nil {
			dirs = append(dirs, d)
		}
		byDir[d] = append(byDir[d], f)
	}
	var out []string
	for _, d := range dirs {
		out = append(out, byDir[d][s.Rand.IntN(len(byDir[d]))])
	}
	return out
}

// mark makes every test of a file print a value, and the swapped one fail.
func (s *Sowing) mark(text string, out *Tests) string {
	if s.says == nil {
		return text
	}
	list := s.tests(text)
	for _, t := range slices.Backward(list) {
		v := s.value()
		if t.name != s.Swap {
			out.Marked[t.name] = append(out.Marked[t.name], v.Printed())
		}
		text = text[:t.at] + s.says(t, v, t.name == s.Swap) + text[t.at:]
	}
	return text
}

func (s *Sowing) value() value { return value{s.Rand.Uint64() | 1<<63, s.Rand.Uint64() | 1<<62 | 1} }

// extend adds tests to a file, at its end or in a new one beside it.
func (s *Sowing) extend(ctx context.Context, file, text string, taken []string, out *Tests) (string, error) {
	for _, a := range out.All() {
		taken = append(taken, a.Name)
	}
	adds := s.additions(taken)
	beside := s.Rand.IntN(2) == 0 && s.Only == nil
	added, ok := s.added(text, adds, beside)
	if !ok {
		return text, nil
	}
	if !beside {
		text += added
	} else if err := s.writeBeside(ctx, file, added); err != nil {
		return text, err
	}
	for _, a := range adds {
		if a.kind == 0 {
			out.Passes = append(out.Passes, a)
		} else {
			out.Fails = append(out.Fails, a)
		}
	}
	return text, nil
}

// writeBeside writes a new file under a name like another's.
func (s *Sowing) writeBeside(ctx context.Context, file, text string) error {
	dir, base := path.Split(file)
	for _, i := range s.Rand.Perm(len(words)) {
		name := dir + s.file(base, words[i])
		_, err := s.FS.Read(ctx, name, 0, 1)
		if bad := (*sandbox.FileError)(nil); !errors.As(err, &bad) {
			if err != nil {
				return err
			}
			continue
		}
		return s.FS.Write(ctx, name, []byte(text))
	}
	return &sandbox.FileError{Op: "write", Path: file, Reason: "no name is free beside it"}
}

// additions are one test that passes and some that fail, under names like
// those that are taken.
func (s *Sowing) additions(taken []string) []Addition {
	if len(taken) == 0 {
		taken = []string{s.named("", "")}
	}
	used := slices.Clone(taken)
	var out []Addition
	for kind := 0; kind <= s.kinds; kind++ {
		like := taken[s.Rand.IntN(len(taken))]
		name := like
		same := s.twice && kind > 0 && s.Rand.IntN(2) == 0
		for n := 0; !same && slices.Contains(used, name); n++ {
			name = s.named(like, words[s.Rand.IntN(len(words))])
			if n > 3 {
				name = s.named(name, words[s.Rand.IntN(len(words))])
			}
		}
		used = append(used, name)
		out = append(out, Addition{name, s.value(), kind})
	}
	return out
}

// files are those that hold tests, and what they hold.
func (s *Sowing) files(ctx context.Context, dir string) ([]string, map[string]string, error) {
	found, _, err := s.FS.Find(ctx, sandbox.FindQuery{Dir: dir, Glob: s.glob, Max: 20_000})
	if err != nil {
		return nil, nil, unrefused(err)
	}
	found = slices.DeleteFunc(found, func(f string) bool {
		return skipped(path.Dir(f)) || !s.is.MatchString(path.Base(f))
	})
	var files []string
	texts := map[string]string{}
	for _, f := range found[:min(len(found), maxControlled)] {
		f = path.Join(dir, f) // what is found is named from there
		ch, err := s.FS.Read(ctx, f, 0, maxSource)
		if err != nil {
			if err = unrefused(err); err != nil {
				return nil, nil, err
			}
			continue
		}
		if ch.Size <= maxSource {
			files, texts[f] = append(files, f), string(ch.Data)
		}
	}
	return files, texts, nil
}

// skipped knows the directories that test runners leave out.
func skipped(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "vendor" || part == "testdata" || part == "node_modules" ||
			part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// unrefused drops the error of a request that was refused: where nothing can be planted, there is no control.
func unrefused(err error) error {
	var bad *sandbox.FileError
	if errors.As(err, &bad) {
		return nil
	}
	return err
}

// Marks are the values that a test prints; nil: none.
func (p *Tests) Marks(name string) []string {
	if p == nil {
		return nil
	}
	return p.Marked[name]
}

// All are the tests that were added.
func (p *Tests) All() []Addition {
	if p == nil {
		return nil
	}
	return slices.Concat(p.Fails, p.Passes)
}
