package testrun

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// tapRunners are those that print TAP when they are told to, and CTest, which writes XML.
func tapRunners() []*Runner {
	all := func([]string) bool { return true }
	return []*Runner{
		{Name: "mocha", loud: loudMocha, chosen: all, Read: readToldTap, Short: same},
		{Name: "ava", loud: loudAva, chosen: all, Read: readToldTap, Short: same},
		{Name: "tap", loud: loudNodeTap, chosen: all, Read: readNodeTap, Short: same},
		{Name: "prove", loud: loudProve, chosen: all, Read: readToldTap, Short: same},
		{Name: "ctest", loud: loudCTest, chosen: all, Read: readJUnit, Short: same},
	}
}

// tapRunner are the programs of tapRunners.
var tapRunner = pattern.New(`^(mocha|_mocha|ava|tap|prove|ctest)$`)

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

func loudMocha(argv []string, _ string) []string {
	return told(argv, []string{"-b", "--bail"}, []string{"-R", "--reporter", "-O", "--reporter-option",
		"--reporter-options"}, "--no-bail", "--reporter", "tap")
}

func loudAva(argv []string, _ string) []string {
	return told(argv, []string{"-t", "--tap", "--fail-fast", "-v", "--verbose"}, nil, "--tap")
}

func loudNodeTap(argv []string, _ string) []string {
	return told(argv, []string{"-b", "--bail"}, []string{"-R", "--reporter"}, "--reporter=tap")
}

func loudProve(argv []string, _ string) []string {
	return told(argv, []string{"-q", "--quiet", "-Q", "--QUIET"}, nil, "-v")
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

var tapTime = pattern.New(` # time=\S+( \{)?$| \{$`)

// readNodeTap reads what node-tap prints: assertions stand within tests, these within files. What
// is asserted is named with the test that it is in.
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
			within = within[:depth] // its end: what it holds was counted
			continue
		}
		title := tapIdle.ReplaceAllString(" "+name, "")
		idle := title != " "+name
		if title = strings.TrimSpace(title); title == "" || path.Ext(title) != "" && tapFile.MatchString(title) {
			continue
		}
		full := strings.Join(append(slices.Clone(within[:min(depth, len(within))]), title), " > ")
		switch t := out.test(tapMean.Replace(full)); {
		case idle:
			t.skipped++
		case m[1] != "":
			t.Failed++
		default:
			t.Passed++
		}
	}
	return out
}
