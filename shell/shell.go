// Package shell reads shell text as bash does.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
)

// Parse reads a script for bash. The error says where it is none.
func Parse(src string) (*syntax.File, error) {
	f, err := parse(src)
	if err == nil {
		return f, nil
	}
	masked, at := bracketNames(src)
	again, failed := parse(masked)
	if len(at) == 0 || failed != nil {
		return f, err
	}
	syntax.Walk(again, func(n syntax.Node) bool {
		if l, is := n.(*syntax.Lit); is {
			l.Value = unmask(l, at)
		}
		return true
	})
	return again, nil
}

func parse(src string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
}

var (
	nameBracket = pattern.New(`(?:^|[\s;&|(])[A-Za-z_]\w*\[`)
	elementSet  = pattern.New(`^[^\s;&|]*\]\+?=`)
)

// bracketNames masks the brackets of words like "g[", which bash takes for the
// names of programs and the parser for elements of arrays, and says where.
func bracketNames(src string) (masked string, at []int) {
	b := []byte(src)
	for _, m := range nameBracket.FindAllStringIndex(src, -1) {
		if !elementSet.MatchString(src[m[1]:]) {
			at = append(at, m[1]-1)
			b[m[1]-1] = '_'
		}
	}
	return string(b), at
}

// unmask gives a text its brackets back.
func unmask(l *syntax.Lit, at []int) string {
	value, from := []byte(l.Value), int(l.Pos().Offset())
	for _, i := range at {
		if i -= from; i >= 0 && i < len(value) && value[i] == '_' {
			value[i] = '['
		}
	}
	return string(value)
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
