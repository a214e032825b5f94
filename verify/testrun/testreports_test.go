package testrun

import (
	"maps"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/sandbox"
)

// became says of each test how often it passed, failed and was skipped.
func became(r *Results) map[string][3]int {
	out := map[string][3]int{}
	for name, t := range r.Tests {
		out[name] = [3]int{t.Passed, t.Failed, t.skipped}
	}
	return out
}

func TestReadReports(t *testing.T) {
	check := func(read func(sandbox.Result, string) *Results, text string, want map[string][3]int) {
		t.Helper()
		if got := became(read(sandbox.Result{Stdout: []byte(text)}, "WORD")); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", text, got, want)
		}
	}
	const doc = `{"success":false,"testResults":[{"name":"/work/a.test.js","assertionResults":[
{"ancestorTitles":["sums"],"fullName":"sums add","status":"passed","title":"add"},
{"fullName":"sums sub","status":"failed"},{"fullName":"later","status":"pending"},
{"fullName":"todo","status":"todo"}]}]}`
	want := map[string][3]int{"sums add": {1, 0, 0}, "sums sub": {0, 1, 0}, "later": {0, 0, 1}, "todo": {0, 0, 1}}
	check(readJest, doc, want)
	check(readJest, "> test\n> jest {a} {\"x\": 1}\n"+doc+"\ndone", want)
	check(readJest, "{ no record }", map[string][3]int{})
	check(readJest, doc[:len(doc)-2], map[string][3]int{})

	const suite = `<?xml version="1.0"?><testsuites><testsuite name="s"><properties/>
<testcase classname="a.B" name="one" time="0.1"/>
<testcase classname="a.B" name="two"><failure message="&lt;x&gt;">at line</failure></testcase>
<testcase classname="a.B" name="three"><error/></testcase>
<testcase name="four"><skipped/></testcase></testsuite></testsuites>`
	want = map[string][3]int{"a.B one": {1, 0, 0}, "a.B two": {0, 1, 0}, "a.B three": {0, 1, 0}, "four": {0, 0, 1}}
	check(readJUnit, "log\n\nWORD\n"+suite, want)
	check(readJUnit, suite, map[string][3]int{}) // not where the record is
	torn, _, _ := strings.Cut(suite, "</testcase>")
	check(readJUnit, "\nWORD\n"+torn, map[string][3]int{"a.B one": {1, 0, 0}})
	check(readJUnit, "\nWORD\n"+torn+"\n\nWORD\n"+suite, map[string][3]int{"a.B one": {2, 0, 0}, "a.B two": {0, 1, 0},
		"a.B three": {0, 1, 0}, "four": {0, 0, 1}})
}

// TestReadTold: what mocha, and node-tap, print as TAP.
func TestReadTold(t *testing.T) {
	check := func(read func(sandbox.Result, string) *Results, text string, want map[string][3]int) {
		t.Helper()
		if got := became(read(sandbox.Result{Stdout: []byte(text)}, "")); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", text, got, want)
		}
	}
	check(readToldTap, "ok 1 outer adds\nnot ok 2 outer fails\n  1 !== 2\n      at Context.<anonymous> (test/m.js:2:71)\n"+
		"ok 3 outer later # SKIP -\nnoise\nok 4 outer in  side deep\n# tests 3\n# pass 2\n1..4\n",
		map[string][3]int{"outer adds": {1, 0, 0}, "outer fails": {0, 1, 0}, "outer later": {0, 0, 1},
			"outer in  side deep": {1, 0, 0}})
	check(readToldTap,
		"t/a.t .. \nok 1 - one\nnot ok 2 - two\nok 3 # SKIP x\n1..3\nFailed 1/3 subtests\nt/b.t .. \nok 1 - one\nok\n",
		map[string][3]int{"one": {2, 0, 0}, "two": {0, 1, 0}})
	check(readNodeTap, `TAP version 13
# Subtest: test/tp.js
    # Subtest: group
        ok 1 - one is one
        not ok 2 - one is two
          ---
          at: {line: 1}
          ...
        # Subtest: inner
            ok 1 - fine # SKIP here
            1..1
        ok 3 - inner # time=1.2ms
        1..3
    not ok 1 - group # time=9ms
    ok 2 - top level
    1..2
not ok 1 - test/tp.js # time=300ms
ok 2 - test/other.js # time=3ms {
    ok 1 - fine
}
1..2
`, map[string][3]int{"test/tp.js > group > one is one": {1, 0, 0}, "test/tp.js > group > one is two": {0, 1, 0},
		"test/tp.js > group > inner > fine": {0, 0, 1}, "test/tp.js > group > inner": {1, 0, 0},
		"test/tp.js > group": {0, 1, 0}, "test/tp.js > top level": {1, 0, 0}, "fine": {1, 0, 0}})
	check(readNodeTap, `TAP version 13
# Subtest: test/index.js
    # Subtest: a circle
        not ok 1 - Maximum call stack size exceeded
          ---
          tapCaught: returnedPromiseRejection
          ...
        
        1..1
        # failed 1 test
    not ok 1 - a circle # time=184.339ms
    1..1
not ok 1 - test/index.js # time=3075.027ms
`, map[string][3]int{"test/index.js > a circle > Maximum call stack size exceeded": {0, 1, 0},
		"test/index.js > a circle": {0, 1, 0}})
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
	check("node bin/vt.js run --outputFile=junit.xml", "junit.xml")
	check("node bin/vt.js --reporter=junit --outputFile out/r.xml", "out/r.xml")
	check("./tests -r junit -o r.xml", "r.xml")
	check("./tests --gtest_output=xml:r.xml", "r.xml")
	check("node bin/cov.js --outputFile=cov.xml", "")
	check("node bin/vt.js --reporter=junit --outputFile", "")
	check("cc -o junit a.c", "")
	check("mvn -q test", "*/surefire-reports/* */failsafe-reports/*")
	check("mvn compile", "")
	check("./gradlew :app:test", "*/build/test-results/*")
	check("make test", "")
}

// TestReadNames: names of tests hold whatever their authors wrote.
func TestReadNames(t *testing.T) {
	check := func(read func(sandbox.Result, string) *Results, text string, want map[string][3]int) {
		t.Helper()
		if got := became(read(sandbox.Result{Stdout: []byte(text)}, "WORD")); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", text, got, want)
		}
	}
	check(readTap, `# Subtest: a \# b
ok 1 - a \# b
not ok 2 - c:\\d \# TODO
ok 3 - later # SKIP
ok 4 - reads index.js
not ok 5 - /work/lib/a.test.mjs
ok 6 - test.js
    ok 1 - within
ok 7 - group
  ---
  type: 'suite'
`, map[string][3]int{"a # b": {1, 0, 0}, `c:\d # TODO`: {0, 1, 0}, "later": {0, 0, 1}, "reads index.js": {1, 0, 0},
		"within": {1, 0, 0}})
	check(readPytest, `PASSED t.py::a[x - y]
PASSED t.py::a[x - z]
FAILED t.py::a[it's [me]; $(id)] - AssertionError: [1] - [2]
FAILED t.py::C::b - assert 1 == 2
PASSED my tests/t.py::a
XFAIL t.py::c[1] - reason: [x]
PASSED README.md::README.md
`+"\x1b[32mPASSED\x1b[0m t.py::\x1b[1mred[0]\x1b[0m\n"+
		"\x1b[31mFAILED\x1b[0m t.py::\x1b[1mblue\x1b[0m - assert 0\n", map[string][3]int{
		"t.py::a[x - y]": {1, 0, 0}, "t.py::a[x - z]": {1, 0, 0}, "t.py::a[it's [me]; $(id)]": {0, 1, 0},
		"t.py::C::b": {0, 1, 0}, "my tests/t.py::a": {1, 0, 0}, "t.py::c[1]": {0, 0, 0},
		"README.md::README.md": {1, 0, 0}, "t.py::red[0]": {1, 0, 0}, "t.py::blue": {0, 1, 0}})
}

// TestReadWhy: what a record says of failures is kept with the tests.
func TestReadWhy(t *testing.T) {
	check := func(read func(sandbox.Result, string) *Results, text, name, want string) {
		t.Helper()
		r := read(sandbox.Result{Stdout: []byte(text)}, "WORD").Tests[name]
		if r == nil || r.why != want {
			t.Errorf("%s:\n got %+v\nwant %q", name, r, want)
		}
	}
	check(readJest, oneline.Of(`{"testResults":[
		{"assertionResults":[{"fullName":"a","status":"failed","failureMessages":["x\ny"]}]}]}`), "a", "x\ny")
	for text, want := range map[string]string{
		`<failure message="m">m: at line</failure>`:                                    "m: at line",
		`<failure message="m"/><system-out>printed</system-out>`:                       "m\n",
		`<failure message=""/><system-out>printed</system-out>`:                        "printed",
		`<error type="E" message="m"><![CDATA[E: other]]></error><system-out/>`:        "m\nE: other",
		`<skipped message="s"/>`:                                                       "",
		`<failure>one</failure><failure>two</failure><system-out>printed</system-out>`: "onetwo",
	} {
		check(readJUnit, "\nWORD\n<testsuite><testcase name=\"a\">"+text+"</testcase></testsuite>", "a", want)
	}
}
