package verify

import (
	"maps"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/verdict"
)

// TestHeldAtStart: a check that held on the broken state says nothing of what
// was mended, and its verdict says so; what admission learned is kept.
func TestHeldAtStart(t *testing.T) {
	task := recipe.Task{Title: "two checks", Setup: "touch ok", Before: "test -e ok",
		After: []recipe.Check{{Script: "test -e ok"}, {Script: "test -e mended"}}, Solution: "touch mended"}
	r := &recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "test -e ok"}}}
	c, err := NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	open := dirs(t)
	if x, err := c.Admit(t.Context(), open, nil); x != nil || err != nil {
		t.Fatalf("%+v, %v", x, err)
	}
	later, err := NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := later.Learn(c.Learned()); err != nil {
		t.Fatal(err)
	}
	w, err := open(t.Context(), nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s, err := later.Stage(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exec(t.Context(), sandbox.Cmd{Script: "touch mended"}); err != nil {
		t.Fatal(err)
	}
	sc, live, err := later.End(t.Context(), w, s, open)
	if err != nil {
		t.Fatal(err)
	}
	j, err := later.Judge(t.Context(), sc, s, Loop{Live: live})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]trial.Strength{}
	for _, v := range j.Verdicts {
		if v.Status != trial.Held {
			t.Errorf("%s: %s", v.Check, v.Detail)
		}
		got[v.Check] = v.Strength
	}
	want := map[string]trial.Strength{"after[0]": trial.StrengthUnshown, "after[1]": "",
		"criterion[0] run": trial.StrengthUnshown}
	if !maps.Equal(got, want) {
		t.Errorf("strengths %v, want %v", got, want)
	}
}

// TestJUnitNames: the tests of a runner that writes JUnit's XML are known by
// name, and one that is missing, skipped or of an earlier run does not count.
func TestJUnitNames(t *testing.T) {
	const setup = `mkdir -p tests; echo 1 > two
echo 'test "$(cat two)" = 2' > tests/two.sh; echo true > tests/true.sh
cat > gradlew <<'END'
#!/bin/sh
# runs tests/*.sh, and records them
mkdir -p build/test-results/test; bad=0
for f in tests/*.sh; do
	n=$(basename "$f" .sh)
	if sh "$f"; then why=; else why='<failure/>'; bad=1; fi
	printf '<testsuite><testcase classname="sh" name="%s">%s</testcase></testsuite>' "$n" "$why" > "build/test-results/test/TEST-$n.xml"
done
exit $bad
END
chmod 755 gradlew`
	task := recipe.Task{Title: "two", Setup: setup, Solution: "echo 2 > two", After: one("./gradlew test"),
		MayChange: []string{"**"}}
	open := dirs(t)
	c := provenCase(t, open, task)
	check := func(act string, cause trial.Cause, said string) {
		t.Helper()
		got := playCase(t, open, c, act, Loop{})
		if got.cause != cause || !strings.Contains(got.detail, said) {
			t.Errorf("%s: %s %s %s", act, got.status, got.cause, got.detail)
		}
		if cause != "" {
			return
		}
		if v := verdict.First(got.Verdicts,
			func(v trial.Verdict) bool { return v.Strength == trial.StrengthNames }); v == nil ||
			got.status != trial.Pass {
			t.Errorf("%s: %s, %+v", act, got.status, got.Verdicts)
		}
	}
	check("echo 2 > two", "", "")
	protected := task
	protected.MayChange, protected.Protect = nil, []string{"tests/**"}
	got := playCase(t, open, provenCase(t, open, protected), "echo 2 > two", Loop{})
	if v := verdict.First(got.Verdicts, func(v trial.Verdict) bool { return v.Kind == trial.KindControl }); v == nil ||
		got.status != trial.Pass || !strings.HasPrefix(v.Detail, "it fails with a test that must fail, line 1 of tests/") {
		t.Errorf("where a test may be asked for something else: %s, %+v", got.status, got.Verdicts)
	}
	check("true", trial.CauseGaveUp, "")
	check("rm tests/two.sh", trial.CauseUnproven, "sh two")
	check("rm tests/two.sh; mkdir -p build/test-results/test; echo '<testcase classname=\"sh\" name=\"two\"/>' > "+
		"build/test-results/test/TEST-two.xml", trial.CauseUnproven, "sh two")
}
