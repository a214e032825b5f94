package tools

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"cookoff/internal/pattern"
)

// hunkHeader is what a hunk begins with; models leave the numbers out, or get
// the counts wrong.
var hunkHeader = pattern.New(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$`)

// normalizePatch counts the lines of every hunk anew, and takes a/ and b/ off
// names outside of headers that git has written, where the parser does it.
func normalizePatch(patch string) string {
	lines := strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	var out []string
	inGit := false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "diff --git "):
			inGit = true
		case strings.HasPrefix(l, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") && !inGit:
			out = append(out, plainNames(l, lines[i+1])...)
			i++
			continue
		case strings.HasPrefix(l, "@@"):
			inGit = false
			end := hunkEnd(lines, i+1)
			out = append(out, recount(l, lines[i+1:end])...)
			i = end - 1
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n") + "\n"
}

// plainNames takes the prefixes of a pair of names away, when both have them.
func plainNames(before, after string) []string {
	o, oldPrefixed := strings.CutPrefix(before, "--- a/")
	n, newPrefixed := strings.CutPrefix(after, "+++ b/")
	if oldPrefixed && (newPrefixed || strings.HasPrefix(after, "+++ /dev/null")) {
		before = "--- " + o
	}
	if newPrefixed && (oldPrefixed || strings.HasPrefix(before, "--- /dev/null")) {
		after = "+++ " + n
	}
	return []string{before, after}
}

// hunkEnd gives the line that the hunk whose content begins at from no longer
// has. Empty lines are context that lost its blank, but not at the end.
func hunkEnd(lines []string, from int) int {
	end := from
	for i := from; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, "--- ") && i+2 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") &&
			strings.HasPrefix(lines[i+2], "@@") {
			break
		}
		if l != "" && !strings.ContainsRune(" +-\\", rune(l[0])) {
			break
		}
		if l != "" {
			end = i + 1
		}
	}
	return end
}

// recount writes a hunk with a header that fits it.
func recount(header string, body []string) []string {
	m := hunkHeader.FindStringSubmatch(strings.TrimSuffix(header, "\r"))
	if m == nil {
		m = []string{"", "1", "1", ""}
	}
	before, after := 0, 0
	for _, l := range body {
		switch {
		case l == "" || l[0] == ' ':
			before++
			after++
		case l[0] == '-':
			before++
		case l[0] == '+':
			after++
		}
	}
	return append([]string{fmt.Sprintf("@@ -%s,%d +%s,%d @@%s", m[1], before, m[2], after, m[3])}, body...)
}

// patchText applies the hunks of g to a file, and says by how many lines they
// were off. A hunk may stand elsewhere than its numbers say, when there is
// just one place that it fits.
func patchText(f *patched, g *gitdiff.File) ([]byte, string, error) {
	lines := bytes.SplitAfter(f.after, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	var out bytes.Buffer
	next, shift := 0, 0 // lines taken; how far the last hunk was off
	var moved []string
	for i, h := range g.TextFragments {
		want := max(int(h.OldPosition)-1, 0)
		if h.OldLines == 0 && h.OldPosition > 0 {
			want = int(h.OldPosition) // what has no lines of its own follows that line
		}
		at, err := place(lines, h, next, want+shift)
		if err != nil {
			return nil, "", failed("patch %s: hunk %d of %d, %s, does not fit: %v; nothing was changed",
				cleanName(f.path), i+1, len(g.TextFragments), headerOf(h), err)
		}
		if shift = at - want; shift != 0 {
			moved = append(moved, fmt.Sprintf("hunk %d at line %d", i+1, at+1))
		}
		out.Write(bytes.Join(lines[next:at], nil))
		next = at
		for _, l := range h.Lines {
			switch l.Op {
			case gitdiff.OpContext:
				out.Write(lines[next])
				next++
			case gitdiff.OpDelete:
				next++
			case gitdiff.OpAdd:
				out.WriteString(l.Line)
			}
		}
	}
	out.Write(bytes.Join(lines[next:], nil))
	if len(moved) > 0 {
		return out.Bytes(), "(" + strings.Join(moved, ", ") + ")", nil
	}
	return out.Bytes(), "", nil
}

// maxLooks bounds the search for the place of one hunk, in lines compared.
const maxLooks = 20_000_000

// place finds where a hunk stands: at want, or at the one other place behind
// from that has its old lines.
func place(lines [][]byte, h *gitdiff.TextFragment, from, want int) (int, error) {
	var old []string
	for _, l := range h.Lines {
		if l.Old() {
			old = append(old, l.Line)
		}
	}
	if len(old) == 0 {
		if want < from || want > len(lines) {
			return 0, fmt.Errorf("it has no context and the file has %d lines", len(lines))
		}
		return want, nil
	}
	looked := 0
	fits := func(at int) bool {
		looked++
		return at >= from && at+len(old) <= len(lines) && slices.EqualFunc(lines[at:at+len(old)], old,
			func(have []byte, want string) bool {
				looked++
				return looked < maxLooks && sameLine(have, want)
			})
	}
	if fits(want) {
		return want, nil
	}
	var places []int
	for at := from; at+len(old) <= len(lines) && len(places) < 10; at++ {
		if fits(at) {
			places = append(places, at+1)
		}
	}
	switch {
	case looked >= maxLooks:
		return 0, errors.New("it stands elsewhere, and its lines repeat too often to find where; " +
			"hint: give right line numbers")
	case len(places) == 0:
		return 0, misfit(lines, old, from, want)
	case len(places) == 1:
		return places[0] - 1, nil
	}
	return 0, fmt.Errorf("it fits at lines %s; hint: give more context, or right line numbers",
		strings.Trim(fmt.Sprint(places), "[]"))
}

// sameLine compares a line of the file with one of a patch, which may have
// forgotten to say that the file has no newline at its end.
func sameLine(have []byte, want string) bool {
	return string(have) == want || !bytes.HasSuffix(have, []byte("\n")) &&
		string(have) == strings.TrimSuffix(want, "\n")
}

// misfit says which line of the patch the file does not have.
func misfit(lines [][]byte, old []string, from, want int) error {
	best, at, looked := -1, 0, 0
	for start := range lines {
		n := 0
		for n < len(old) && start+n < len(lines) && looked < maxLooks && sameLine(lines[start+n], old[n]) {
			n++
			looked++
		}
		if start >= from && (n > best || n == best && start == want) {
			best, at = n, start
		}
	}
	if best < 0 {
		return fmt.Errorf("the file has only %d lines", len(lines))
	}
	wanted := strings.TrimSuffix(old[best], "\n")
	if at+best >= len(lines) {
		return fmt.Errorf("the file ends where the patch has %q", Clip(wanted, 120))
	}
	have := strings.TrimSuffix(string(lines[at+best]), "\n")
	hint := ""
	switch {
	case strings.TrimSuffix(have, "\r") == wanted:
		hint = "; hint: the file's lines end in \\r\\n"
	case strings.Join(strings.Fields(have), " ") == strings.Join(strings.Fields(wanted), " "):
		hint = "; hint: only blanks or tabs differ"
	}
	return fmt.Errorf("line %d of the file is %q where the patch has %q%s", at+best+1, Clip(have, 120),
		Clip(wanted, 120), hint)
}

func headerOf(h *gitdiff.TextFragment) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldPosition, h.OldLines, h.NewPosition, h.NewLines)
}
