package verify

import (
	"maps"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
)

// became says of each test how often it passed, failed and was skipped.
func became(r *results) map[string][3]int {
	out := map[string][3]int{}
	for name, t := range r.tests {
		out[name] = [3]int{t.passed, t.failed, t.skipped}
	}
	return out
}

func TestReadReports(t *testing.T) {
	check := func(read func(sandbox.Result, string) *results, text string, want map[string][3]int) {
		t.Helper()
		if got := became(read(sandbox.Result{Stdout: []byte(text)}, "WORD")); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", text, got, want)
		}
	}
	const doc = `{"success":false,"testResults":[{"name":"/work/a.test.js","assertionResults":[
{"ancestorTitles":["sums"],"fullName":"sums add","status":"passed","title":"add"},
{"fullName":"sums sub","status":"failed"},{"fullName":"later","status":"pending"},{"fullName":"todo","status":"todo"}]}]}`
	want := map[string][3]int{"sums add": {1, 0, 0}, "sums sub": {0, 1, 0}, "later": {0, 0, 1}, "todo": {0, 0, 1}}
	check(readJest, doc, want)
	check(readJest, "> test\n> jest {a} {\"x\": 1}\n"+doc+"\ndone", want)
	check(readJest, "{ no record }", map[string][3]int{})
	check(readJest, doc[:len(doc)-2], map[string][3]int{})

	const suite = `<?xml version="1.0"?><testsuites><testsuite name="s"><properties/>
<testcase classname="a.B" name="one" time="0.1"/><testcase classname="a.B" name="two"><failure message="&lt;x&gt;">at line</failure></testcase>
<testcase classname="a.B" name="three"><error/></testcase><testcase name="four"><skipped/></testcase></testsuite></testsuites>`
	want = map[string][3]int{"a.B one": {1, 0, 0}, "a.B two": {0, 1, 0}, "a.B three": {0, 1, 0}, "four": {0, 0, 1}}
	check(readJUnit, "log\n\nWORD\n"+suite, want)
	check(readJUnit, suite, map[string][3]int{}) // not where the record is
	torn, _, _ := strings.Cut(suite, "</testcase>")
	check(readJUnit, "\nWORD\n"+torn, map[string][3]int{"a.B one": {1, 0, 0}})
	check(readJUnit, "\nWORD\n"+torn+"\n\nWORD\n"+suite, map[string][3]int{"a.B one": {2, 0, 0}, "a.B two": {0, 1, 0}, "a.B three": {0, 1, 0}, "four": {0, 0, 1}})
}

func TestJUnitFiles(t *testing.T) {
	check := func(run, want string) {
		t.Helper()
		if got := strings.Join(junitFiles(strings.Fields(run)), " "); got != want {
			t.Errorf("%s: %q, want %q", run, got, want)
		}
	}
	check("phpunit --log-junit out.xml tests", "out.xml")
	check("ctest --output-junit=out.xml", "out.xml")
	check("gotestsum --junitfile out.xml ./...", "out.xml")
	check("mvn -q test", "*/surefire-reports/* */failsafe-reports/*")
	check("mvn compile", "")
	check("./gradlew :app:test", "*/build/test-results/*")
	check("make test", "")
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
	task := recipe.Task{Title: "two", Setup: setup, Solution: "echo 2 > two", After: one("./gradlew test"), MayChange: []string{"**"}}
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
		if v := first(got.verdicts, func(v trial.Verdict) bool { return v.Strength == trial.StrengthNames }); v == nil || got.status != trial.Pass {
			t.Errorf("%s: %s, %+v", act, got.status, got.verdicts)
		}
	}
	check("echo 2 > two", "", "")
	check("true", trial.CauseGaveUp, "")
	check("rm tests/two.sh", trial.CauseUnproven, "sh two")
	check("rm tests/two.sh; mkdir -p build/test-results/test; echo '<testcase classname=\"sh\" name=\"two\"/>' > build/test-results/test/TEST-two.xml", trial.CauseUnproven, "sh two")
}
