package mine

import (
	"context"
	"cookoff/internal/mine/commands"
	"errors"
	"strings"
	"testing"
	"time"

	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// scripted is a sandbox in which the tests of a project print what is next in line, as TAP: "A b"
// is a test A that passes and a test b that fails.
type scripted struct {
	sandbox.Sandbox
	t    *testing.T
	next []string
	ran  []string
}

func (s *scripted) Exec(_ context.Context, c sandbox.Cmd) (res sandbox.Result, err error) {
	if !strings.HasPrefix(c.Script, "go test") {
		return res, nil
	}
	if s.ran = append(s.ran, c.Script); len(s.next) == 0 {
		s.t.Fatalf("the tests are run once more than they have to be: %q", s.ran)
	}
	words := strings.Fields(s.next[0])
	s.next = s.next[1:]
	var b strings.Builder
	b.WriteString("TAP version 13\n")
	for _, w := range words {
		if strings.ToLower(w) == w {
			res.Exit = 1
			b.WriteString("not ")
		}
		b.WriteString("ok - p Test" + strings.ToUpper(w) + "\n")
	}
	res.Stdout = []byte(b.String())
	return res, nil
}

// tried is a candidate whose tests print this, once its runs are done that come before the
// referee's.
func tried(t *testing.T, runs ...string) (*attempt, error) {
	sb := &scripted{t: t, next: runs}
	a := &attempt{Options: Options{Test: "go test ./..."}, c: &candidate.Candidate{}, world: &world{Sandbox: sb},
		states: &states{}, seen: seen{runner: "go test"}}
	err := a.try(t.Context())
	a.runner = "go test"
	if len(sb.next) > 0 {
		t.Errorf("not run: %q", sb.next)
	}
	return a, err
}

func (a *attempt) prints(runs ...string) *scripted {
	sb := a.world.Sandbox.(*scripted)
	sb.next, sb.ran = runs, nil
	return sb
}

// TestLeftOutWith: where a test of Go that differs is left out, so is all of its function, which the prompt does not
// name as failing then.
func TestLeftOutWith(t *testing.T) {
	a := &attempt{seen: seen{runner: "go test", all: "go test ./...", broken: []string{"p TestA", "p TestA/x", "p TestA/y", "p TestB"}}}
	if err := a.leaveOut(map[string]bool{"p TestA/x": true}); err != nil || len(a.broken) != 1 || a.broken[0] != "p TestB" {
		t.Error(a.broken, err)
	}
	if err := a.leaveOut(map[string]bool{"p TestB": true}); err == nil {
		t.Error("no test is left, and none is missed")
	}
}

// TestLeftOutByNoName: where the command can't be told which tests to run, that is what is said.
func TestLeftOutByNoName(t *testing.T) {
	a := &attempt{seen: seen{runner: "TAP", all: "sh test.sh", command: "sh test.sh", broken: []string{"a", "b"}}}
	err := a.leaveOut(map[string]bool{"a": true})
	const want = ": a: sh test.sh can't be told to leave tests out by name: name a --test that does not run the file that " +
		"they are in"
	if !isRefused(err, refusal.Flaky) || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
	for runner, want := range map[string]string{"bats": "bats can, called by itself", "ruby": "minitest can",
		"unittest": "pytest runs tests of unittest"} {
		if got := commands.Stuck("make test", runner); !strings.Contains(got, want) {
			t.Errorf("%s: %s", runner, got)
		}
	}
	err = a.leaveOut(map[string]bool{"b": true})
	if !isRefused(err, refusal.Flaky) || strings.Contains(err.Error(), "can't be told") {
		t.Errorf("none is left: %v", err)
	}
}

// TestSteady: a candidate has its tests run three times before the referee proves it, and where that
// refuses it as often again as tells which of them differ.
func TestSteady(t *testing.T) {
	a, err := tried(t, "A B C", "a B C", "a B C")
	if err != nil || len(a.broken) != 1 {
		t.Fatal(a.broken, err)
	}
	sb := a.prints("A B C", "A B C")
	if differs, err := a.steadied(t.Context(), moreRuns); differs || err != nil || len(sb.next) > 0 {
		t.Errorf("nothing differs: %v, %v, not run: %q", differs, err, sb.next)
	}
	a.prints("A B C", "A b C")
	differs, err := a.steadied(t.Context(), moreRuns)
	if !differs || err != nil || a.command != "go test -skip '^(TestB)$' ./..." {
		t.Errorf("one differs: %v, %v: %s", differs, err, a.command)
	}
	a.prints("A C", "A C", "A C", "A c")
	if differs, err := a.steadied(t.Context(), flakyRuns); !differs || err != nil ||
		a.command != "go test -skip '^(TestB|TestC)$' ./..." || len(a.flaky) != 2 {
		t.Errorf("another does: %v, %v: %s, %q", differs, err, a.command, a.flaky)
	}
	a.prints("A", "a")
	if _, err := a.steadied(t.Context(), moreRuns); !isRefused(err, refusal.Flaky) {
		t.Errorf("the only one that the fix makes pass differs: %v", err)
	}
	if _, err := tried(t, "A B", "a B", "A B"); !isRefused(err, refusal.Flaky) {
		t.Errorf("it passes without the fix, too, now and then: %v", err)
	}
}

// TestOnlyNamed: where tests take long those that the fix mends are asked first, by name: again without the fix, and with
// a fault in it. All are run where that does not tell.
func TestOnlyNamed(t *testing.T) {
	a, err := tried(t, "A B C", "a B C", "a B C")
	if err != nil {
		t.Fatal(err)
	}
	again := func() error { return a.again(t.Context()) }
	faulty := func() error {
		passes, err := (weakness{a}).allPass(t.Context())
		if !passes && err == nil {
			return errors.New("missed")
		}
		return err
	}
	const named, all, hasty = "go test -run '^(TestA)$' ./...", "go test ./...", "go test -failfast ./..."
	for name, c := range map[string]struct {
		took       time.Duration
		act        func() error
		runs, want string
		passes     bool
	}{
		"again":                         {slowTests, again, "a", named, true},
		"it passes by itself":           {slowTests, again, "A,a B C", named + "," + all, true},
		"quick tests":                   {slowTests - 1, again, "a B C", all, true},
		"a fault that is missed":        {slowTests, faulty, "a", named, false},
		"a fault that another misses":   {slowTests, faulty, "A,A b C", named + "," + hasty, false},
		"a fault that none misses":      {slowTests, faulty, "A,A B C", named + "," + hasty, true},
		"a fault and tests that are so": {0, faulty, "a B C", hasty, false},
	} {
		a.took = c.took
		sb := a.prints(strings.Split(c.runs, ",")...)
		if err := c.act(); (err == nil) != c.passes || len(sb.next) > 0 || len(a.broken) != 1 {
			t.Errorf("%s: %v, not run: %q", name, err, sb.next)
		}
		if got := strings.Join(sb.ran, ","); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestLeftOut: tests that fail with the fix are left out by name, though not all of them fail each time.
func TestLeftOut(t *testing.T) {
	a, err := tried(t, "A b C D", "A C d", "A C", "a C", "a C")
	if want := "go test -skip '^(TestB|TestD)$' ./..."; err != nil || a.command != want || len(a.always) != 2 {
		t.Errorf("%q, want %q: %q, %v", a.command, want, a.always, err)
	}
	if _, err := tried(t, "A B", "c"); !isRefused(err, refusal.Nameless) {
		t.Errorf("it fails without the fix, and no test that passes with it: %v", err)
	}
}

// TestWholeCommand: the whole test command judges where it passes with the fix, run once where that is quick, and no
// longer where what fails in it later can't be left out.
func TestWholeCommand(t *testing.T) {
	whole := func(runs ...string) (*attempt, *scripted) {
		a, err := tried(t, "A B", "a B", "a B")
		if err != nil {
			t.Fatal(err)
		}
		a.narrow = true
		sb := a.prints(runs...)
		if err := a.everything(t.Context()); err != nil || len(sb.next) > 0 {
			t.Errorf("%v, not run: %q", err, sb.next)
		}
		return a, sb
	}
	for want, runs := range map[string][]string{
		"go test ./...":                   {"A B D"},
		"go test -skip '^(TestD)$' ./...": {"A B d", "A B"},
		"":                                {"A B d", "A b"},
	} {
		if a, _ := whole(runs...); a.whole != want {
			t.Errorf("%q: %q, want %q", runs, a.whole, want)
		}
	}
	if a, _ := whole("A B"); a.whole != "" || a.command != a.Test || a.narrow {
		t.Errorf("there are no other tests: %q, %q", a.command, a.whole)
	}
	a, _ := whole("A B D E")
	a.prints("A B", "A B", "A B D E", "A B D e")
	differs, err := a.steadied(t.Context(), moreRuns)
	if !differs || err != nil || a.whole != "go test -skip '^(TestE)$' ./..." ||
		a.command != a.Test {
		t.Errorf("a test elsewhere differs: %v, %v: %s", differs, err, a.whole)
	}
	a.prints("A B", "A B", "A b d")
	if differs, err := a.steadied(t.Context(), moreRuns); !differs || err != nil || a.whole != "" {
		t.Errorf("most of them fail: %v, %v: %s", differs, err, a.whole)
	}
}

func isRefused(err error, why refusal.Reason) bool {
	no, is := errors.AsType[*refusal.Error](err)
	return is && no.Reason == why
}

// TestEnded: a run that is ended from outside shows nothing of the candidate, whatever failed before.
func TestEnded(t *testing.T) {
	failed := func(r sandbox.Result) *outcome.Outcome {
		return &outcome.Outcome{Outcome: &testrun.Outcome{Result: r, Runner: "pytest", Failed: []string{"a"}}}
	}
	passed := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "pytest", Passed: []string{"a"}}}
	for want, r := range map[refusal.Reason]sandbox.Result{refusal.Ended: {Exit: 137},
		refusal.Endless: {Exit: 124, Reason: "timeout"}} {
		if err := (&seen{}).compare(passed, failed(r)); !isRefused(err, want) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
