package alike

import (
	"slices"
	"strings"
	"unicode"

	"cookoff/internal/pattern"
)

// samePython: the same tokens, however they are laid out, and all the comments and
// docstrings; more of them, and type hints, say nothing to the interpreter.
func samePython(was, is []byte) bool {
	a, b := readPython(string(was)), readPython(string(is))
	return a.whole && b.whole && slices.Equal(a.code, b.code) && explained(a.notes, b.notes) && within(a.hints, b.hints)
}

// pythonSource is what a Python source says.
type pythonSource struct {
	whole bool     // it could be read
	code  []string // tokens, without annotations
	notes map[string]int
	hints map[string]int // annotations
}

// A pythonLine is a logical line: its depth of indentation, and its tokens.
type pythonLine struct {
	depth  int
	tokens []string
}

var (
	encodes   = pattern.New(`coding[:=]`)
	hintLines = pattern.New(`^(from (typing|typing_extensions|__future__|collections\.abc) import |import typing$)`)
	hintWords = pattern.New(`^([\pL_][\pL\pN_]*|[.,|\[\]]|\.\.\.|".*)$`)
	ofPython  = strings.Fields("None int str float bool bytes complex object type dict list set tuple frozenset typing")
)

// readPython cuts Python into tokens whatever its layout; comments, docstrings and hints of
// types are counted apart, as they change nothing that runs.
func readPython(src string) pythonSource {
	p := &pythonReader{src: strings.ReplaceAll(strings.TrimPrefix(src, "\ufeff"), "\r\n", "\n"),
		notes: map[string]int{}}
	lines, whole := p.lines()
	out := pythonSource{whole: whole, notes: p.notes, hints: map[string]int{}}
	if strings.HasPrefix(p.src, "#!") {
		out.code = append(out.code, p.src[:strings.IndexByte(p.src+"\n", '\n')])
	}
	known, named := map[string]bool{}, []string{}
	for _, line := range lines {
		if len(line.tokens) == 1 && isDocstring(line.tokens[0]) {
			out.notes[strings.Join(strings.Fields(line.tokens[0]), " ")]++
			continue
		}
		text := strings.ReplaceAll(strings.Join(line.tokens, " "), " . ", ".")
		code, hints := withoutHints(withoutCommas(line.tokens))
		if hintLines.MatchString(text) {
			code, hints = nil, append(hints, text)
		} else {
			out.code = append(append(out.code, "\n"+strings.Repeat(" ", line.depth)), code...)
			named = append(named, hints...)
		}
		for _, h := range hints {
			out.hints[h]++
		}
		for _, t := range append(code, strings.Fields(imported(text))...) {
			known[t] = true
		}
	}
	for _, hint := range named {
		out.whole = out.whole && isKnown(known, strings.Fields(hint))
	}
	return out
}

// imported is what a logical line gives a name to by an import for annotations.
func imported(text string) string {
	if !hintLines.MatchString(text) {
		return ""
	}
	return text
}

// isKnown reports whether an annotation names what Python, an import or the code knows.
func isKnown(known map[string]bool, hint []string) bool {
	for i, t := range hint {
		if isName(t) && !known[t] && !slices.Contains(ofPython, t) && (i == 0 || hint[i-1] != ".") {
			return false
		}
	}
	return true
}

func isDocstring(t string) bool {
	return len(t) > 1 && strings.HasPrefix(strings.TrimLeft(t, "ru"), `"`)
}

// withoutCommas leaves out the commas before a closing bracket that say nothing: all but
// that of a tuple of one, and of an index.
func withoutCommas(tokens []string) (out []string) {
	type open struct {
		calls bool // a call, a definition, or a list
		many  bool
	}
	var stack []open
	for i, t := range tokens {
		switch t {
		case "(", "[", "{":
			named := i > 0 && (tokens[i-1] == ")" || tokens[i-1] == "]" ||
				isName(tokens[i-1]) && !isKeyword(tokens[i-1]))
			stack = append(stack, open{calls: t == "{" || t == "[" && !named || t == "(" && named})
		case ")", "]", "}":
			if n := len(stack); n > 0 {
				if last := len(out) - 1; last >= 0 && out[last] == "," &&
					(stack[n-1].calls || t == ")" && stack[n-1].many) {
					out = out[:last]
				}
				stack = stack[:n-1]
			}
		case ",":
			if n := len(stack); n > 0 && i+1 < len(tokens) && !slices.Contains([]string{")", "]", "}"}, tokens[i+1]) {
				stack[n-1].many = true
			}
		}
		out = append(out, t)
	}
	return out
}

func isName(t string) bool {
	return t != "" && (t[0] == '_' || t[0] >= 0x80 || unicode.IsLetter(rune(t[0]))) && !strings.ContainsAny(t, `"'`)
}

func isKeyword(t string) bool {
	return slices.Contains([]string{
		"return", "in", "and", "or", "not", "if", "else", "elif", "while", "for", "yield", "await",
		"lambda", "is", "del", "assert", "raise", "from", "import", "print", "with", "as", "case", "match", "except",
	}, t)
}

// withoutHints takes the annotations out of a logical line: of a definition's parameters
// and of what it gives.
func withoutHints(tokens []string) (code, hints []string) {
	if def := slices.Index(tokens, "def"); def < 0 || def > 1 {
		return tokens, nil
	}
	depth := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch t {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		from := i + 1
		if !(t == ":" && depth == 1 && isName(tokens[i-1])) && !(t == "->" && depth == 0) {
			code = append(code, t)
			continue
		}
		end := hintEnd(tokens, from, ",", "=", ")", ":")
		if end < 0 {
			code = append(code, t)
			continue
		}
		hints, i = append(hints, strings.Join(tokens[from:end], " ")), end-1
	}
	return code, hints
}

// hintEnd finds where an annotation ends that begins at a token; -1 where it is none, or
// does more than name types.
func hintEnd(tokens []string, from int, ends ...string) int {
	depth := 0
	for i := from; i < len(tokens); i++ {
		t := tokens[i]
		if depth == 0 && slices.Contains(ends, t) {
			return i
		}
		if !hintWords.MatchString(t) || slices.Contains([]string{"lambda", "await", "yield", "if"}, t) {
			return -1
		}
		switch t {
		case "[":
			depth++
		case "]":
			depth--
		}
	}
	return -1
}

// pythonReader splits a source into logical lines.
type pythonReader struct {
	src   string
	at    int
	notes map[string]int

	encoded bool // a comment may say how the source is encoded
}

var pythonToken = pattern.New(
	`^(?:[\pL_][\pL\pN_]*|[0-9][\pL\pN_.]*|\.\.\.|->|:=|\*\*=|//=|>>=|<<=|[-+*/%&|^@=!<>]=|\*\*|//|>>|<<|\S)`)

// lines gives the logical lines; not whole: the source is none of Python.
func (p *pythonReader) lines() (list []pythonLine, whole bool) {
	indents, brackets := []int{0}, 0
	line := pythonLine{}
	for begin := true; p.at < len(p.src); {
		if begin {
			width, blank := p.indent()
			if blank {
				continue
			}
			for len(indents) > 1 && indents[len(indents)-1] > width {
				indents = indents[:len(indents)-1]
			}
			if width > indents[len(indents)-1] {
				indents = append(indents, width)
			}
			line, begin = pythonLine{depth: len(indents) - 1}, false
		}
		rest := p.src[p.at:]
		switch c := rest[0]; {
		case c == '\n':
			p.at++
			if brackets == 0 {
				list, begin = append(list, line), true
			}
		case c == ' ' || c == '\t' || c == '\f':
			p.at++
		case strings.HasPrefix(rest, "\\\n"):
			p.at += 2
		case c == '#':
			p.comment()
		default:
			t, ok := p.token()
			if !ok {
				return nil, false
			}
			brackets += strings.Count("([{", t) - strings.Count(")]}", t)
			line.tokens = append(line.tokens, t)
		}
	}
	if len(line.tokens) > 0 && !strings.HasSuffix(p.src, "\n") {
		list = append(list, line)
	}
	return list, brackets == 0 && !p.encoded
}

// indent reads the space that a line begins with, and the whole line where there is
// nothing but a comment.
func (p *pythonReader) indent() (width int, blank bool) {
	for ; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\f':
		case '\n':
			p.at++
			return 0, true
		case '#':
			p.comment()
			return 0, true
		default:
			return width, false
		}
	}
	return 0, true
}

func (p *pythonReader) comment() {
	text, _, _ := strings.Cut(p.src[p.at:], "\n")
	p.at += len(text)
	p.encoded = p.encoded || encodes.MatchString(text)
	p.notes[strings.Join(strings.Fields(strings.TrimLeft(text, "#!: ")), " ")]++
}

// token reads one. A string is given without the choice of its quotes.
func (p *pythonReader) token() (string, bool) {
	rest := p.src[p.at:]
	letters := strings.IndexAny(rest, `"'`)
	if letters > 2 || letters < 0 || strings.Trim(strings.ToLower(rest[:letters]), "rbfu") != "" {
		t := pythonToken.FindString(rest)
		p.at += len(t)
		return t, t != ""
	}
	quote := rest[letters : letters+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(rest[letters:], triple) {
		quote = triple
	}
	kind, at := strings.ToLower(rest[:letters]), letters+len(quote)
	for begin := at; at < len(rest); at++ {
		switch {
		case rest[at] == '\\':
			at++
		case rest[at] == '\n' && len(quote) == 1:
			return "", false
		case strings.HasPrefix(rest[at:], quote):
			p.at += at + len(quote)
			body := rest[begin:at]
			if !strings.Contains(kind, "r") {
				body = strings.NewReplacer(`\\`, `\\`, `\"`, `"`, `\'`, `'`).Replace(body)
			}
			return kind + strings.Repeat(`"`, len(quote)) + body + `"`, true
		}
	}
	return "", false
}
