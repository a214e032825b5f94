package plant

import (
	"strings"

	"cookoff/internal/pattern"
)

// style is how a language writes what is no code, and which words it has.
type style struct {
	line    string   // begins a comment
	block   []string // begin and end of a comment
	quotes  string   // begin texts of one line
	long    []string // begin and end texts of many
	python  bool
	keepOut *pattern.Pattern // lines that declare
}

var (
	declares = pattern.New(`^\s*(import|from|package|use|using|#include|#define|export \*|assert|@)\b|__version__|__name__|(?i)version`)
	cLike    = &style{line: "//", block: []string{"/*", "*/"}, quotes: `"'`, keepOut: declares}
	script   = &style{line: "//", block: []string{"/*", "*/"}, quotes: `"'`, long: []string{"`"}, keepOut: declares}
	python   = &style{line: "#", quotes: `"'`, long: []string{`"""`, `'''`}, python: true, keepOut: declares}
	hash     = &style{line: "#", quotes: `"'`, keepOut: declares}
)

// languages are those whose files faults can be planted in.
var languages = map[string]*style{
	".go": nil, ".py": python, ".js": script, ".mjs": script, ".cjs": script, ".jsx": script, ".ts": script,
	".tsx": script, ".mts": script, ".cts": script,
	".rs": cLike, ".java": cLike, ".kt": cLike, ".c": cLike, ".cc": cLike, ".cpp": cLike, ".cs": cLike, ".swift": cLike,
	".php": cLike, ".rb": hash,
}

// operator is a word or sign that another takes the place of.
type operator struct {
	what *pattern.Pattern // its first group is replaced
	to   []string
	kind string
}

var common = []operator{
	{pattern.New(`[\w)\]] (==) `), []string{"!="}, "comparison"}, {pattern.New(` (!=) `), []string{"=="}, "comparison"},
	{pattern.New(` (<=) `), []string{"<", ">"}, "boundary"}, {pattern.New(` (>=) `), []string{">", "<"}, "boundary"},
	{pattern.New(`[\w)\]] (<) [\w(-]`), []string{"<=", ">"}, "boundary"}, {pattern.New(`[\w)\]] (>) [\w(-]`),
		[]string{">=", "<"}, "boundary"},
	{pattern.New(`[\w)\]] (\+) [\w(]`), []string{"-"}, "arithmetic"}, {pattern.New(`[\w)\]] (-) [\w(]`), []string{"+"},
		"arithmetic"},
	{pattern.New(`[\w)\]] (\*) [\w(]`), []string{"+"}, "arithmetic"}, {pattern.New(`[\w)\]] (//?) [\w(]`), []string{"*"},
		"arithmetic"},
	{pattern.New(`[\w)\]] (%) [\w(]`), []string{"+"}, "arithmetic"},
	{pattern.New(` (\+=) `), []string{"-=", "="}, "assignment"}, {pattern.New(` (-=) `), []string{"+="}, "assignment"},
	{pattern.New(`^\s*(break)\b`), []string{"continue"}, "flow"}, {pattern.New(`^\s*(continue)\b`), []string{"break"},
		"flow"},
	{pattern.New(`\b(min)\(`), []string{"max"}, "choice"}, {pattern.New(`\b(max)\(`), []string{"min"}, "choice"},
}

var pythonOnly = []operator{
	{pattern.New(` (and) `), []string{"or"}, "logic"}, {pattern.New(` (or) `), []string{"and"}, "logic"},
	{pattern.New(`\b(not) (?:[^i]|i[^n])`), []string{""}, "negation"}, {pattern.New(` (not in) `), []string{"in"},
		"comparison"},
	{pattern.New(` (is not) `), []string{"is"}, "comparison"}, {pattern.New(`\w (is) (?:[^n]|n[^o])`), []string{"is not"},
		"comparison"},
	{pattern.New(`^\s*(?:if|elif|while) .*\w (in) `), []string{"not in"}, "comparison"},
	{pattern.New(`\b(True)\b`), []string{"False"}, "constant"}, {pattern.New(`\b(False)\b`), []string{"True"}, "constant"},
	{pattern.New(`^\s*(?:if|elif|while) ()[\w.]+(?:\(.*\))?:`), []string{"not "}, "negation"},
	{pattern.New(`\b(any)\(`), []string{"all"}, "choice"}, {pattern.New(`\b(all)\(`), []string{"any"}, "choice"},
	{pattern.New(`\b(lstrip)\(`), []string{"rstrip"}, "choice"}, {pattern.New(`\b(startswith)\(`), []string{"endswith"},
		"choice"},
}

var signsOnly = []operator{
	{pattern.New(` (===) `), []string{"!=="}, "comparison"}, {pattern.New(` (!==) `), []string{"==="}, "comparison"},
	{pattern.New(` (&&) `), []string{"||"}, "logic"}, {pattern.New(` (\|\|) `), []string{"&&"}, "logic"},
	{pattern.New(` (\?\?) `), []string{"&&"}, "logic"},
	{pattern.New(`[(& |](!)[\w(]`), []string{""}, "negation"}, {pattern.New(`\bif \(()[\w.]+(?:\([^()]*\))?\)`),
		[]string{"!"}, "negation"},
	{pattern.New(`\b(true)\b`), []string{"false"}, "constant"}, {pattern.New(`\b(false)\b`), []string{"true"}, "constant"},
	{pattern.New(`\w(\+\+)`), []string{"--"}, "arithmetic"}, {pattern.New(`\w(--)`), []string{"++"}, "arithmetic"},
	{pattern.New(`\.(some)\(`), []string{"every"}, "choice"}, {pattern.New(`\.(every)\(`), []string{"some"}, "choice"},
	{pattern.New(`\.(startsWith)\(`), []string{"endsWith"}, "choice"}, {pattern.New(`\.(push)\(`), []string{"unshift"},
		"choice"},
}

var numbers = pattern.New(`[^\w.](\d{1,6})(?:[^\w.]|$)`)

// tokenEdits gives faults by the words and signs of a language: what stands in texts
// and comments is left alone.
func tokenEdits(text string, s *style) (list []Edit) {
	ops := append([]operator(nil), common...)
	if s.python {
		ops = append(ops, pythonOnly...)
	} else {
		ops = append(ops, signsOnly...)
	}
	at := 0
	for line := range strings.SplitAfterSeq(s.code(text), "\n") {
		if !s.keepOut.MatchString(line) && len(line) < 400 {
			list = append(list, lineEdits(line, at, ops)...)
		}
		at += len(line)
	}
	return list
}

func lineEdits(line string, at int, ops []operator) (list []Edit) {
	for _, op := range ops {
		for _, m := range op.what.FindAllStringSubmatchIndex(line, -1) {
			for _, to := range op.to {
				e := Edit{From: at + m[2], To: at + m[3], New: to, Operator: op.kind}
				if to == "" && strings.HasPrefix(line[m[3]:], " ") {
					e.To++ // the blank behind a word
				}
				list = append(list, e)
			}
		}
	}
	for _, m := range numbers.FindAllStringSubmatchIndex(line, -1) {
		digits := line[m[2]:m[3]]
		if len(digits) > 1 && digits[0] == '0' {
			continue
		}
		list = append(list, Edit{From: at + m[2], To: at + m[3], New: next(digits), Operator: "constant"})
	}
	return list
}

// next is the number behind another.
func next(digits string) string {
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
	return "1" + string(b)
}

// code gives a text of the same length in which texts and comments are blank.
func (s *style) code(text string) string {
	b := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' {
				b[i] = '_' // a word: operators stand beside one
			}
		}
	}
	for i := 0; i < len(text); {
		end, is := s.skipped(text, i)
		if !is {
			i++
			continue
		}
		blank(i, end)
		i = end
	}
	return string(b)
}

// skipped gives the end of the text or comment that begins at i.
func (s *style) skipped(text string, i int) (end int, is bool) {
	rest := text[i:]
	until := func(open int, closing string) (int, bool) {
		if at := strings.Index(rest[open:], closing); at >= 0 {
			return i + open + at + len(closing), true
		}
		return len(text), true
	}
	switch {
	case strings.HasPrefix(rest, s.line):
		if at := strings.IndexByte(rest, '\n'); at >= 0 {
			return i + at, true
		}
		return len(text), true
	case s.block != nil && strings.HasPrefix(rest, s.block[0]):
		return until(len(s.block[0]), s.block[1])
	}
	for _, q := range s.long {
		if strings.HasPrefix(rest, q) {
			return until(len(q), q)
		}
	}
	if strings.IndexByte(s.quotes, rest[0]) < 0 {
		return 0, false
	}
	for n := 1; n < len(rest); n++ {
		switch rest[n] {
		case '\\':
			n++
		case '\n':
			return 0, false // no text: an apostrophe
		case rest[0]:
			return i + n + 1, true
		}
	}
	return 0, false
}
