// Package oneline lets long one-line texts, such as a body of JSON, stand in source on
// several lines.
package oneline

import "strings"

// Of joins the lines of a raw string: line breaks are left out, and the tabs that begin
// each line but the first.
func Of(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines[1:] {
		lines[i+1] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "")
}
