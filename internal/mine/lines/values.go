package lines

import (
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
)

// Values gives the texts and numbers, however short, that the code of a fix and that of a test have, each of its
// language, and that the code which the fix takes away does not have. Numbers to two are none, nor are texts that code
// of everybody has.
func Values(fixLanguage, fix, gone, testLanguage, test string) (out []string) {
	old := valuesOf(fixLanguage, gone)
	own := valuesOf(testLanguage, test)
	for _, v := range valuesOf(fixLanguage, fix) {
		if slices.Contains(own, v) && !slices.Contains(old, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

var (
	plainWord = pattern.New(`^[A-Za-z][\w.+-]+$`)
	ofShell   = SetOf(`
awk break case cat continue cut do done echo elif else env esac eval exec exit export false fi for grep head if in local
mktemp nor printf read return rm sed set shift sort tail test then touch tr true unset wc while
`)
)

// arguments are what commands of a shell are given without quotes.
func arguments(text string) (out []string) {
	for l := range strings.Lines(text) {
		before := "" // at the beginning of a line stands a command
		for f := range strings.FieldsSeq(l) {
			w := strings.TrimRight(f, ";)}")
			given := before != "" && !strings.ContainsAny(before[len(before)-1:], ";|&({!")
			if given && plainWord.MatchString(w) && !ofShell.Has(w) {
				out = append(out, w)
			}
			before = f
		}
	}
	return out
}

// valuesOf are the numbers and texts in code.
func valuesOf(language, text string) (out []string) {
	for _, s := range Literals(language, text) {
		if strings.TrimSpace(s) != "" && !usualTexts.Has(strings.ToLower(s)) {
			out = append(out, s)
		}
	}
	if language == "shell" {
		out = append(out, arguments(text)...)
	}
	for _, n := range numbersOf(language, text) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n, "_", ""), 64); err == nil && v != 0 && v != 1 && v != 2 {
			out = append(out, n)
		}
	}
	return out
}

// spelled are numbers as they are told.
var spelled = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")

// Says reports whether a text says a value, a number of few also as a word.
func Says(text, value string) bool {
	if n, err := strconv.Atoi(value); err == nil {
		if n < len(spelled) && slices.Contains(word.FindAllString(strings.ToLower(text), -1), spelled[n]) {
			return true
		}
		return slices.ContainsFunc(tokens.FindAllString(text, -1), func(t string) bool {
			return strings.Trim(t, ".") == value
		})
	}
	return strings.Contains(text, value)
}
