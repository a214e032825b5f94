package openai

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// words makes foreign text fit for an error: without the key, on one line,
// printable, and not too long.
func (c *Chat) words(s string) string {
	s = c.redact(s)
	var b strings.Builder
	n := 0
	for _, r := range strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ") {
		if n++; n > maxWords {
			b.WriteString("…")
			break
		}
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// quote gives the beginning of a body as a quoted string.
func (c *Chat) quote(body []byte) string {
	s := []rune(c.redact(string(body)))
	if len(s) > maxWords {
		return strconv.Quote(string(s[:maxWords])) + "…"
	}
	return strconv.Quote(string(s))
}

// redact puts the name of the variable in the place of the key.
func (c *Chat) redact(s string) string {
	if c.cfg.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.cfg.Key, "[redacted:"+c.cfg.KeyEnv+"]")
}
