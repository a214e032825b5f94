package mutants

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var numbers = pattern.New(`[^\w.](\d{1,6})(?:[^\w.]|$)`)

// tokenEdits gives faults by the words and signs of a language: what stands in texts
// and comments is left alone.
func tokenEdits(text string, s *style) (list []Edit) {
	ops := slices.Concat(common, s.own)
	blanked := s.code(text)
	if s.lines {
		list = statements(blanked, s)
	} else {
		list = effects(blanked, s)
	}
	at := 0
	for line := range strings.SplitAfterSeq(blanked, "\n") {
		if !s.keepOut.MatchString(line) && len(line) < 400 {
			full := text[at : at+len(line)]
			list = append(list, lineEdits(line, full, at, ops)...)
			list = append(list, separatorEdits(line, full, at)...)
		}
		at += len(line)
	}
	return list
}

// separator is a text of one or two signs, as it stands in code whose texts are blank and in
// full: what lists are joined with, or words are cut at.
var (
	blankText = pattern.New(`[(,=+[{: ](___)(?:[.,);+\]} ]|$)`)
	separator = pattern.New("^[\"'`][-_,;:./ |=&+*#]([\"'`])$")
)

// separatorEdits puts another sign in the place of a separator.
func separatorEdits(blanked, line string, at int) (list []Edit) {
	for _, m := range blankText.FindAllStringSubmatchIndex(blanked, -1) {
		old := line[m[2]:m[3]]
		if !separator.MatchString(old) {
			continue
		}
		sign := "-"
		if old[1] == '-' {
			sign = "_"
		}
		list = append(list, Edit{From: at + m[2], To: at + m[3], New: old[:1] + sign + old[2:], Operator: "text"})
	}
	return list
}

// lineEdits gives the faults of a line, whose texts are blank and in full.
func lineEdits(line, full string, at int, ops []operator) (list []Edit) {
	for _, op := range ops {
		for _, m := range op.what.FindAllStringSubmatchIndex(line, -1) {
			for _, to := range op.to {
				if to == swap {
					mid := m[2] + strings.Index(line[m[2]:m[3]], " : ")
					to = full[mid+3:m[3]] + " : " + full[m[2]:mid]
				}
				e := Edit{From: at + m[2], To: at + m[3], New: to, Operator: op.kind}
				if op.kind == "choice" && names(line, m[2]) {
					continue
				}
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

var (
	// declaring are the words before a name that a line declares, wherever its body stands.
	declaring = pattern.New(`(?:^|\s)(?:def|function\*?|fn|func|fun|sub|proc|defp?)\s+(?:self\.)?$`)
	// typed is what stands before the name of a function or method that begins with its type, or with none.
	typed = pattern.New(`^[\s\w:<>\[\],*&@]*$`)
	// deciding are words of which a line begins that declares nothing, and may end as one that does.
	deciding = pattern.New(`^\s*(?:\}\s*)?(?:if|else|elif|for|while|until|switch|match|case|return|do|with|unless|when)\b`)
	body     = pattern.New(`\{\s*(?:.*\}\s*)?$`)
)

// names reports whether the word at an offset of a line is the name of a function that it declares: of another name it
// would be another function, and no fault of this one.
func names(line string, at int) bool {
	before := line[:at]
	return declaring.MatchString(before) || typed.MatchString(before) && !deciding.MatchString(line) &&
		body.MatchString(line)
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

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' }

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
	case s.line != "" && strings.HasPrefix(rest, s.line) && (s.line != "#" || s.python || i == 0 || isSpace(text[i-1])):
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
