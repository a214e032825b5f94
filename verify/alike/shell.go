package alike

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sameShell: the same commands for the same program, however they are laid out, and all the
// comments; more of them say nothing.
func sameShell(was, is []byte) bool {
	a, notes, ok := commandsOf(was)
	b, more, too := commandsOf(is)
	return ok && too && a == b && explained(notes, more)
}

// commandsOf are those of a script as they are written when they are read, behind what runs it,
// and its comments; not ok: it is no script.
func commandsOf(src []byte) (text string, notes map[string]int, ok bool) {
	notes = map[string]int{}
	f, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(src), "")
	if err != nil || bytes.ContainsRune(src, '\r') {
		return "", nil, false
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, is := n.(*syntax.Comment); is {
			notes[strings.TrimSpace(c.Text)]++
		}
		return true
	})
	if f, err = syntax.NewParser().Parse(bytes.NewReader(src), ""); err != nil {
		return "", nil, false
	}
	var b bytes.Buffer
	if line, _, _ := bytes.Cut(src, []byte("\n")); bytes.HasPrefix(line, []byte("#!")) {
		b.Write(line) // not by append, which would write into the file that is read
		b.WriteByte('\n')
	}
	err = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, f)
	return b.String(), notes, err == nil
}
