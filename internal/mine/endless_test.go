package mine

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/prompt"
	"cookoff/internal/mine/refusal"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestUnmended: of a run of the mended state that is no proof it is said what kept it from being one.
func TestUnmended(t *testing.T) {
	for _, c := range []struct {
		runner, stdout string
		reason         string
		passed, failed []string
		why            refusal.Reason
		want           string
	}{
		{"jest", "", "timeout", []string{"a", "b"}, nil, refusal.Endless, "its tests pass (2), and the run does not end"},
		{"jest", "", "timeout", nil, nil, refusal.Endless, "they don't end"},
		{"jest", "", "timeout", []string{"a"}, []string{"b"}, refusal.Endless, "they don't end"},
		{"ava", "TAP version 13\nTypeError: x\n    at TapReporter.writeTimeout (tap.js:147:10)\n", "", nil, nil,
			refusal.Endless, "they don't end"},
		{"ava", "TAP version 13\nok 1 - a\n1..1\n# tests 1\n# pass 1\n", "", []string{"a"}, nil, refusal.FixedFails,
			"its tests pass (1), and the command fails even so (it says: exit status 1)"},
		{"mocha", "ok 1 - a\n1..1\na.js: 3 problems\n", "", []string{"a"}, nil, refusal.FixedFails,
			"it says: a.js: 3 problems"},
		{"mocha", "", "", []string{"a"}, []string{"b"}, refusal.FixedFails, "b"},
	} {
		o := outcome.Of(&testrun.Outcome{Runner: c.runner, Passed: c.passed, Failed: c.failed,
			Result: sandbox.Result{Exit: 1, Reason: c.reason, Stdout: []byte(c.stdout)}})
		err := unmended(o, "npm test")
		if !isRefused(err, c.why) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestCompareForgiving: a command that ends well though a test fails which the fix mends is refused for that, not for
// tests that don't fail.
func TestCompareForgiving(t *testing.T) {
	run := func(passed, failed []string) *outcome.Outcome {
		return outcome.Of(&testrun.Outcome{Runner: "TAP", Passed: passed, Failed: failed})
	}
	mended := run([]string{"a", "b"}, nil)
	if err := (&seen{}).compare(mended, run([]string{"a"}, []string{"b"})); !isRefused(err, refusal.Forgiving) {
		t.Error(err)
	}
	if err := (&seen{}).compare(mended, run([]string{"a", "b"}, nil)); !isRefused(err, refusal.NothingFails) {
		t.Error(err)
	}
	// Tests that a build file registers which is the fix's are none without it.
	err := (&seen{}).compare(mended, run([]string{"a"}, nil))
	if !isRefused(err, refusal.NothingFails) || !strings.Contains(err.Error(), "only with it these run: b") {
		t.Error(err)
	}
}

// TestLate: tests that a run was at when its time was over fail; a run of which that is not known shows nothing.
func TestLate(t *testing.T) {
	ofGo := sandbox.Result{Exit: 1, Stdout: []byte(`{"Action":"output","Package":"m","Output":"panic: test timed out after 1s\n"}` + "\n")}
	stopped := sandbox.Result{Exit: 137, Reason: "timeout"}
	mended := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "go test", Passed: []string{"m TestA", "m TestB"}}}
	for _, res := range []sandbox.Result{ofGo, stopped} {
		o := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "go test", Result: res, Passed: []string{"m TestA"}}}
		if !o.Late() {
			t.Errorf("it has ended: %+v", res)
		}
		if err := (&seen{}).compare(mended, o); !isRefused(err, refusal.Endless) {
			t.Errorf("no test is known that does not end: %v", err)
		}
		o.Failed, o.Hung = []string{"m TestB"}, []string{"m TestB"}
		s := &seen{}
		if err := s.compare(mended, o); err != nil || len(s.broken) != 1 || s.kept != 1 {
			t.Errorf("%v: %q, %d", err, s.broken, s.kept)
		}
		if o.FewFailed() {
			t.Error("what fails with the fix is left out by name, though a run of it never ends")
		}
	}
	a := &attempt{seen: seen{broken: []string{"m TestA", "m TestB"}, took: 3 * time.Second,
		failing: &outcome.Outcome{Hung: []string{"m TestB"}}}}
	want := "Tests that you don't see fail:\n\n- m TestA\n- m TestB (does not end, and is stopped after 30s)\n\n" +
		"Mend the code. The tests that judge are put in place afterwards; those that you see are older."
	if got := prompt.Text("", "", "go test", "", a.fails()); got != want {
		t.Error(got)
	}
	for took, want := range map[time.Duration]time.Duration{
		time.Millisecond: 10 * time.Second, 3 * time.Second: 30 * time.Second, time.Minute: 2 * time.Minute} {
		if got := a.patience(took); got != want {
			t.Errorf("%s: %s, want %s", took, got, want)
		}
	}
}

// TestGrown: tests that a run was at when there was no memory left for it fail; the prompt says so.
func TestGrown(t *testing.T) {
	o := outcome.Of(&testrun.Outcome{Runner: "jest", Result: sandbox.Result{Exit: 137, Reason: "memory"}})
	o.Hung, o.Full = []string{"range down"}, true
	a := &attempt{seen: seen{broken: o.Hung, took: time.Second, failing: o}}
	want := "A test that you don't see takes all memory there is, and is ended for that: range down\n"
	if got := prompt.Text("", "", "npm test", "", a.fails()); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

// TestLeaves: of tests that hold others which fail a prompt names these.
func TestLeaves(t *testing.T) {
	got := leaves([]string{"a.js > maps", "a.js > maps > same value", "a.js > mapsets", "a.js > throws"})
	if want := "[a.js > maps > same value a.js > mapsets a.js > throws]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestExamples: examples in documents of code are tests where something runs them.
func TestExamples(t *testing.T) {
	const history = `git init -q -b main . && git config user.name a && git config user.email a@b
printf 'def a():\n    """Gives 1.\n\n    >>> a()\n    1\n    """\n    return 1\n' > a.py; mkdir tests
printf 'import a\n' > tests/test_a.py; printf '[tool.pytest.ini_options]\naddopts = "RUN"\n' > pyproject.toml
git add -A; git commit -qm root
sed -i 's/>>> a()$/>>> a() + 0/' a.py; git commit -qam 'an example'
`
	for text, want := range map[string]refusal.Reason{"-q": refusal.NotBoth, "--doctest-modules": refusal.InOneFile} {
		dir := historytest.Made(t, "RUN='"+text+"'\n"+history+
			"sed -i \"s/RUN/$RUN/\" pyproject.toml; git commit -qa --amend --no-edit")
		res, err := Mine(t.Context(), Options{Dir: dir, Test: "python3 -m pytest", Files: filepath.Join(dir, "m.files")}, bare{t}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Found[0]; f.Reason != want {
			t.Errorf("%s: %s, want %s", text, f.Reason, want)
		}
	}
}

// TestTake: where tests take long a search that is interrupted has more than tasks that wait.
func TestTake(t *testing.T) {
	for name, c := range map[string]struct {
		waiting int
		ago     time.Duration
		look    time.Duration
		want    int
	}{
		"none waits":             {0, time.Hour, time.Second, 0},
		"one for a moment":       {1, 0, time.Second, 0},
		"the first":              {1, 1, 0, -1},
		"one for long":           {1, time.Hour, time.Hour, -1},
		"one, quickly looked at": {1, time.Minute, time.Second, -1},
		"one, slowly looked at":  {1, time.Minute, 10 * time.Second, 0},
		"ten for a moment":       {mostWaiting, 0, time.Second, -1},
		"nine for a moment":      {mostWaiting - 1, 0, time.Second, 0},
	} {
		s := &shift{miner: &miner{}, log: make([]history.Entry, 2), waiting: c.waiting,
			looked: time.Now().Add(-c.ago), cost: c.look}
		if got := s.take(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestDirect: a demand of coverage in npm's script is taken back where a run shows it, and something can be told so.
func TestDirect(t *testing.T) {
	below := sandbox.Result{Exit: 1, Stderr: []byte("ERROR: Coverage for lines (66.66%) does not meet global threshold (100%)\n")}
	for _, c := range []struct{ test, direct, want string }{
		{"npm test", "nyc mocha", "nyc --check-coverage=false mocha"},
		{"npm run unit", "nyc mocha", "nyc --check-coverage=false mocha"},
		{"npm test", "mocha", "npm test"},
		{"npm test", "", "npm test"},
		{"make test", "nyc mocha", "make test"},
	} {
		a := &attempt{Options: Options{Test: c.test, Direct: func(string) string { return c.direct }},
			c: &candidate.Candidate{}, states: &states{}, manifest: "{}"}
		o := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "mocha", Passed: []string{"half"}, Result: below}}
		if got := a.undemanding(o); got != (c.want != c.test) || a.Test != c.want {
			t.Errorf("%s, %q: %v, %s", c.test, c.direct, got, a.Test)
		}
		o.Stderr = nil
		if a.Test = c.test; a.undemanding(o) {
			t.Errorf("%s: nothing was demanded", c.test)
		}
	}
}
