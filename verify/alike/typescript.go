package alike

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"github.com/tdewolff/parse/v2/js"
)

// sameTS: the same tokens of TypeScript, however they are laid out and quoted, and all the
// comments. What formatters add or take away counts for nothing: the comma before a closing bracket, the
// brackets around a function's only name, the semicolon at a line's end.
func sameTS(was, is []byte) bool {
	a, ok := tsTokens(was)
	b, too := tsTokens(is)
	return ok && too && slices.Equal(a, b) && explained(remarks(was), remarks(is))
}

// tsReader collects the tokens of a text.
type tsReader struct {
	list []string
	line bool // a line ended since the last one
	semi bool // so did a statement
	open []string
}

// tsTokens reads a text; not ok: it holds what no token is.
func tsTokens(src []byte) (list []string, ok bool) {
	defer func() {
		if recover() != nil { // a text may be anything
			ok = false
		}
	}()
	l, r := js.NewLexer(parse.NewInputBytes(bytes.Clone(src))), &tsReader{}
	for {
		tok, text := l.Next()
		if (tok == js.DivToken || tok == js.DivEqToken) && !r.isValue() {
			tok, text = l.RegExp()
		}
		switch tok {
		case js.ErrorToken:
			return r.list, l.Err() != nil && l.Err().Error() == "EOF"
		case js.LineTerminatorToken, js.CommentLineTerminatorToken:
			r.line = true
		case js.WhitespaceToken, js.CommentToken:
		case js.SemicolonToken:
			r.semi = true
		case js.CommaToken:
			r.comma()
		case js.StringToken:
			r.add(oneQuote(text))
		default:
			r.add(string(text))
		}
	}
}

// oneQuote gives a string other marks where it holds none.
func oneQuote(text []byte) string {
	if len(text) > 1 && !bytes.ContainsAny(text[1:len(text)-1], `"'\`) {
		return `"` + string(text[1:len(text)-1]) + `"`
	}
	return string(text)
}

// restricted are words that mean something else at the end of a line.
var restricted = []string{"return", "break", "continue", "throw", "yield", "async", "++", "--", "type", "abstract",
	"declare", "get", "set", "static", "let", "namespace", "module", "interface", "readonly", "accessor"}

func (r *tsReader) last(n int) string {
	if n > len(r.list) {
		return ""
	}
	return r.list[len(r.list)-n]
}

// isValue reports whether the last token ends a value, so that a stroke behind it divides.
func (r *tsReader) isValue() bool {
	last := r.last(1)
	if last == "" || slices.Contains([]string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new",
		"else", "do", "instanceof", "yield", "await"}, last) {
		return false
	}
	return strings.ContainsAny(last[len(last)-1:], ")]}_$\"'`") || isWord(last)
}

func isWord(s string) bool {
	c := s[len(s)-1]
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// add takes one more token, and what stood before it as far as it says something.
func (r *tsReader) add(text string) {
	last := r.last(1)
	closes := text == ")" || text == "]" || text == "}"
	ends := r.line || r.semi
	switch {
	case r.semi && (strings.ContainsAny(text[:1], "([`+-/*.,<") || r.inside("(")): // for (a; b; c)
		r.list = append(r.list, ";")
	case ends && !closes && slices.Contains(restricted, last):
		r.list = append(r.list, "\n")
	case closes && last == "," && !slices.Contains([]string{",", "[", "("}, r.last(2)):
		r.list = r.list[:len(r.list)-1]
	}
	r.line, r.semi = false, false
	switch {
	case text == "{" && r.isTypeAhead():
		r.open = append(r.open, typeBody)
	case text == "(" || text == "[" || text == "{":
		r.open = append(r.open, text)
	case closes && len(r.open) > 0:
		r.open = r.open[:len(r.open)-1]
	}
	if n := len(r.list); text == "=>" && r.last(1) == ")" && r.last(3) == "(" && isWord(r.last(2)) &&
		!isWord(" "+r.last(4)) {
		r.list = append(r.list[:n-3], r.list[n-2])
	}
	r.list = append(r.list, text)
}

// typeBody opens the members of a type: what ends one is a comma, a semicolon or the line.
const typeBody = "{:"

// comma takes a comma, which in a type ends a member as a semicolon does.
func (r *tsReader) comma() {
	if r.inside(typeBody) {
		r.semi = true
		return
	}
	r.add(",")
}

// isTypeAhead reports whether a brace that follows opens the members of a type.
func (r *tsReader) isTypeAhead() bool {
	switch {
	case r.inside(typeBody):
		return true
	case r.last(1) == ":":
		return slices.Contains([]string{"const", "let", "var"}, r.last(3))
	}
	for n := 1; n <= len(r.list) && n < 40; n++ {
		switch r.last(n) {
		case "interface":
			return n > 1
		case "type":
			return n > 2 && r.last(1) == "="
		case "{", "}", ";", "\n":
			return false
		case "=":
			if n > 1 {
				return false
			}
		}
	}
	return false
}

// inside reports whether that bracket is the last one that is open.
func (r *tsReader) inside(bracket string) bool {
	return len(r.open) > 0 && r.open[len(r.open)-1] == bracket
}

// sameCSS: the same tokens of a style sheet, however they are laid out, and all the comments.
func sameCSS(was, is []byte) bool {
	a, notes, ok := cssTokens(was)
	b, more, too := cssTokens(is)
	return ok && too && slices.Equal(a, b) && explained(notes, more)
}

// cssTokens cuts CSS into words whatever its layout, with its comments counted apart.
func cssTokens(src []byte) (list []string, notes map[string]int, ok bool) {
	l := css.NewLexer(parse.NewInputBytes(bytes.Clone(src)))
	notes = map[string]int{}
	last := func() string {
		if len(list) == 0 {
			return "{"
		}
		return list[len(list)-1]
	}
	breaks := func(s string) bool { return slices.Contains([]string{"{", "}", ";", ",", ":", " "}, s) }
	for {
		tok, text := l.Next()
		switch tok {
		case css.ErrorToken:
			return list, notes, l.Err() != nil && l.Err().Error() == "EOF"
		case css.CommentToken:
			notes[strings.Join(strings.Fields(string(text)), " ")]++
			continue
		case css.BadStringToken, css.BadURLToken:
			return nil, nil, false
		case css.WhitespaceToken: // one, or none beside what separates by itself; " :" and ":" are two selectors
			if !breaks(last()) {
				list = append(list, " ")
			}
			continue
		case css.StringToken:
			text = []byte(oneQuote(text))
		}
		if slices.Contains([]string{"{", "}", ";", ","}, string(text)) && last() == " " {
			list = list[:len(list)-1]
		}
		if string(text) == "}" && last() == ";" {
			list = list[:len(list)-1]
		}
		list = append(list, string(text))
	}
}
