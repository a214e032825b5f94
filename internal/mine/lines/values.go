package lines

import (
	"slices"
	"strconv"
	"strings"
)

// Values gives the texts and numbers, however short, that the code of a fix and that of a test have, each of its language,
// and that the code which the fix takes away does not have. Numbers to two are none, nor are texts that code of everybody
// has.
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

// valuesOf are the numbers and texts in code.
func valuesOf(language, text string) (out []string) {
	for _, s := range Literals(language, text) {
		if strings.TrimSpace(s) != "" && !usualTexts[strings.ToLower(s)] {
			out = append(out, s)
		}
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
		return slices.ContainsFunc(tokens.FindAllString(text, -1), func(t string) bool { return strings.Trim(t, ".") == value })
	}
	return strings.Contains(text, value)
}
