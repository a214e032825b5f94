package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
)

// Bounds of a negative control.
const (
	maxControlled = 200     // directories or files that get a failing test
	maxSource     = 1 << 20 // bytes read of a source file
)

// control runs a held check on tests once more with a test that must fail put
// beside the others. Code that ends the test binary with status 0, or prints
// forged events, passes that too: then the first pass was forged. So was it
// where no test passes at all: they are gone, or skip themselves. nil: the
// script runs no tests of a language that is known.
func (s *Start) control(ctx context.Context, p place, c script) (*trial.Verdict, error) {
	run := testRunOf(c.text)
	if run == nil {
		return nil, nil
	}
	v := &trial.Verdict{Check: c.name + " control", Status: trial.Held}
	applied, named := false, false
	err := p.in(ctx, "", func(sb sandbox.Sandbox) (err error) {
		if applied, err = run.plant(ctx, sb.FS(), run.word); err != nil || !applied {
			return err
		}
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: run.loud, Env: p.hears(run.loud), Timeout: c.timeout})
		if err != nil {
			return err
		}
		v.Evidence = evidence(c.text, res)
		planted := ""
		for _, test := range run.names(res) {
			if named = true; planted == "" && strings.Contains(test, run.word) {
				planted = strings.ReplaceAll(plain(test), run.word, "…")
			}
		}
		switch {
		case res.OK():
			v.Status, v.Detail = trial.NotHeld, "passes with a test that must fail: the tests don't decide its exit status"
		case planted != "":
			v.Status, v.Detail = trial.NotHeld, fmt.Sprintf("a test that must fail passes: %s", planted)
		}
		return nil
	})
	if err != nil || v.Status == trial.NotHeld || run.passed == nil || named {
		return unless(!applied, v), err
	}
	return run.vacuous(ctx, p, c, unless(!applied, v))
}

// unless gives v, or nothing.
func unless(not bool, v *trial.Verdict) *trial.Verdict {
	if not {
		return nil
	}
	return v
}

// vacuous looks whether any test passes where the control has named none:
// perhaps it could not be built with the test that was planted. v is what the
// control says, nil when nothing could be planted.
func (t *testRun) vacuous(ctx context.Context, p place, c script, v *trial.Verdict) (*trial.Verdict, error) {
	err := p.in(ctx, "", func(sb sandbox.Sandbox) error {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: t.loud, Env: p.hears(t.loud), Timeout: c.timeout})
		if err == nil && res.OK() && res.Cut == 0 && len(t.passed(res)) == 0 {
			v = &trial.Verdict{Check: c.name + " control", Status: trial.NotHeld, Detail: "no test passes: there is none, or all are skipped", Evidence: evidence(t.loud, res)}
		}
		return err
	})
	return v, err
}

// planter puts tests that must fail into a project, named with a word; false:
// there is no place for one. Errors are the sandbox's.
type planter func(ctx context.Context, fsys sandbox.FS, word string) (bool, error)

// testRun is a script that runs the tests of a project.
type testRun struct {
	word   string // in the names of planted tests; the contestant's code can't know it
	plant  planter
	loud   string                          // the script, with flags that make it name each test
	passed func(r sandbox.Result) []string // the tests it names as passed; nil: it can't be told
}

func (t *testRun) names(r sandbox.Result) []string {
	if t.passed == nil {
		return nil
	}
	return t.passed(r)
}

// testRunOf knows the tests that a script runs. nil: it runs none, none whose
// language is known, only chosen ones, or it may hide a failure.
func testRunOf(src string) *testRun {
	f, err := shell.Parse(src)
	if err != nil || len(f.Stmts) != 1 {
		return nil
	}
	for _, words := range chained(f.Stmts[0]) {
		if len(words) == 0 {
			continue
		}
		var args []string
		for _, w := range words {
			args = append(args, lit(w))
		}
		with := func(word int, flag string) string {
			at := words[word].End().Offset()
			return src[:at] + flag + src[at:]
		}
		if t, is := testRunOfWords(args, with); is {
			return t
		}
	}
	return nil
}

// testRunOfWords knows one command; with gives the script with a flag behind a
// word of it. is: it runs tests, perhaps not ones that can be controlled.
func testRunOfWords(words []string, with func(word int, flag string) string) (t *testRun, is bool) {
	prog, args := path.Base(words[0]), words[1:]
	last, w := len(words)-1, word()
	switch {
	case prog == "go" && len(args) > 0 && args[0] == "test":
		name, ok := goTestName(w, args[1:])
		if !ok {
			return nil, true
		}
		plant := func(ctx context.Context, fsys sandbox.FS, _ string) (bool, error) { return plantGo(ctx, fsys, name) }
		return &testRun{w, plant, with(1, " -json"), passedGo}, true
	case prog == "pytest" && only(args, pytestFlags):
		return &testRun{w, plantPython, with(last, " -rA"), lines(passedPytest)}, true
	case strings.HasPrefix(prog, "python") && len(args) > 1 && args[0] == "-m":
		switch {
		case args[1] == "unittest" && only(args[2:], unittestFlags):
			return &testRun{w, plantPython, with(last, " -v"), lines(passedUnittest)}, true
		case args[1] == "pytest" && only(args[2:], pytestFlags):
			return &testRun{w, plantPython, with(last, " -rA"), lines(passedPytest)}, true
		}
		return nil, true
	case prog == "node" && len(args) > 0 && args[0] == "--test" && only(args[1:], nodeFlags):
		if strings.Contains(strings.Join(args, " "), "--test-reporter=") {
			return &testRun{w, plantNode, with(last, ""), nil}, true
		}
		return &testRun{w, plantNode, with(1, " --test-reporter=tap"), passedTap}, true
	}
	return nil, false
}

// chained gives the words of simple commands joined by && alone, else nil.
func chained(s *syntax.Stmt) [][]*syntax.Word {
	if s.Negated || s.Background {
		return nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return [][]*syntax.Word{commandWords(c)}
	case *syntax.BinaryCmd:
		x, y := chained(c.X), chained(c.Y)
		if c.Op == syntax.AndStmt && x != nil && y != nil {
			return append(x, y...)
		}
	}
	return nil
}

// refused drops errors of a request: where nothing can be planted, there is no
// control.
func refused(err error) error {
	var bad *sandbox.FileError
	if errors.As(err, &bad) {
		return nil
	}
	return err
}
