// Package gitpath writes paths as git reads them.
package gitpath

import (
	"fmt"
	"strings"
)

// Quoted writes a path as git does in a patch: in quotes where it holds anything unusual, or ends in a blank.
func Quoted(name string) string {
	plain := !strings.HasSuffix(name, " ")
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			plain = false
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			plain = false
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if plain {
		return name
	}
	return `"` + b.String() + `"`
}
