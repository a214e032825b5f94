package testrun

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/shell"
)

// tapRunners are those that print TAP when they are told to, and CTest, which writes XML.
func tapRunners() []*Runner {
	all := func([]string) bool { return true }
	return []*Runner{
		{Name: "mocha", loud: loudMocha, chosen: all, Read: readToldTap, Short: same},
		{Name: "ava", loud: loudAva, chosen: all, Read: readTestsAlone, Short: same},
		{Name: "tap", loud: loudNodeTap, chosen: all, Read: readNodeTap, Short: same},
		{Name: "tsx --test", loud: loudTsx, chosen: all, Read: readTap, Short: same},
		{Name: "borp", loud: loudBorp, chosen: all, Read: readTap, Short: same},
		{Name: "lab", loud: loudLab, chosen: all, Read: readJUnit, Short: same},
		{Name: "uvu", loud: loudUvu, chosen: all, Read: readUvu, Short: same},
		{Name: "prove", loud: loudProve, chosen: all, Read: readToldTap, Short: same},
		{Name: "bats", loud: loudBats, chosen: all, Read: readToldTap, Short: same},
		{Name: "busted", loud: loudBusted, chosen: all, Read: readTestsAlone, Short: same},
		{Name: "ctest", loud: loudCTest, chosen: all, Read: readJUnit, Short: same},
	}
}

// tapRunner are the programs of tapRunners.
var tapRunner = pattern.New(`^(mocha|_mocha|ava|tap|borp|lab|uvu|prove|bats|busted|ctest)$`)

// elsewhere are flags under which a program runs no tests, or goes on for ever.
var elsewhere = []string{"-w", "--watch", "-h", "--help", "--version", "-N", "--show-only", "--dry-run",
	"--list-files", "--init"}

// told gives a command without some flags, and with others in their place; nil: it is told to
// do something else. valued are flags whose value may be the word behind them.
func told(argv []string, plain, valued []string, instead ...string) []string {
	if slices.ContainsFunc(argv, func(a string) bool { return slices.Contains(elsewhere, a) }) {
		return nil
	}
	var kept []string
	for i := 0; i < len(argv); i++ {
		name, _, set := strings.Cut(argv[i], "=")
		switch {
		case slices.Contains(valued, name) && !set:
			i++
		case slices.Contains(valued, name), slices.Contains(plain, argv[i]):
		case argv[i] == "--":
			return slices.Concat(kept, instead, argv[i:])
		default:
			kept = append(kept, argv[i])
		}
	}
	return append(kept, instead...)
}

// majorOf sets m to the first number of the version of a package that node finds from here; "": there is none.
func majorOf(pkg string) string {
	return `p=$PWD; until f=$p/node_modules/` + pkg + `/package.json; [ -f "$f" ] || [ -z "$p" ]; do p=${p%/*}; done; ` +
		`m=$(sed -n 's/.*"version": *"\([0-9]*\)\..*/\1/p' "$f" 2> /dev/null | head -n 1); `
}

// instead puts words in the place of an argument, where its script does.
func instead(old, words string) string {
	return `for x do shift; if [ "$x" = ` + old + ` ]; then set -- "$@"` + words + `; else set -- "$@" "$x"; fi; done; `
}

// loudMocha is told not to end with the first failure since its version 6, which what is older does not know: there
// is no bail then but in the file of its options.
func loudMocha(argv []string, word string) []string {
	argv = told(argv, []string{"-b", "--bail"}, []string{"-R", "--reporter", "-O", "--reporter-option",
		"--reporter-options"}, "--no-bail", "--reporter", "tap")
	if argv == nil {
		return nil
	}
	opts := "/tmp/" + word + ".opts"
	return inShell(majorOf("mocha")+`case $m in [0-5]) o=; `+
		`if grep -qs -e '--bail' -e '^ *-b *$' test/mocha.opts; then o=1; `+
		`sed -e 's/--bail//g' -e 's/^ *-b *$//' test/mocha.opts > `+opts+`; fi; `+
		instead("--no-bail", ` ${o:+--opts `+opts+`}`)+`;; esac; exec "$@"`, argv...)
}

func loudAva(argv []string, _ string) []string {
	return told(argv, []string{"-t", "--tap", "--fail-fast", "-v", "--verbose"}, nil, "--tap")
}

// loudNodeTap knows that versions before 1 have another flag for it.
func loudNodeTap(argv []string, _ string) []string {
	argv = told(argv, []string{"-b", "--bail"}, []string{"-R", "--reporter"}, "--reporter=tap")
	if argv == nil {
		return nil
	}
	return inShell(majorOf("tap")+`case $m in 0) `+instead("--reporter=tap", " --tap")+`;; esac; exec "$@"`, argv...)
}

// loudTsx has tsx, which runs node on TypeScript, print what node --test does.
func loudTsx(argv []string, _ string) []string {
	kept := slices.DeleteFunc(slices.Clone(argv),
		func(a string) bool { return strings.HasPrefix(a, "--test-reporter") })
	if slices.ContainsFunc(kept, func(a string) bool { return slices.Contains(elsewhere, a) || a == "watch" }) {
		return nil
	}
	at := slices.Index(kept, "--test")
	return slices.Insert(kept, at, "--test-reporter=tap", "--test-reporter-destination=stdout")
}

// loudBorp prints what node --test does.
func loudBorp(argv []string, _ string) []string {
	return told(argv, nil, []string{"-r", "--reporter"}, "--reporter=tap")
}

// loudLab has lab write its record, and print it then.
func loudLab(argv []string, word string) []string {
	if slices.Contains(argv, "-d") || slices.Contains(argv, "--dry") {
		return nil
	}
	file := "/tmp/" + word + ".xml"
	argv = told(argv, []string{"--bail", "-L", "--lint"}, []string{"-r", "--reporter", "-o", "--output"},
		"-r", "junit", "-o", file)
	if argv == nil {
		return nil
	}
	return inShell(`"$@"; s=$?; printf '\n`+word+`\n'; cat `+file+` 2> /dev/null; exit $s`, argv...)
}

// uvuRecord has uvu, which names only what fails, say of each test what became of it: tests are put into
// lists of what has a name and a handler.
const uvuRecord = `const push = Array.prototype.push, say = (how, of, name) =>
	process.stdout.write("\nWORD " + how + " " + JSON.stringify((of ? of + " " : "") + name) + "\n");
Array.prototype.push = function (...all) {
	for (const t of all) {
		if (!t || typeof t.handler !== "function" || typeof t.name !== "string" || Object.keys(t).length !== 2) continue;
		const run = t.handler;
		t.handler = async (state) => {
			const of = state && state.__suite__;
			try { await run(state); } catch (e) { say("fail", of, t.name); throw e; }
			say("pass", of, t.name);
		};
	}
	return push.apply(this, all);
};
`

func loudUvu(argv []string, word string) []string {
	file := "/tmp/" + word + ".cjs"
	argv = told(argv, []string{"-b", "--bail"}, nil, "-r", file)
	text, err := shell.Quote([]string{strings.ReplaceAll(uvuRecord, "WORD", word)})
	if argv == nil || err != nil {
		return nil
	}
	return inShell(`printf %s `+text+` > `+file+` || exit; exec "$@"`, argv...)
}

// readUvu reads what uvuRecord prints.
func readUvu(r sandbox.Result, word string) *Results {
	out := newResults(r)
	for line := range strings.Lines(string(r.Stdout)) {
		rest, is := strings.CutPrefix(strings.TrimRight(line, "\r\n"), word+" ")
		how, quoted, _ := strings.Cut(rest, " ")
		name := ""
		if !is || json.Unmarshal([]byte(quoted), &name) != nil {
			continue
		}
		if t := out.test(name); how == "pass" {
			t.Passed++
		} else {
			t.Failed++
		}
	}
	return out
}

func loudProve(argv []string, _ string) []string {
	return told(argv, []string{"-q", "--quiet", "-Q", "--QUIET"}, nil, "-v")
}

func loudBats(argv []string, _ string) []string {
	if slices.Contains(argv, "-c") || slices.Contains(argv, "--count") {
		return nil
	}
	return told(argv, []string{"-t", "--tap", "-p", "--pretty"}, []string{"-F", "--formatter"}, "--tap")
}

func loudBusted(argv []string, _ string) []string {
	if slices.Contains(argv, "-l") || slices.Contains(argv, "--list") {
		return nil
	}
	return told(argv, []string{"--no-keep-going"}, []string{"-o", "--output"}, "--output=TAP")
}

// loudCTest has CTest write its record, unless it does so already, as loudJUnit prints it.
func loudCTest(argv []string, word string) []string {
	argv = told(argv, []string{"--stop-on-failure"}, nil)
	if argv != nil && len(junitFiles(argv)) == 0 {
		argv = append(argv, "--output-junit", "/tmp/"+word+".xml")
	}
	return loudJUnit(argv, word)
}

// readToldTap reads the tests that stand at the beginning of lines.
func readToldTap(r sandbox.Result, _ string) *Results { return readPlainTap(r) }

// notTests are how ava and busted name, as if they were tests, errors outside of them: of a file that can't be
// loaded, say.
var notTests = pattern.New(`^(\w*(Error|Exception)( \[\w+\])?: |No tests found in |Couldn.t find any |` +
	`\S+ exited (with|due to) |suite \S+\.(lua|moon|fnl)$)|^(Uncaught exception|Unhandled rejection)\b`)

// readTestsAlone leaves these out: who mends the project has no such tests.
func readTestsAlone(r sandbox.Result, _ string) *Results {
	out := readPlainTap(r)
	maps.DeleteFunc(out.Tests, func(name string, t *testResult) bool {
		return t.Passed == 0 && notTests.MatchString(name)
	})
	return out
}

var tapTime = pattern.New(` # time=\S+( \{)?$| \{$`)

// readNodeTap reads what node-tap prints: assertions stand within tests, these within files. What
// is asserted is named with the test that it is in. A test that throws has none of its assertions, and an error in
// their place: it is a test of its own, too, as it ends.
func readNodeTap(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	var within []string // names of what is open, by depth
	for line := range strings.Lines(string(r.Stdout)) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimLeft(line, " ")
		depth := (len(line) - len(bare)) / 4
		if name, is := strings.CutPrefix(bare, "# Subtest: "); is {
			// Its line may be as deep as what is in it, or as what it is in.
			within = append(within[:min(depth, len(within))], name)
			continue
		}
		m := plainTap.FindStringSubmatch(bare)
		if m == nil || (len(line)-len(bare))%4 != 0 {
			continue
		}
		name := tapTime.ReplaceAllString(m[2], "")
		if depth < len(within) && within[depth] == name {
			if !tapFile.MatchString(name) {
				out.ends(strings.Join(within[:depth+1], " > "), m[1] != "")
			}
			within = within[:depth]
			continue
		}
		title := tapIdle.ReplaceAllString(" "+name, "")
		idle := title != " "+name
		if title = strings.TrimSpace(title); title == "" || path.Ext(title) != "" && tapFile.MatchString(title) {
			continue
		}
		full := strings.Join(append(slices.Clone(within[:min(depth, len(within))]), title), " > ")
		if idle {
			out.test(tapMean.Replace(full)).skipped++
			continue
		}
		out.ends(full, m[1] != "")
	}
	return out
}

// ends takes in how a test of TAP ended, by its name as TAP writes it.
func (r *Results) ends(name string, failed bool) {
	if t := r.test(tapMean.Replace(name)); failed {
		t.Failed++
	} else {
		t.Passed++
	}
}
