package request

import (
	"bytes"
	"cmp"
	"fmt"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// Bound puts a limit in the place of the reply's own, or adds it where there is none; that
// only where the provider takes it. What it sets apart for thinking is lowered below that.
func (c *Call) Bound(n int, chatField string, takes bool) {
	doc, err := document.Open(c.Body, nil)
	if err != nil || c.Output == 0 && !takes {
		return
	}
	think(doc, n)
	if c.Output == 0 {
		c.Without = c.Body
	}
	number, names, usual := fmt.Append(nil, n), limitNames[c.BodyDialect], limitNames[c.BodyDialect][0]
	if c.BodyDialect == wire.Chat {
		usual = cmp.Or(chatField, "max_tokens")
	}
	if c.BodyDialect != wire.Gemini {
		set(doc, names, usual, number)
	} else if name, in, _ := generationOf(doc); in != nil { // it was read before
		set(in, names, usual, number)
		doc.Set(name, in.Bytes())
	} else {
		doc.Set(settings[0], fmt.Appendf(nil, `{%q:%d}`, usual, n))
	}
	c.Output, c.Body = n, doc.Bytes()
}

// set puts a value in the place of those that stand there, or else adds one.
func set(doc *document.Document, names []string, usual string, value []byte) {
	some := false
	for _, name := range names {
		if !unset(doc.Value(name)) {
			doc.Set(name, value)
			some = true
		}
	}
	if !some {
		doc.Set(usual, value)
	}
}

// thoughts are the members that set tokens of a reply apart for thinking, and where in them
// their number stands. Providers reject a limit of the reply that is not above it; Gemini
// takes any.
var thoughts = []struct{ member, number string }{{"thinking", "budget_tokens"}, {"reasoning", "max_tokens"}}

// leastThought is the least that providers take for thinking.
const leastThought = 1024

// Thinks is how many tokens of the reply the request sets apart for thinking.
func (c *Call) Thinks() (most int) {
	if !bytes.Contains(c.Body, []byte(thoughts[0].number)) &&
		!bytes.Contains(c.Body, []byte(`"`+thoughts[1].member+`"`)) {
		return 0 // without reading all of a large body
	}
	doc, err := document.Open(c.Body, nil)
	if err != nil {
		return 0
	}
	for _, t := range thoughts {
		_, n := thought(doc, t.member, t.number)
		most = max(most, n)
	}
	return most
}

// thought opens a member and reads its number; nil: there is none.
func thought(of *document.Document, member, number string) (in *document.Document, n int) {
	in, err := document.Open(of.Value(member), nil)
	if err != nil {
		return nil, 0
	}
	n, _ = in.Number(number)
	return in, n
}

// think leaves half of a reply of n tokens for what is not thought, where it was all to be
// thinking.
func think(doc *document.Document, n int) {
	for _, t := range thoughts {
		if in, m := thought(doc, t.member, t.number); m >= n {
			in.Set(t.number, fmt.Append(nil, max(n/2, leastThought)))
			doc.Set(t.member, in.Bytes())
		}
	}
}
