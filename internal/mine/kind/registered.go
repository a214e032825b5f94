package kind

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// OnlyRegisters reports whether all that differs in a build file is which tests there are, and how they are built: of
// CMake and make, where programs of tests are named one by one. A file of code that the text before does not name is
// the fix's, and what registers it with a test is no judge's.
func OnlyRegisters(p, was, now string) bool {
	var split func(string) []statement
	switch base := strings.ToLower(path.Base(p)); {
	case base == "cmakelists.txt" || path.Ext(base) == ".cmake":
		split = ofCMake
	case base == "makefile" || base == "gnumakefile" || base == "makefile.am" || path.Ext(base) == ".mk":
		split = ofMake
	default:
		return false
	}
	if was == "" || now == "" || was == now {
		return false
	}
	old, next := split(was), split(now)
	targets := append(testTargets(old), testTargets(next)...)
	rest := func(list []statement) (out []string) {
		for _, s := range list {
			if !s.ofTests(targets) {
				out = append(out, s.text())
			}
		}
		return out
	}
	return slices.Equal(rest(old), rest(next)) && !namesNewCode(old, next)
}

// BuildsTests reports whether a file is one that may register tests, see OnlyRegisters.
func BuildsTests(p string) bool {
	base := strings.ToLower(path.Base(p))
	return Of(p) == Code && (base == "cmakelists.txt" || strings.Contains(base, "makefile") ||
		path.Ext(base) == ".cmake" || path.Ext(base) == ".mk")
}

// statement is one of a build file: a command of CMake with its words, or a rule or variable of make.
type statement struct {
	name   string // of a command; "" of a rule; the variable's with its sign ("TESTS =")
	words  []string
	inTest bool // it stands in a block that is there for tests
}

func (s statement) text() string { return s.name + " " + strings.Join(s.words, " ") }

var (
	// aboutTests are commands of CMake that are about tests alone.
	aboutTests = pattern.New(`(?i)^(add_test|enable_testing|set_tests_properties|` +
		`(gtest|catch|doctest|cpputest)_(discover|add)_tests)$`)
	// ofTarget are commands whose first word is the target that they are about.
	ofTarget = pattern.New(`(?i)^(add_executable|target_\w+|set_target_properties|add_dependencies|set_property)$`)
	// testVar are variables and conditions that are there for tests, and targets of make.
	testVar = pattern.New(`(?i)(^|[^a-z])(tests?|testing|unittests?|check(_?programs)?)($|[^a-z])|` +
		`^check_\w+$|^tests?[_-]|_tests?$`)
	// sourceWord is a word that names a file of code.
	sourceWord = pattern.New(`\.(c|cc|cpp|cxx|m|mm|s|f90|cu)$`)
	object     = pattern.New(`\.(o|obj|lo)$`)
	assignment = pattern.New(`^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*([:+?]{0,2}=)\s*(.*)$`)
	rule       = pattern.New(`^([^\s:#=][^:#=]*?)\s*::?(?:\s+|$)(.*)$`)
)

// testTargets are the programs that are built of tests.
func testTargets(list []statement) (out []string) {
	for _, s := range list {
		if strings.EqualFold(s.name, "add_executable") && len(s.words) > 1 && slices.ContainsFunc(s.words[1:], isTest) {
			out = append(out, s.words[0])
		}
	}
	return out
}

func isTest(word string) bool {
	return sourceWord.MatchString(strings.ToLower(word)) && Of(strings.TrimPrefix(bare(word), "./")) == Tests
}

// bare is a path without the variable that it begins with, and without quotes.
func bare(word string) string {
	word = strings.Trim(word, `"`)
	if strings.HasPrefix(word, "$") {
		if _, rest, ok := strings.Cut(word, "/"); ok {
			return rest
		}
	}
	return word
}

func (s statement) ofTests(targets []string) bool {
	switch {
	case s.inTest || aboutTests.MatchString(s.name):
		return true
	case len(s.words) == 0:
		return false
	case ofTarget.MatchString(s.name):
		first := s.words[0]
		if strings.EqualFold(s.name, "set_property") && len(s.words) > 1 {
			if strings.EqualFold(first, "TEST") {
				return true
			}
			first = s.words[1]
		}
		return slices.Contains(targets, first)
	case strings.EqualFold(s.name, "set") || strings.EqualFold(s.name, "option"):
		return testVar.MatchString(s.words[0])
	case strings.EqualFold(s.name, "list"):
		return len(s.words) > 1 && testVar.MatchString(s.words[1])
	case strings.EqualFold(s.name, "include"):
		return strings.EqualFold(s.words[0], "CTest") || strings.EqualFold(s.words[0], "GoogleTest")
	case strings.EqualFold(s.name, "add_subdirectory"):
		return IsTestDir(strings.Trim(s.words[0], `"`))
	}
	return false
}

// namesNewCode reports whether what is about tests names a source that is no test and that nothing named before.
func namesNewCode(old, next []statement) bool {
	known := map[string]bool{}
	for _, s := range old {
		for _, w := range s.words {
			known[w] = true
		}
	}
	for _, s := range next {
		for _, w := range s.words {
			file := object.ReplaceAllString(w, ".c")
			if !known[w] && sourceWord.MatchString(strings.ToLower(file)) && !isTest(file) && !strings.ContainsAny(w, "%$") {
				return true
			}
		}
	}
	return false
}

// ofCMake gives the statements of a text of CMake. Those between a condition about tests and its end are tests', as is
// a loop that holds nothing else.
func ofCMake(text string) []statement {
	var out []statement
	type block struct {
		at    int
		tests bool
	}
	var open []block
	for _, s := range cmakeCommands(text) {
		name := strings.ToLower(s.name)
		s.inTest = slices.ContainsFunc(open, func(b block) bool { return b.tests })
		switch name {
		case "if", "foreach":
			about := name == "if" && testVar.MatchString(strings.Join(s.words, " ")) && !slices.Contains(s.words, "NOT")
			open = append(open, block{len(out), about})
			s.inTest = s.inTest || about
		case "else", "elseif":
			if len(open) > 0 {
				open[len(open)-1].tests = false
			}
		case "endif", "endforeach":
			if len(open) == 0 {
				break
			}
			b := open[len(open)-1]
			open = open[:len(open)-1]
			if name == "endforeach" && allTests(out[b.at+1:]) {
				out[b.at].inTest, s.inTest = true, true
			}
		}
		out = append(out, s)
	}
	return out
}

func allTests(list []statement) bool {
	targets := testTargets(list)
	return len(list) > 0 && !slices.ContainsFunc(list, func(s statement) bool { return !s.ofTests(targets) })
}

// cmakeCommands splits a text of CMake into its commands.
func cmakeCommands(text string) (out []statement) {
	for text != "" {
		switch text[0] {
		case '#':
			text = afterRemark(text)
			continue
		case ' ', '\t', '\r', '\n':
			text = text[1:]
			continue
		}
		end := strings.IndexAny(text, "(#\n")
		if end < 0 || text[end] != '(' {
			return append(out, statement{name: "?", words: []string{text}}) // no CMake: it is compared as it is
		}
		s := statement{name: strings.TrimSpace(text[:end])}
		s.words, text = cmakeWords(text[end+1:])
		out = append(out, s)
	}
	return out
}

func afterRemark(text string) string {
	if strings.HasPrefix(text, "#[[") {
		if _, rest, ok := strings.Cut(text, "]]"); ok {
			return rest
		}
	}
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// cmakeWords gives the words up to the bracket that closes a command, and what follows it.
func cmakeWords(text string) (words []string, rest string) {
	depth, word := 1, ""
	flush := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			flush()
			left := afterRemark(text[i:])
			i = len(text) - len(left) - 1
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(text)-1)
			word, i = word+text[i:end+1], end
		case ' ', '\t', '\r', '\n', ';':
			flush()
		case '(':
			depth++
			word += "("
		case ')':
			if depth--; depth == 0 {
				flush()
				return words, text[i+1:]
			}
			word += ")"
		default:
			word += string(c)
		}
	}
	flush()
	return words, ""
}

// ofMake gives the rules and variables of a makefile. Rules of tests are those whose target is built of a test, or is
// called as what runs them.
func ofMake(text string) (out []statement) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(line, "\t") && len(out) > 0:
			last := &out[len(out)-1]
			last.words = append(last.words, append([]string{"\n"}, strings.Fields(line)...)...)
		default:
			if m := assignment.FindStringSubmatch(line); m != nil {
				out = append(out, statement{name: m[1] + " " + m[2], words: strings.Fields(m[3]),
					inTest: testVar.MatchString(m[1])})
				continue
			}
			s := statement{words: strings.Fields(trimmed)}
			if m := rule.FindStringSubmatch(line); m != nil {
				targets, of := strings.Fields(m[1]), strings.Fields(m[2])
				if targets[0] == ".PHONY" {
					s.words = slices.DeleteFunc(s.words, callsTest)
				}
				s.inTest = rulesTests(targets, of)
			}
			out = append(out, s)
		}
	}
	return out
}

// rulesTests reports whether a rule is there for tests: all its targets are called so, or it is built of a test. What
// removes programs is no fix.
func rulesTests(targets, of []string) bool {
	return !slices.ContainsFunc(targets, func(t string) bool { return !callsTest(t) }) ||
		slices.ContainsFunc(of, isTest) || len(targets) == 1 && (targets[0] == "clean" || targets[0] == "distclean")
}

// callsTest reports whether a target is a test's, or all of them, by its name.
func callsTest(target string) bool {
	return testVar.MatchString(path.Base(target)) || IsTestDir(path.Dir(target))
}
