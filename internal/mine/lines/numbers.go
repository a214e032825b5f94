package lines

import (
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// tokens are words and numbers as they stand in code.
	tokens = pattern.New(`[\w.]+`)
	number = pattern.New(`^\d[\d_]*(\.\d+)?$`)
	// usualNumbers are numbers that everybody knows: of a circle, of growth, of seconds in a year.
	usualNumbers = pattern.New(`^(3\.14\d*|2\.718\d*|1\.414\d*|31536000|31557600|9+)$`)
)

// Numbers gives the numbers that tests ask for and a fix has in its code, and that nobody would come to by chance: rates,
// limits, dates of laws.
func Numbers(fixLanguage, fix, testLanguage, tests string) (out []string) {
	own := numbersOf(testLanguage, tests)
	for _, n := range numbersOf(fixLanguage, fix) {
		if slices.Contains(own, n) && !slices.Contains(out, n) && peculiar(n) {
			out = append(out, n)
		}
	}
	return out
}

// numbersOf are the numbers in code, without those in its texts and comments.
func numbersOf(language, text string) []string {
	list := tokens.FindAllString(quotes(language).ReplaceAllString(text, " "), -1)
	return slices.DeleteFunc(list, func(t string) bool { return !number.MatchString(t) })
}

// peculiar reports whether a number has four digits that count, or three and a point, and is no power of two, none beside
// one, and no year.
func peculiar(n string) bool {
	n = strings.ReplaceAll(n, "_", "")
	if usualNumbers.MatchString(n) {
		return false
	}
	digits := strings.Trim(strings.Replace(n, ".", "", 1), "0")
	whole, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return len(digits) > 2
	}
	beside := func(n uint64) bool { return n&(n-1) == 0 }
	return len(digits) > 3 && !beside(whole) && !beside(whole+1) && !beside(whole-1) && (whole < 1900 || whole > 2100)
}
