package lines

import (
	"strings"

	"cookoff/internal/pattern"
)

var (
	fence    = pattern.New("^\\s*(```+|~~~+)")
	indented = pattern.New(`^( {4}|\t)\s*\S`)
	diffHead = pattern.New(`^[\s>|]*(diff --git |Index: \S|@@ -\d|--- (a/|"a/|/dev/null)|\+\+\+ (b/|"b/|/dev/null))`)
	signed   = pattern.New(`^[\s>|]*[-+]`)
)

// DiffBegins reports whether a line begins a patch.
func DiffBegins(line string) bool { return diffHead.MatchString(line) }

// WithoutBlocks gives a message without its blocks of code that hold a piece of the fix's, or a patch:
// between fences, indented, or lines that begin with signs as those of a patch do.
func (c *Code) WithoutBlocks(list []string) (out []string) {
	left := false // a block was
	for i := 0; i < len(list); {
		n := block(list[i:])
		if n == 0 {
			l := list[i]
			if left && l != "" {
				left, l = false, unfollowed(l)
			}
			out = append(out, l)
			i++
			continue
		}
		if left = c.tells(list[i : i+n]); left {
			out = unled(out)
		} else {
			out = append(out, list[i:i+n]...)
		}
		i += n
	}
	return out
}

// unled takes the sentence away that leads to a block which is left out: "Do it so:".
func unled(list []string) []string {
	i := len(list) - 1
	for i >= 0 && strings.TrimSpace(list[i]) == "" {
		i--
	}
	if i <= 0 || strings.HasSuffix(strings.TrimSpace(list[i]), ".") { // the first line is the subject
		return list
	}
	list[i] = list[i][:strings.LastIndex(list[i], ". ")+1]
	return list
}

// unfollowed takes the sentence away that goes on behind such a block.
func unfollowed(l string) string {
	if l[0] < 'a' || l[0] > 'z' {
		return l
	}
	_, rest, _ := strings.Cut(l, ". ")
	return rest
}

// block gives how many lines the block has that begins here; 0: none does.
func block(list []string) int {
	if open := fence.FindString(list[0]); open != "" {
		open = strings.TrimSpace(open)
		for i, l := range list[1:] {
			if strings.TrimSpace(l) == open {
				return i + 2
			}
		}
		return len(list)
	}
	for _, is := range []*pattern.Pattern{indented, signed} {
		n := 0
		for n < len(list) && is.MatchString(list[n]) {
			n++
		}
		if n > 0 && (is == indented || n > 1 || strings.HasPrefix(strings.TrimSpace(list[0]), "+")) {
			return n
		}
	}
	return 0
}

// tells reports whether a block of a message holds what the fix adds. A list of points that begin with
// "-" is no patch: its lines are looked at as sentences are.
func (c *Code) tells(list []string) bool {
	plus := false
	for _, l := range list {
		l = strings.TrimLeft(l, " \t>|")
		plus = plus || strings.HasPrefix(l, "+")
		if diffHead.MatchString(l) {
			return true
		}
	}
	if signed.MatchString(list[0]) && !plus {
		return false
	}
	for _, l := range list {
		if l = strings.TrimLeft(l, " \t>|"); c.In(strings.TrimLeft(l, "+- ")) || c.isAdded(strings.TrimLeft(l, "+")) {
			return true
		}
	}
	return false
}

// isAdded reports whether a line of a block of code is one that the fix adds, however little it says.
func (c *Code) isAdded(l string) bool {
	if c == nil {
		return false
	}
	s := strings.Trim(squeeze(l), ";,{}")
	if len(s) < 4 || strings.Contains("\n"+c.old, "\n"+s+"\n") {
		return false
	}
	for _, a := range c.added {
		if a == s {
			return true
		}
	}
	return false
}

// Sentences gives a text without the sentences of which drop says so.
func Sentences(text string, drop func(string) bool) string {
	if !drop(text) {
		return text
	}
	var out []string
	for s := range strings.SplitSeq(text, ". ") {
		if !drop(s) {
			out = append(out, s)
		}
	}
	kept := strings.Join(out, ". ")
	if drop(kept) {
		return ""
	}
	if kept != "" && strings.HasSuffix(text, ".") && !strings.HasSuffix(kept, ".") {
		kept += "."
	}
	return kept
}

// Without gives lines of a message without what they hold of the code over the ends of lines: such a
// paragraph becomes one line, of the sentences that hold nothing of it.
func (c *Code) Without(list []string) []string {
	var out []string
	for len(list) > 0 {
		n := 0
		for n < len(list) && list[n] != "" {
			n++
		}
		if part := list[:n]; n > 1 && c.In(strings.Join(part, " ")) {
			out = append(out, Sentences(strings.Join(part, " "), c.In))
		} else {
			out = append(out, part...)
		}
		if n < len(list) {
			out = append(out, "")
			n++
		}
		list = list[n:]
	}
	return out
}

// OfPatch is the code of a fix as a patch has it.
func OfPatch(patch string) *Code {
	var added, removed []string
	var before strings.Builder
	within := false
	for l := range strings.Lines(patch) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "@@ "):
			within = true
		case strings.HasPrefix(l, "diff --git "):
			within = false
		case !within || l == "":
		case l[0] == '+':
			added = append(added, l[1:])
		case l[0] == '-':
			removed = append(removed, l[1:])
			before.WriteString(l[1:] + "\n")
		case l[0] == ' ':
			before.WriteString(l[1:] + "\n")
		}
	}
	return CodeOf(added, removed, before.String())
}
