package propose

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/internal/mutants"
	"cookoff/internal/pattern"
)

// Fault is a small change of one line that may make tests fail.
type Fault struct {
	File string // slash path, relative to the project
	Line int    // from 1
	Old  string
	New  string
}

// Setup is the shell command that plants the fault; it changes nothing where
// the line is not as it was.
func (f Fault) Setup() string { return f.sed(f.Old, f.New) }

// Solution is the shell command that takes the fault out again.
func (f Fault) Solution() string { return f.sed(f.New, f.Old) }

var (
	special     = pattern.New(`[\\.*\[\]^$]`)
	replacement = pattern.New(`[\\&]`)
)

// sed replaces one line by another; "" where that can't be written.
func (f Fault) sed(from, to string) string {
	at := strings.IndexFunc("|#~,@%", func(r rune) bool { return !strings.ContainsRune(from+to, r) })
	if at < 0 {
		return ""
	}
	sep := "|#~,@%"[at : at+1]
	script := fmt.Sprintf("%ds%s^%s$%s%s%s", f.Line, sep, special.ReplaceAllString(from, `\$0`), sep,
		replacement.ReplaceAllString(to, `\$0`), sep)
	script = strings.ReplaceAll(script, "\r", `\r`) // of lines that end as Windows has it
	return "sed -i " + quote(script) + " " + quote(f.File)
}

var plain = pattern.New(`^[\w./+-]+$`)

// quote makes one word of the shell's.
func quote(s string) string {
	if plain.MatchString(s) && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Bounds of what is looked at for faults.
const (
	mostSources = 200
	mostGiving  = 30  // of them, that give any
	mostOfFile  = 6   // faults
	longestLine = 200 // bytes
)

// Faults proposes faults for the sources in dir: those of files that the most
// tests are named after come first, and each file's in turn; none in what decides, by its globs. No file is changed.
func Faults(dir string, decide []string) []Fault {
	p := project{dir}
	var files []string
	tests := map[string]bool{}
	p.walk(func(rel string) bool {
		switch {
		case mutants.Test(rel):
			tests[stem(rel)] = true
		case slices.ContainsFunc(decide, func(g string) bool { return glob.Match(g, rel) }):
		case mutants.Source(rel):
			files = append(files, rel)
		}
		return true
	})
	slices.SortStableFunc(files, func(a, b string) int {
		return cmp.Or(-less(tests[stem(a)], tests[stem(b)]), strings.Count(a, "/")-strings.Count(b, "/"))
	})
	var byFile [][]Fault
	for _, f := range files[:min(len(files), mostSources)] {
		if list := faultsIn(f, p.text(f)); len(list) > 0 {
			byFile = append(byFile, list)
		}
		if len(byFile) == mostGiving {
			break
		}
	}
	var out []Fault
	for i := range mostOfFile {
		for _, list := range byFile {
			if i < len(list) {
				out = append(out, list[i])
			}
		}
	}
	return out
}

func less(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// stem is a file's name without what marks it as a test, and its ending.
func stem(rel string) string {
	s, _, _ := strings.Cut(path.Base(rel), ".")
	for _, before := range []string{"test_", "Test"} {
		s = strings.TrimPrefix(s, before)
	}
	for _, after := range []string{"_test", "Test", "Tests", "TestCase", "Spec"} {
		s = strings.TrimSuffix(s, after)
	}
	return s
}

// loop begins what may never end, once it is made wrong: its faults are tried later.
var loop = pattern.New(`\b(for|while|until|loop)\b`)

// faultsIn gives the faults of one file, a line's first before any line's second and those of loops,
// those of its middle first: what is at its top declares, and what is at its end starts. A line that
// is left out, or says the contrary, comes last: few mistakes are like it.
func faultsIn(file, text string) []Fault {
	var ranks [3][]Fault
	seen := map[int]int{}
	for _, e := range mutants.Of(file, text) {
		from := strings.LastIndexByte(text[:e.From], '\n') + 1
		rest, _, _ := strings.Cut(text[e.To:], "\n")
		f := Fault{File: file, Line: e.Line, Old: text[from:e.To] + rest, New: text[from:e.From] + e.New + rest}
		if strings.Contains(e.Old, "\n") || len(f.Old) > longestLine {
			continue
		}
		if f.Setup() == "" || f.Solution() == "" {
			continue
		}
		rank := min(seen[e.Line], 1)
		if loop.MatchString(f.Old) {
			rank = 1
		}
		if e.Operator == "statement" || e.Operator == "contrary" {
			rank = 2
		} else {
			seen[e.Line]++
		}
		ranks[rank] = append(ranks[rank], f)
	}
	var out []Fault
	for _, list := range ranks {
		mid := len(list) / 2
		out = slices.Concat(out, list[mid:], list[:mid])
	}
	return out[:min(len(out), mostOfFile)]
}
