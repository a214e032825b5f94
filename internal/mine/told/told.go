// Package told says whether what models are told of a failing test says anything of what the test asks for.
package told

import (
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"

	"cookoff/internal/pattern"
)

// Bounds of what says something by its words alone.
const (
	leastMessage  = 3 // words of a message, wherever else they stand
	leastSentence = 3 // of a title
	leastName     = 4 // of a name as functions have
)

// Message reports whether a message says something beyond that something was changed, and where: three words that not
// every message has, or one that where, the names that the changed files have, does not hold.
func Message(message string, where map[string]bool) bool {
	if foreign(message) || quoted.MatchString(message) || figure.MatchString(message) {
		return true
	}
	said, elsewhere := map[string]bool{}, false
	for _, w := range words(message) {
		if usual(w, inMessages) || said[w] {
			continue
		}
		said[w] = true
		elsewhere = elsewhere || !where[w] && !where[strings.TrimSuffix(w, "s")]
	}
	return elsewhere || len(said) >= leastMessage
}

var (
	quoted = pattern.New("[`'\"“][^\\s`'\"“”][^`'\"“”]*[`'\"”]")
	figure = pattern.New(`(?:^|[^\w.])\d+(?:[.,]\d+|\d\d)(?:$|[^\w.]|\.(?:$|\s))`)
)

// foreign reports whether a text has words of another script, or accents: which of them say something is not known.
func foreign(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
}

// Name reports whether the name of a test says what it asks for, as a sentence does.
func Name(name string) bool {
	name = ownName(name)
	all, n := words(name), 0
	for _, w := range all {
		if w != "test" && w != "tests" && w != "spec" {
			n++
		}
	}
	if foreign(name) {
		return strings.ContainsAny(strings.TrimSpace(name), " _") || len([]rune(name)) >= leastName
	}
	if strings.Contains(name, " ") {
		return n >= leastSentence
	}
	return n >= leastName
}

// ownName is the name of a test without that of the file, or the package, that it stands in.
func ownName(name string) string {
	file, rest, ok := strings.Cut(name, "::")
	if ok && strings.ContainsAny(file, "./") {
		return rest
	}
	before, rest, ok := strings.Cut(name, " ")
	if ok && (strings.HasPrefix(rest, "Test") || path.Ext(before) != "" && !strings.HasSuffix(before, ".")) {
		return rest
	}
	return name
}

// Output reports whether what a failing test prints says more than that it fails, and where: a value, or a word that
// not every failure has and that does not stand in the name of the test.
func Output(output, name string) bool {
	if foreign(output) {
		return true
	}
	own := ownWords(name)
	for l := range printed(output, name) {
		l = places.ReplaceAllString(l, " ")
		l = asserts.ReplaceAllString(l, " ")
		l = thrown.ReplaceAllString(l, " ")
		if says(l, own) {
			return true
		}
	}
	return false
}

// ownWords are the words of a test's name.
func ownWords(name string) map[string]bool {
	own := map[string]bool{}
	for _, w := range words(name) {
		own[w] = true
	}
	return own
}

// printed gives the lines that a failing test prints, without its name and without lines that only name tests.
func printed(output, name string) iter.Seq[string] {
	self := ownName(name)
	return func(yield func(string) bool) {
		for l := range strings.Lines(output) {
			l = strings.TrimSpace(l)
			if heads.MatchString(l) {
				continue
			}
			if self != "" {
				l = strings.ReplaceAll(l, self, " ")
			}
			if !yield(l) {
				return
			}
		}
	}
}

// Shows reports whether what a failing test prints may hold what it asks for, or what went wrong: a value, or that a
// program ended by an error which is no assertion's. Words alone ("wrong name") do not.
func Shows(output, name string) bool {
	own := ownWords(name)
	for l := range printed(output, name) {
		for _, e := range thrown.FindAllString(l, -1) {
			if !asserting.MatchString(e) {
				return true
			}
		}
		l = asserts.ReplaceAllString(places.ReplaceAllString(l, " "), " ")
		if foreign(l) || shows(l, own) || crashes(l) {
			return true
		}
	}
	return false
}

// Crashes reports whether a failing test prints that the program ended by an error which is no assertion's: what it
// would have asked for behind that is not printed.
func Crashes(output string) bool {
	for l := range strings.Lines(output) {
		l = strings.TrimSpace(l)
		if heads.MatchString(l) {
			continue
		}
		other := func(e string) bool { return !asserting.MatchString(e) }
		if crashes(l) || slices.ContainsFunc(thrown.FindAllString(l, -1), other) {
			return true
		}
	}
	return false
}

// crashes reports whether a line says that a program ended by an error: a panic of a few words that say nothing, as
// "assert failed", is how some tests of Go's assert.
func crashes(line string) bool {
	said, is := strings.CutPrefix(line, "panic: ")
	return crashed.MatchString(line) && !(is && allUsual(said, nil))
}

// says reports whether a line of output has a number, a text between quotes, or a word, that not every failure has.
func says(line string, own map[string]bool) bool {
	if shows(line, own) {
		return true
	}
	for _, w := range words(line) {
		if len(w) > 2 && !usual(w, inFailures) && !own[w] {
			return true
		}
	}
	return false
}

// shows reports whether a line of output has a number, or a text between quotes that not every failure has.
func shows(line string, own map[string]bool) bool {
	return digit.MatchString(line) || slices.ContainsFunc(between.FindAllStringSubmatch(line, -1), func(m []string) bool {
		text := m[1] + m[2]
		return strings.TrimSpace(text) != "" && !allUsual(text, own)
	})
}

// allUsual reports whether a text is made of nothing but words that say nothing.
func allUsual(text string, own map[string]bool) bool {
	list := words(text)
	for _, w := range list {
		if len(text) == 1 || !usual(w, inFailures) && !own[w] {
			return false
		}
	}
	return len(list) > 0
}

var (
	// heads are lines that runners write around what a test says.
	heads = pattern.New(`^(?:--- FAIL: |=== |FAIL\b|FAILED\b|ok \d|not ok \d|not ok\b|# Subtest: |ERROR collecting |` +
		`Traceback \(|File ".*", line \d+|#? *Failed test |at .* line \d+\.?$|exit status \d+$|` +
		`(?:code|operator|failureType|location|stack|type|at|duration_ms|severity): |Error Trace:|Test:|` +
		`thread '.*' panicked at |---- .* ----$|[\^~]+$|…$)`)
	places = pattern.New(`[\w./\\-]*\w\.\w+:\d+(?::\d+)?:?|\(?\bin (?:test )?(?:file )?[\w./\\-]+, line \d+\)?|` +
		`\bline \d+\b|\[[^\]\s]+:\d+\]:?|0x…|\$\{?\w+\}?`)
	// asserts are assertions of nothing but a variable.
	asserts = pattern.New(`(?i)\b(?:self\.)?(?:assert|expect|refute|require|check|ensure)[\w.!]*` +
		`(?: +|\()(?:not +|!+)*\w+\)?|` +
		"(?i)assertion `(?:not |!)*\\w+' failed|" + "`left == right`|`left != right`" + `|\.(?:not\.)?to[A-Z]\w*\(\w*\)`)
	// thrown are names of what is thrown.
	thrown = pattern.New(`[\w.:\\]*(?:Error|Exception|Failure)\b`)
	// asserting are those of them that say no more than that something does not hold.
	asserting = pattern.New(`(?i)assert|expect|^(?:Error|Exception|Failure)$`)
	crashed   = pattern.New(`(?i)\b(?:panic|fatal|segmentation|segfault|signal|undefined|not a function|null pointer|` +
		`no such)\b`)
	digit   = pattern.New(`\d`)
	between = pattern.New(`'([^']+)'|"([^"]+)"`)
	word    = pattern.New(`[A-Z]+[a-z]*|[a-z]+`)
)

// words are those of a text in small letters, those that names are put together of among them.
func words(text string) (out []string) {
	for _, w := range word.FindAllString(text, -1) {
		out = append(out, strings.ToLower(w))
	}
	return out
}

// Words adds to a set those that a text has.
func Words(set map[string]bool, text string) {
	for _, w := range words(text) {
		set[w], set[strings.TrimSuffix(w, "s")] = true, true
	}
}
