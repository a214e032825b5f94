package testrun

import (
	"maps"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// A test that never ends is in no summary. What runners say as they go tells which of them they were at.

// open marks a test that was begun; ended, that it is not open any more, or does not run now.
func (r *Results) open(name string) {
	if r.unfinished == nil {
		r.unfinished = map[string]bool{}
	}
	r.unfinished[name] = true
}

func (r *Results) ended(name string) { delete(r.unfinished, name) }

// asItGoes gives the arguments of a runner that names each test as it begins; word marks its record.
// They are the loud ones where those do.
func (r *Runner) asItGoes(argv, loud []string, word string) []string {
	switch r.Name {
	case "pytest":
		return append(slices.Clone(loud), "-vvv")
	case "cargo test": // of several threads it names tests as they end
		if !slices.ContainsFunc(argv, func(a string) bool { return strings.HasPrefix(a, "--test-threads") }) {
			return append(slices.Clone(loud), "--test-threads=1")
		}
	case Node: // TAP has a test once it has ended
		return withFile(word, nodeBegins, `export NODE_OPTIONS="$NODE_OPTIONS --require=$f"; exec "$@"`,
			slices.Concat(argv[:1], []string{"--test-reporter=" + strings.ReplaceAll(nodeGoing, "WORD", word),
				"--test-reporter-destination=stdout"}, loud[3:]))
	case "mocha":
		at := slices.Index(loud, "--reporter") + 1
		return withFile(word, mochaGoing, `exec "$@"`, slices.Concat(loud[:at], []string{goingFile(word)}, loud[at+1:]))
	case "jest":
		return withFile(word, jestGoing, `exec "$@"`, append(slices.DeleteFunc(slices.Clone(loud), func(a string) bool {
			return a == "--json" || strings.HasPrefix(a, "--reporters=") || a == "-i" || a == "--runInBand"
		}), "--reporters="+goingFile(word), "--maxWorkers=2"))
	}
	return loud
}

// goingFile is a file of JavaScript that says how a run goes on.
func goingFile(word string) string { return "/tmp/" + word + ".cjs" }

// withFile runs a command, as script has it, beside such a file, $f.
func withFile(word, text, script string, argv []string) []string {
	return inShell(`f=`+goingFile(word)+`; printf %s "$1" > "$f"; shift; `+script,
		append([]string{strings.ReplaceAll(saying, "WORD", word) + text}, argv...)...)
}

// saying writes at once: a loop keeps what is not yet written from being so. The other end may be slow.
const saying = `const say = (what, name) => {
  let text = Buffer.from("\nWORD " + what + " " + String(name).replace(/[\r\n]+/g, " ") + "\n");
  while (text.length > 0) {
    try { text = text.subarray(require("fs").writeSync(1, text)); } catch (e) { if (e.code !== "EAGAIN") return; }
  }
};
`

// nodeBegins is loaded by each process of node's tests: a test that loops keeps its process from telling its parent
// that it has begun.
const nodeBegins = `if (process.env.NODE_TEST_CONTEXT && require("worker_threads").isMainThread) {
  const test = require("node:test");
  test.beforeEach((t) => { if (t && t.name) say("begin", t.name); });
  test.afterEach((t) => { if (t && t.name) say("end", t.name); });
}
`

// mochaGoing is a reporter of mocha's, jestGoing one of jest's since its version 29.6.
const (
	mochaGoing = `module.exports = function (runner) {
  const title = (t) => t.fullTitle().replace(/#/g, "");
  runner.on("test", (t) => say("begin", title(t)));
  runner.on("pass", (t) => say("pass", title(t)));
  runner.on("fail", (t) => say("fail", title(t)));
  runner.on("test end", (t) => say("end", title(t)));
};
`
	jestGoing = `module.exports = class {
  onTestCaseStart(test, t) { say("begin", t.fullName); }
  onTestCaseResult(test, t) {
    if (t.status === "passed" || t.status === "failed") say(t.status.slice(0, 4), t.fullName);
    say("end", t.fullName);
  }
};
`
)

// nodeGoing is a reporter of node's that says of each test when it begins and when it ends, as unittestRecord does.
// An address of data has no question mark: what is behind one is no part of it.
const nodeGoing = `data:text/javascript,export default async function*(events){for await(const{type,data}of events){` +
	`const say=(s)=>"\nWORD "+s+" "+data.name.replace(/[\r\n]+/g," ")+"\n";` +
	`const ended=type==="test:pass"||type==="test:fail";` +
	`if(type==="test:dequeue")yield say("begin");` +
	`if(type==="test:stdout"&&/^\nWORD (begin|end) /.test(data.message))yield data.message;` +
	`if(ended&&data.details.type!=="suite")` +
	`yield say((data.skip!==undefined||data.todo!==undefined)&&"skip"||type.slice(5));` +
	`if(ended)yield say("end");}}`

// readAsItGoes reads what a runner printed that was told asItGoes, and may never have come to its end.
func (r *Runner) readAsItGoes(res sandbox.Result, word string) *Results {
	switch r.Name {
	case "pytest":
		return readPytestGoing(res)
	case "mocha", "jest":
		return readUnittest(res, word)
	case Node:
		out := readUnittest(res, word)
		isFile := func(name string) bool { return tapFile.MatchString(name) }
		maps.DeleteFunc(out.Tests, func(name string, _ *testResult) bool { return isFile(name) })
		maps.DeleteFunc(out.unfinished, func(name string, _ bool) bool { return isFile(name) })
		return out
	}
	return r.Read(res, word)
}

var (
	// pytestGoing is a line of pytest -v: a test, and what became of it.
	pytestGoing = pattern.New(`^(\S[^\[\n]*?::[^\[\n]*?(?:\[.*?\])?)\s+` +
		`(?:(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*)?$`)
	// pytestWorker is a line that one of several processes of pytest is said to have come to.
	pytestWorker = pattern.New(`^\[gw\d+\] (?:\[ *\d+%\] )?(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S.*?)\s*$`)
)

// readPytestGoing reads the lines of pytest -v. Where one process runs all tests, all but the last one
// that began have ended, though what they print may stand between their names and what became of them.
func readPytestGoing(res sandbox.Result) *Results {
	out := newResults(res)
	several := false
	for line := range strings.Lines(out.output) {
		line = strings.TrimRight(line, "\r\n")
		if m := pytestWorker.FindStringSubmatch(line); m != nil {
			several = true
			out.pytest(m[2], m[1])
			continue
		}
		m := pytestGoing.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if !several {
			clear(out.unfinished)
		}
		if m[2] == "" {
			out.open(m[1])
			continue
		}
		out.pytest(m[1], m[2])
	}
	return out
}

// pytest takes in what became of a test.
func (r *Results) pytest(name, status string) {
	r.ended(name)
	switch t := r.test(name); status {
	case "PASSED":
		t.Passed++
	case "FAILED", "ERROR":
		t.Failed++
	case "SKIPPED":
		t.skipped++
	default:
		t.excused = true
	}
}

// cargoOpen is the line of a test that cargo's only thread is at.
var cargoOpen = pattern.New(`(?:^|\n)test (\S+)(?: - should panic)? \.\.\. $`)
