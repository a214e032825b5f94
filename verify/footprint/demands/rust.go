package demands

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/footprint/questions"
)

var (
	// demands begin what a test of Rust demands.
	demands = pattern.New(`\b(assert|assert_eq|assert_ne|assert_matches|prop_assert|prop_assert_eq)!\s*([(\[{])|` +
		`#\[(should_panic|case|test_case|values)\b`)
	// inDocs begin a line of documentation, of which tests are made as well.
	inDocs = pattern.New(`(?m)^(\s*)//[/!]`)
	// inBlocks are comments of several lines.
	inBlocks = pattern.New(`(?s)/\*.*?\*/`)
	// atEnds are comments behind code. One in a text is taken for one, too, in both that are compared.
	atEnds = pattern.New(`(?m)\s//.*$`)
	// words are names, which whoever renames something changes in tests as well.
	words = pattern.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\b[A-Za-z_]\w*(?:::\w+)*`)
)

// character is one behind the quote that begins a literal; a lifetime has no second quote.
var character = pattern.New(`^'(?:[^'\\]|\\[^']+|\\')'`)

// told are words of which another makes a demand another.
var told = map[string]bool{"true": true, "false": true, "Some": true, "None": true, "Ok": true, "Err": true}

// demandsOf gives what tests in a text of Rust demand, in one form for all that is written alike, and how
// often.
func demandsOf(text string) map[string]int {
	text = inDocs.ReplaceAllString(inBlocks.ReplaceAllString(text, ""), "$1")
	text = atEnds.ReplaceAllString(questions.Remarks.ReplaceAllString(text, ""), "")
	out := map[string]int{}
	for _, at := range demands.FindAllStringSubmatchIndex(text, -1) {
		from := at[0]
		open := strings.IndexAny(text[from:], "([{")
		if open < 0 {
			continue
		}
		out[demand(text[from:from+open]+text[from+open:from+open+enclosed(text[from+open:], asideRust)])]++
	}
	return out
}

// demand is a demand without blanks and names.
func demand(text string) string {
	text = words.ReplaceAllStringFunc(text, func(w string) string {
		if w[0] == '"' || w[0] == '\'' || told[w] || strings.HasPrefix(w, "assert") || w == "should_panic" {
			return w
		}
		return "_"
	})
	return tight.Replace(strings.Join(strings.Fields(text), ""))
}

// enclosed is how long what stands in the brackets is with which a text begins; aside is how long what a
// text begins with is in which brackets are none (a text in quotes, a comment), 0: no such thing.
func enclosed(text string, aside func(text string) int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		if n := aside(text[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch c := text[i]; {
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// quotedText is how long a text is that begins with a quote, with its quotes.
func quotedText(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// asideRust are texts and characters of Rust.
func asideRust(text string) int {
	switch text[0] {
	case '"':
		return quotedText(text)
	case '\'':
		return len(character.FindString(text))
	}
	return 0
}
