// Package shell reads shell text as bash does.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Parse reads a script for bash. The error says where it is none.
func Parse(src string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
}

// Literal gives the value of a word that means the same wherever it stands:
// quotes and backslashes removed, nothing expanded. A character of special
// outside of quotes makes it none, as does $'…', which sh does not know; then
// the value is "".
func Literal(w *syntax.Word, special string) (value string, ok bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !unescape(&b, p.Value, special, "") {
				return "", false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar || !unescape(&b, lit.Value, "", "\\\"$`\n") {
					return "", false
				}
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape writes s without its backslashes; escapable "" means that a
// backslash takes any character. It gives false at one of special.
func unescape(b *strings.Builder, s, special, escapable string) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (escapable == "" || strings.IndexByte(escapable, s[i+1]) >= 0):
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case strings.IndexByte(special, s[i]) >= 0:
			return false
		default:
			b.WriteByte(s[i])
		}
	}
	return true
}
