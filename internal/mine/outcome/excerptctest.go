package outcome

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// ctestEnd is the line in which CTest says how a failing test ended:
// "2/2 Test #2: split ....***Exception: SegFault".
var ctestEnd = pattern.New(`^ *\d+/\d+ Test +#\d+: (.+?) \.+(?: *(\S.*?))? *\*\*\*(.+?) +\d+\.\d+ sec`)

// ctestExcerpt gives of each failing test how it ended, and what it printed: of one that prints nothing, nothing else
// of the run tells, which may have built everything before.
func ctestExcerpt(text string, why map[string]string, names []string) (out []string) {
	for l := range strings.Lines(text) {
		m := ctestEnd.FindStringSubmatch(strings.TrimRight(l, "\r\n"))
		if m == nil || !slices.Contains(names, m[1]) {
			continue
		}
		out = append(out, m[1]+" ***"+strings.TrimSpace(strings.TrimSpace(m[3])+" "+m[2]))
		out = append(out, printedBy(why[m[1]])...)
	}
	return out
}

// printedBy are the lines of what a record says of a failing test, without those of a stack.
func printedBy(why string) (out []string) {
	if strings.TrimSpace(why) == "" {
		return nil
	}
	for l := range strings.Lines(strings.Trim(why, "\r\n")) {
		if l = strings.TrimRight(l, "\r\n"); !frame.MatchString(l) {
			out = append(out, "  "+l)
		}
	}
	return out
}
