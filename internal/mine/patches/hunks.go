package patches

import (
	"strconv"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// Hunk is a piece of a patch without lines around it.
type Hunk struct {
	at, n    int // first line of what was there, from 1, and how many
	To       int // first line of what is there now
	old, new []string
}

var hunkHead = pattern.New(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// Hunks reads the hunks of a patch of one file.
func Hunks(patch string) (list []Hunk) {
	for l := range strings.SplitAfterSeq(patch, "\n") {
		if m := hunkHead.FindStringSubmatch(l); m != nil {
			h := Hunk{n: 1}
			h.at, _ = strconv.Atoi(m[1]) // digits
			h.To, _ = strconv.Atoi(m[3])
			if m[2] != "" {
				h.n, _ = strconv.Atoi(m[2])
			}
			list = append(list, h)
			continue
		}
		if len(list) == 0 || l == "" {
			continue
		}
		h := &list[len(list)-1]
		switch l[0] {
		case '-':
			h.old = append(h.old, l[1:])
		case '+':
			h.new = append(h.new, l[1:])
		case '\\': // no line end at the end of the file
			side := &h.old
			if len(h.new) > 0 {
				side = &h.new
			}
			if n := len(*side); n > 0 {
				(*side)[n-1] = strings.TrimSuffix((*side)[n-1], "\n")
			}
		}
	}
	return list
}

// Apply gives a text after hunks, but for one.
func Apply(text string, list []Hunk, but int) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	next := 0
	for i, h := range list {
		from := h.at - 1
		if h.n == 0 {
			from = h.at
		}
		if i == but {
			continue
		}
		for ; next < from && next < len(lines); next++ {
			b.WriteString(lines[next])
		}
		for _, l := range h.new {
			b.WriteString(l)
		}
		next = from + h.n
	}
	for ; next < len(lines); next++ {
		b.WriteString(lines[next])
	}
	return b.String()
}

// Needed reports whether a hunk holds more than comments and imports. was and now tell which lines of the
// file are remarks, before and after it.
func (h Hunk) Needed(was, now []bool) bool {
	return says(h.old, h.at, was) || says(h.new, h.To, now)
}

// says reports whether some of the lines from one on, counted from 1, are no remarks.
func says(list []string, from int, remark []bool) bool {
	for i, l := range list {
		at := from - 1 + i
		if (at >= len(remark) || !remark[at]) && !lines.Idle(strings.TrimRight(l, "\r\n")) {
			return true
		}
	}
	return false
}

// Added gives the lines, from 1, that hunks add.
func Added(list []Hunk) map[int]bool {
	out := map[int]bool{}
	for _, h := range list {
		for i := range h.new {
			out[h.To+i] = true
		}
	}
	return out
}
