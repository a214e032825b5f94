package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"cookoff/internal/ui/text"
)

// visibleLine makes foreign text one line of a page.
func visibleLine(s string) string { return text.Visible(cut(s, keepText)) }

// lines makes foreign text safe and leaves its lines and tabs: nothing in it
// can hide, reorder or overwrite what is read. Of more than max bytes the middle
// is left out.
func lines(s string, max int) string { return text.Lines(cut(s, max)) }

// cut leaves the beginning and the end of a text of more than max bytes, and
// says in between how much is gone.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	head, tail := max*2/3, len(s)-max/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out of this page …]\n%s", s[:head], tail-head, s[tail:])
}

// cutter cuts texts, and remembers whether it ever did.
type cutter struct {
	most int // bytes
	did  bool
}

func (c *cutter) cut(s string) string {
	c.did = c.did || len(s) > c.most
	return cut(s, c.most)
}

// arguments prints a call's arguments for people: a text that is the only one
// as it is, others by name.
func arguments(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return string(raw)
	}
	var b strings.Builder
	for dec.More() {
		var v json.RawMessage
		k, err := dec.Token()
		if err != nil || dec.Decode(&v) != nil {
			return string(raw)
		}
		name, _ := k.(string) // a key of an object is a string
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		sep := " "
		if strings.Contains(text, "\n") {
			sep = "\n"
		}
		fmt.Fprintf(&b, "%s:%s%s\n", name, sep, strings.TrimSuffix(text, "\n"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
