package alike

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cookoff/internal/pattern"
)

// braced are extensions of languages in which blanks and ends of lines only part words: of C,
// but for the lines that begin with #.
var braced = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".java", ".cs", ".rs"}

func isBraced(name string) bool {
	return slices.ContainsFunc(braced, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// sameBraced: the same words, however they are laid out, and all the comments.
func sameBraced(was, is []byte) bool {
	a, ok := bracedWords(string(was))
	b, too := bracedWords(string(is))
	return ok && too && slices.Equal(a.words, b.words) && explained(a.notes, b.notes)
}

// words are what a text is made of.
type words struct {
	words []string
	notes map[string]int // comments
	open  []string       // words before the brackets that are open
}

// Words that are longer than a letter or a digit. A text with a raw string that no rule here
// covers ends in an open literal, or is compared with its blanks.
var (
	blank   = pattern.New(`^\s+`)
	note    = pattern.New(`^(//[^\n]*|/\*(?s:.*?)\*/)`)
	escaped = pattern.New(`\\u+[0-9a-fA-F]{4}`) // Java reads it before it looks for comments
	hashed  = pattern.New(`^[ \t]*#[ \t]*[a-z](\\\r?\n|/\*(?s:.*?)\*/|[^\n])*`)
	rawWord = pattern.New(`^((u8|u|U|L)?R"\((?s:.*?)\)"|b?r"[^"]*"|b?r#"(?s:.*?)"#|"""(?s:.*?)"""|\$?@"([^"]|"")*")`)
	literal = pattern.New(
		`^(\$?"(\\(?s:.)|[^"\\])*"|'(\\[^\n]{1,10}?|[^'\\\n])'|'[A-Za-z_]\w*|[\pL_][\pL\pN_]*|[0-9]([eEpP][+-]|[\w.'])*)`)
	sign = pattern.New(
		`^(<<=|>>=|>>>=|\.\.\.|\.\.=|->\*|<=>|\+\+|--|->|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|=>|\.\.|##|\?\?|\?\.)`)
)

// bracedWords cuts the source of a language with braces into words, so that two texts can
// be compared whatever their layout; comments are counted apart. ok is false where the
// source can not be cut for sure.
func bracedWords(text string) (w words, ok bool) {
	w.notes = map[string]int{}
	for begins := true; text != ""; {
		if m := blank.FindString(text); m != "" {
			begins = begins || strings.Contains(m, "\n")
			text = text[len(m):]
			continue
		}
		m := note.FindString(text)
		if m != "" {
			if strings.HasSuffix(strings.TrimRight(m, " \t\r"), "\\") { // it goes on in C, and in others not
				return w, false
			}
			if escaped.MatchString(m) {
				w.words = append(w.words, m)
			}
			w.notes[strings.Join(strings.Fields(m), " ")]++
			text = text[len(m):]
			continue
		}
		if begins {
			m = strings.TrimRight(hashed.FindString(text), " \t\r")
		}
		begins = false
		for _, p := range []*pattern.Pattern{rawWord, literal, sign} {
			if m == "" {
				m = p.FindString(text)
			}
		}
		if m == "" {
			r, n := utf8.DecodeRuneInString(text)
			if r == '"' || r == '\'' || r == '`' || r == utf8.RuneError || unicode.IsControl(r) {
				return w, false
			}
			m = text[:n]
		}
		text = text[len(m):]
		w.add(m)
	}
	return w, len(w.open) == 0
}

// add takes a word. A comma before a closing bracket says nothing, but in a tuple of one.
func (w *words) add(word string) {
	if word[0] == '#' {
		word = strings.Join(strings.Fields(word), " ")
	}
	last := ""
	if n := len(w.words); n > 0 {
		last = w.words[n-1]
	}
	switch word {
	case "(", "[", "{":
		w.open = append(w.open, last)
	case ")", "]", "}":
		n := len(w.open)
		if n == 0 {
			w.open = append(w.open, "none") // never closed
			break
		}
		before := w.open[n-1]
		w.open = w.open[:n-1]
		called := before == ">" || before == "!" || before != "" && (before[0] == '_' || unicode.IsLetter(rune(before[0])))
		if last == "," && (word != ")" || called) {
			w.words = w.words[:len(w.words)-1]
		}
	}
	w.words = append(w.words, word)
}
