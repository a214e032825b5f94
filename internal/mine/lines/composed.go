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
// computes: "v" + n makes "v3"; or one that signs which the fix brings stand in: " | ".join(cells) makes "a | b".
type Composite struct{ Text, Part string }

// Composites gives the texts of a test that the code of a fix puts together, each of its language, of pieces that the
// code which it takes away does not have. One sign, or those that everybody joins with, are none, nor are words that
// end within another.
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
			if worded(p) && !usualTexts.Has(strings.ToLower(p)) || peculiarSigns(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// worded reports whether a piece has a letter.
func worded(p string) bool { return strings.ContainsFunc(p, unicode.IsLetter) }

// usualSigns are those that everybody writes between, before and behind others.
var usualSigns = []string{", ", ". ", ": ", "; ", " (", "), ", " - ", "://", "//", "..", "...", "--", "{}", "[]", "()"}

// peculiarSigns reports whether a piece is two signs and more that not everybody writes.
func peculiarSigns(p string) bool {
	other := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\\' }
	return utf8.RuneCountInString(p) > 1 && !strings.ContainsFunc(p, other) && !slices.Contains(usualSigns, p)
}

// joins reports whether a text is its part and something more, where a word ends.
func (c Composite) joins() bool {
	if !worded(c.Part) {
		before, after, is := strings.Cut(c.Text, c.Part)
		return is && strings.TrimSpace(before) != "" && strings.TrimSpace(after) != ""
	}
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

var (
	digits = pattern.New(`\d+`)
	spaces = pattern.New(`(?i)\b(two|three|four|double|several|\d+)\W+(spaces|blanks)|\bindent`)
)

// Said reports whether a text says it, or says one like it: with another number, or with a name where that stands. A
// part of several letters is enough.
func (c Composite) Said(text string) bool {
	letters := c.letters()
	if letters == 0 {
		if strings.TrimSpace(c.Part) == "" { // which indents any text
			return strings.Contains(text, c.Text) || spaces.MatchString(text)
		}
		return strings.Contains(text, c.Part)
	}
	if letters > 1 {
		re, err := regexp.Compile(`(?:^|[^\pL])` + regexp.QuoteMeta(strings.TrimSpace(c.Part)) + `(?:$|[^\pL])`)
		if err == nil && re.MatchString(text) {
			return true
		}
	}
	re, err := regexp.Compile(`(?:^|[^\pL\d])` + c.like())
	return err == nil && re.MatchString(text)
}

// like matches its text, and those with another number, or a name where that stands.
func (c Composite) like() string {
	return digits.ReplaceAllString(regexp.QuoteMeta(c.Text), `(?:\d+|[nN]\b|[<{$%#][\w{}>]*)`)
}

// letters counts those of its part.
func (c Composite) letters() (n int) {
	for _, r := range c.Part {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// Known reports whether code that was there before puts such texts together: it has the part, of several letters, as a
// piece of a text of its own, or a text like it.
func (c Composite) Known(language, before string) bool {
	if c.letters() < 2 {
		return false
	}
	if slices.Contains(pieces(language, before), c.Part) {
		return true
	}
	re, err := regexp.Compile("^" + c.like() + "$")
	return err == nil && slices.ContainsFunc(Literals(language, before), re.MatchString)
}
