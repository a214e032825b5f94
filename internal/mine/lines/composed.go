package lines

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cookoff/internal/pattern"
)

// A Composite is a text of a test that begins, or ends, with a text that a fix brings, and goes on with what the fix
// computes: "v" + n makes "v3".
type Composite struct{ Text, Part string }

// Composites gives the texts of a test that the code of a fix puts together, each of its language, of pieces that the
// code which it takes away does not have. Pieces without a letter are none: everybody joins with "-", nor are those that
// end within a word.
func Composites(fixLanguage, fix, gone, testLanguage, test string) (out []Composite) {
	old, own := pieces(fixLanguage, gone), Literals(testLanguage, test)
	for _, p := range pieces(fixLanguage, fix) {
		if slices.Contains(old, p) || slices.Contains(own, p) {
			continue
		}
		for _, text := range own {
			if c := (Composite{text, p}); c.joins() && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// pieces are what stands in texts of code between the holes of formats.
func pieces(language, text string) (out []string) {
	for _, s := range Literals(language, text) {
		for p := range strings.SplitSeq(hole.ReplaceAllString(s, "\x00"), "\x00") {
			if strings.ContainsFunc(p, unicode.IsLetter) && !usualTexts[strings.ToLower(p)] {
				out = append(out, p)
			}
		}
	}
	return out
}

// joins reports whether a text is its part and something more, where a word ends.
func (c Composite) joins() bool {
	letters := func(a, b rune) bool { return unicode.IsLetter(a) && unicode.IsLetter(b) }
	if rest, is := strings.CutPrefix(c.Text, c.Part); is && rest != "" {
		last, _ := utf8.DecodeLastRuneInString(c.Part)
		first, _ := utf8.DecodeRuneInString(rest)
		return !letters(last, first)
	}
	if rest, is := strings.CutSuffix(c.Text, c.Part); is && rest != "" {
		last, _ := utf8.DecodeLastRuneInString(rest)
		first, _ := utf8.DecodeRuneInString(c.Part)
		return !letters(last, first)
	}
	return false
}

var digits = pattern.New(`\d+`)

// Said reports whether a text says it, or says one like it: with another number, or with a name where that stands. A
// part of several letters is enough.
func (c Composite) Said(text string) bool {
	letters := strings.Count(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return 'a'
		}
		return -1
	}, c.Part), "a")
	if letters > 1 && strings.Contains(text, strings.TrimSpace(c.Part)) {
		return true
	}
	like := digits.ReplaceAllString(regexp.QuoteMeta(c.Text), `(?:\d+|[nN]\b|[<{$%#][\w{}>]*)`)
	re, err := regexp.Compile(`(?:^|[^\pL\d])` + like)
	return err == nil && re.MatchString(text)
}
