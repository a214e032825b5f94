package names

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
	"cookoff/verify/verifytest"
)

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
	printf '<testsuite><testcase classname="sh" name="%s">%s</testcase></testsuite>' "$n" "$why" > \
		"build/test-results/test/TEST-$n.xml"
done
exit $bad
END
chmod 755 gradlew`
	task := recipe.Task{Title: "two", Setup: setup, Solution: "echo 2 > two", After: verifytest.One("./gradlew test"),
		MayChange: []string{"**"}}
	open := verifytest.Dirs(t)
	c := verifytest.ProvenCase(t, open, task)
	check := func(act string, cause trial.Cause, said string) {
		t.Helper()
		got := verifytest.PlayCase(t, open, c, act, verify.Loop{})
		if got.Cause != cause || !strings.Contains(got.Detail, said) {
			t.Errorf("%s: %s %s %s", act, got.Status, got.Cause, got.Detail)
		}
		if cause != "" {
			return
		}
		if v := verdict.First(got.Verdicts,
			func(v trial.Verdict) bool { return v.Strength == trial.StrengthNames }); v == nil ||
			got.Status != trial.Pass {
			t.Errorf("%s: %s, %+v", act, got.Status, got.Verdicts)
		}
	}
	check("echo 2 > two", "", "")
	protected := task
	protected.MayChange, protected.Protect = nil, []string{"tests/**"}
	got := verifytest.PlayCase(t, open, verifytest.ProvenCase(t, open, protected), "echo 2 > two", verify.Loop{})
	if v := verdict.First(got.Verdicts, func(v trial.Verdict) bool { return v.Kind == trial.KindControl }); v == nil ||
		got.Status != trial.Pass || !strings.HasPrefix(v.Detail, "it fails with a test that must fail, line 1 of tests/") {
		t.Errorf("where a test may be asked for something else: %s, %+v", got.Status, got.Verdicts)
	}
	check("true", trial.CauseGaveUp, "")
	check("rm tests/two.sh", trial.CauseUnproven, "sh two")
	check("rm tests/two.sh; mkdir -p build/test-results/test; echo '<testcase classname=\"sh\" name=\"two\"/>' > "+
		"build/test-results/test/TEST-two.xml", trial.CauseUnproven, "sh two")
}
