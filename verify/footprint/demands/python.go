package demands

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/alike"
)

var (
	// asksExamples is that a project has the examples of its modules run, and asksDocuments those of its
	// documentation, too.
	asksExamples = pattern.New(`doctest[-_]modules|-m doctest\b|\b(doctest\.)?testmod\(|\bDocTestSuite\(|` +
		`\bDocTestFinder\(|with-doctest|\bxdoctest\b|doctestplus`)
	asksDocuments = pattern.New(`doctest[-_]glob|\bDocFileSuite\(|\b(doctest\.)?testfile\(|` +
		`-m doctest[^\n]*\.(md|rst|txt)\b`)
	// Documents are files of documentation that may hold examples.
	Documents = pattern.New(`\.(md|rst|txt)$`)
	// casesOf begin the tests of Python within a module, and functionsOf one of them.
	casesOf     = pattern.New(`^class \w+\(.*\bTestCase\b.*\)\s*:|^(async )?def (test\w*|load_tests)\(`)
	functionsOf = pattern.New(`^\s*(?:async )?def (test)\w*\(|^class (\w+)\(.*(TestCase)`)
	// runsOwn is how a module runs its own tests.
	runsOwn = pattern.New(`\b(unittest\.main|doctest\.testmod|testmod|pytest\.main)\(([^()\n]*)\)`)
	// hinders are words that keep a test from asking, or have it ask otherwise.
	hinders = pattern.New(`\b(skip|skipIf|skipUnless|skipTest|SkipTest|expectedFailure|xfail|_exit)\b|` +
		`^(return|return None|pass|raise SystemExit.*|sys\.exit\(.*\)|exit\(.*\))$|` +
		`\bdef (assert\w*|fail\w*|run|debug|subTest|__getattribute__)\(|^(if|while) (False|0|not True|None)\s*:`)
	// decidesBy are how statements of a test make it hold or fail.
	decidesBy = pattern.New(`\bassert\w*\b|\braises\b|[0-9]|["']|\b(True|False|None)\b`)
	// tables are statements of which rows may be more, and rowsOf such rows, or values that stand alone.
	tables = pattern.New(`^(for |@|\w+\s*=\s*[\[({])`)
	rowsOf = pattern.New(`[\[(][^\[\]()]*[0-9"'][^\[\]()]*[\])]|"[^"]*"|'[^']*'|\b[0-9][\w.]*`)
	// notDocumentation are texts of several lines that are a value, or stand behind another statement.
	notDocumentation = pattern.New(`(?ms)^[ \t]*[^\s"'#rRuU>.][^\n"'#]*"""(.*?)"""|^[ \t]*[^\s"'#rRuU>.][^\n"'#]*'''(.*?)'''|` +
		`^[ \t]*(""|'')[ \t]*;[ \t]*("""(.*?)"""|'''(.*?)''')`)
	// onlyText begins a statement that is a text, as documentation is.
	onlyText = pattern.New(`^[rRbBuU]*("""|'''|"|')`)
	// namesOf are names and texts of Python: of what stands behind a dot, and of what asserts, another is another.
	namesOf = pattern.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.?\b[A-Za-z_]\w*`)
)

// RunsExamples reports whether a text has examples run: of modules; of documentation.
func RunsExamples(text string) (modules, documentation bool) {
	return asksExamples.MatchString(text), asksDocuments.MatchString(text)
}

// exampleDemands are the examples of a text as doctest reads them: each with what it wants, without
// names and comments but for what they tell doctest.
func exampleDemands(text string, add func(string)) {
	if !strings.Contains(text, "__test__") {
		text = notDocumentation.ReplaceAllString(text, "")
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		code, is := strings.CutPrefix(line, ">>>")
		if !is {
			continue
		}
		for ; i+1 < len(lines); i++ {
			more, goes := strings.CutPrefix(strings.TrimSpace(lines[i+1]), "...")
			if !goes || more != "" && more[0] != ' ' {
				break
			}
			code += "\n" + more
		}
		var want []string
		for ; i+1 < len(lines); i++ {
			next := strings.TrimSpace(lines[i+1])
			if next == "" || strings.HasPrefix(next, ">>>") || strings.HasPrefix(next, `"""`) || strings.HasPrefix(next, "'''") {
				break
			}
			want = append(want, next)
		}
		code, told, _ := strings.Cut(code, "doctest:")
		if len(want) > 0 {
			add(pythonDemand(code) + " " + strings.TrimSpace(told) + "\n" + strings.Join(want, "\n"))
		}
	}
}

// pythonDemand is a statement of Python without blanks, comments and names.
func pythonDemand(code string) string {
	code = namesOf.ReplaceAllStringFunc(code, func(w string) string {
		switch {
		case w[0] == '\'' && !strings.ContainsAny(w, "\"\\"):
			return `"` + w[1:len(w)-1] + `"`
		case w[0] == '"', w[0] == '\'', w[0] == '.', strings.HasPrefix(w, "assert"), pythonWords[w]:
			return w
		}
		return "_"
	})
	code, _, _ = strings.Cut(code, " #")
	return tight.Replace(strings.Join(strings.Fields(code), ""))
}

// tight takes away commas before brackets that close.
var tight = strings.NewReplacer(",)", ")", ",]", "]", ",}", "}")

// pythonWords are words of which another makes a demand another.
var pythonWords = map[string]bool{"True": true, "False": true, "None": true, "not": true, "in": true, "is": true,
	"and": true, "or": true, "for": true, "if": true, "raises": true, "with": true}

// testDemands are the statements by which tests within a module hold or fail, and how it runs them; hindrances
// is how often words keep those from asking that "old" says were there.
func testDemands(text string, old func(name string, demands []string) bool, add func(string)) (hindrances int) {
	for _, block := range testBlocks(text) {
		var demands []string
		name := ""
		for _, s := range block {
			if m := functionsOf.FindStringSubmatch(s); m != nil {
				demands = append(demands, "def "+m[1]+m[3])
				name = strings.TrimSpace(s)
				continue
			}
			switch {
			case onlyText.MatchString(s) || !decidesBy.MatchString(s) || hinders.MatchString(s):
			case tables.MatchString(s):
				for _, row := range rowsOf.FindAllString(s, -1) {
					demands = append(demands, pythonDemand(row))
				}
			case !strings.HasPrefix(s, "@"):
				demands = append(demands, pythonDemand(s))
			}
		}
		for _, d := range demands {
			add(d)
		}
		if old == nil || old(name, demands) {
			for _, s := range block {
				if hinders.MatchString(s) {
					hindrances++
				}
			}
		}
	}
	for _, m := range runsOwn.FindAllStringSubmatch(text, -1) {
		add("runs its tests")
		if strings.Contains(m[2], "exit") || strings.Contains(m[2], "argv") {
			hindrances++
		}
	}
	return hindrances
}

// testBlocks are the tests within a module, one by one, each with its decorators, as statements without
// comments. A class is one before its first test.
func testBlocks(text string) (blocks [][]string) {
	inTests, fresh := -1, false
	var above []string
	for _, s := range statements(text) {
		indent, bare := alike.Indent(s), strings.TrimSpace(s)
		if inTests >= 0 && indent <= inTests {
			inTests = -1
		}
		switch {
		case strings.HasPrefix(bare, "@"):
			above = append(above, bare)
			continue
		case inTests < 0 && casesOf.MatchString(s):
			inTests, fresh = indent, true
		}
		if inTests >= 0 {
			if fresh || functionsOf.MatchString(s) || strings.HasPrefix(bare, "def ") {
				blocks, fresh = append(blocks, above), false
			}
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], bare)
		}
		above = nil
	}
	return blocks
}

// statements are the lines of a program in Python, without comments, each with those that its brackets
// go on in.
func statements(text string) (list []string) {
	depth, open := 0, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if depth > 0 || open != "" {
			list[len(list)-1] += " " + strings.TrimSpace(line)
		} else if bare := strings.TrimSpace(line); bare == "" || bare[0] == '#' {
			continue
		} else {
			list = append(list, line)
		}
		for i := 0; i < len(line); i++ {
			rest := line[i:]
			switch {
			case open != "":
				if line[i] == '\\' {
					i++
				} else if strings.HasPrefix(rest, open) {
					i, open = i+len(open)-1, ""
				}
			case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
				open, i = rest[:3], i+2
			case rest[0] == '"', rest[0] == '\'':
				open = rest[:1]
			case rest[0] == '#':
				i = len(line)
			case strings.IndexByte("([{", rest[0]) >= 0:
				depth++
			case strings.IndexByte(")]}", rest[0]) >= 0:
				depth = max(0, depth-1)
			}
		}
		if len(open) == 1 { // no text of one quote goes on
			open = ""
		}
	}
	return list
}

// pythonLess reports whether tests within a module of Python demand less than they did; its examples count
// where the project has them run.
func pythonLess(was, is string, examples bool, others func() string) bool {
	if examples && strings.Contains(was, ">>>") && lacks(timesOf(func(add func(string)) { exampleDemands(was, add) }),
		timesOf(func(add func(string)) { exampleDemands(is, add) }),
		func() map[string]int { return timesOf(func(add func(string)) { exampleDemands(others(), add) }) }) {
		return true
	}
	if len(testBlocks(was)) == 0 {
		return false
	}
	had, hindered := map[string]bool{}, 0
	before := timesOf(func(add func(string)) {
		hindered = testDemands(was, nil, add)
	})
	for _, b := range testBlocks(was) {
		for _, s := range b {
			if functionsOf.MatchString(s) {
				had[strings.TrimSpace(s)] = true
			}
		}
	}
	now := timesOf(func(add func(string)) {
		hindered -= testDemands(is, func(name string, _ []string) bool { return had[name] || name == "" }, add)
	})
	return hindered < 0 || lacks(before, now,
		func() map[string]int { return timesOf(func(add func(string)) { testDemands(others(), nil, add) }) })
}
