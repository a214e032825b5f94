package alike

import (
	"bytes"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"cookoff/internal/pattern"
)

// sameJS: the same program, however it is laid out and quoted, and all the comments; more of
// them say nothing.
func sameJS(was, is []byte) bool {
	a, ok := program(was)
	b, too := program(is)
	return ok && too && a == b && explained(remarks(was), remarks(is))
}

// program is a text of JavaScript as it is written when it is read; not ok: it is none.
func program(src []byte) (text string, ok bool) {
	defer func() {
		if recover() != nil { // a text may be anything
			ok = false
		}
	}()
	if bytes.HasPrefix(src, []byte("#!")) {
		if _, rest, more := bytes.Cut(src, []byte("\n")); more {
			text, src = string(src[:len(src)-len(rest)]), rest
		}
	}
	tree, err := js.Parse(parse.NewInputBytes(bytes.Clone(src)), js.Options{})
	if err != nil {
		return "", false
	}
	js.Walk(quotes{}, tree)
	return text + tree.JSString(), true
}

// quotes gives all strings the same quotation marks.
type quotes struct{}

func (q quotes) Enter(n js.INode) js.IVisitor {
	switch l := n.(type) {
	case *js.LiteralExpr:
		if l.TokenType == js.StringToken {
			l.Data = quoted(l.Data)
		}
	case *js.DirectivePrologueStmt:
		l.Value = quoted(l.Value)
	}
	return q
}

// quoted is a string in double quotation marks: marks in it that need no backslash have none, other escapes stay.
func quoted(s []byte) []byte {
	if len(s) < 2 {
		return s
	}
	out := []byte{'"'}
	for inner := s[1 : len(s)-1]; len(inner) > 0; {
		n := 1
		if inner[0] == '\\' && len(inner) > 1 {
			n = 2
		}
		switch c := inner[n-1]; c {
		case '"':
			out = append(out, '\\', c)
		case '\'':
			out = append(out, c)
		default:
			out = append(out, inner[:n]...)
		}
		inner = inner[n:]
	}
	return append(out, '"')
}

func (quotes) Exit(js.INode) {}

var remark = pattern.New(`(?:^|\s)(//.*|/\*.*|\*[\s/].*|\*)$`)

// remarks are the comments of a text, by line, as far as they can be told from the rest.
func remarks(src []byte) map[string]int {
	out := map[string]int{}
	for line := range strings.Lines(string(src)) {
		if m := remark.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			out[strings.Join(strings.Fields(m[1]), " ")]++
		}
	}
	return out
}
