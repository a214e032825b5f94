package testrun

import (
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestReadVitest: of a test that failed is said what differs, which only the second of its records has.
func TestReadVitest(t *testing.T) {
	const record = `{"testResults": [{"assertionResults": [
{"fullName": "mean is shown", "status": "failed", "failureMessages": ["Error: Snapshot mismatched"]},
{"fullName": "sum is 2", "status": "failed", "failureMessages": ["AssertionError: expected 1 to be 2"]},
{"fullName": "sum is 3", "status": "passed"}]}]}`
	const junit = `<testsuites><testsuite><testcase classname="a.test.js" name="mean &gt; is shown"><failure message="Snapshot mismatched">
Error: Snapshot mismatched

- Expected
+ Received

-   &quot;Mean&quot;
+   &quot;mean&quot;
</failure></testcase><testcase classname="a.test.js" name="sum &gt; is 2"><failure message="expected 1 to be 2"/></testcase>
<testcase classname="a.test.js" name="sum &gt; is 3"/><testcase name="of nobody"><failure>- Expected</failure></testcase></testsuite></testsuites>`
	out := readVitest(sandbox.Result{Exit: 1, Stdout: []byte("noise\n" + record + "\nword\n" + junit)}, "word")
	if len(out.Tests) != 3 || !out.Tests["sum is 3"].OK() {
		t.Fatalf("%+v", out.Tests)
	}
	for name, want := range map[string]string{"mean is shown": `-   "Mean"`, "sum is 2": "expected 1 to be 2"} {
		if got := out.Tests[name]; got.Failed != 1 || !strings.Contains(got.why, want) {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
}
