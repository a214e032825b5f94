package openai

import (
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
)

// words makes foreign text fit for an error: without the key, on one line,
// printable, and not too long.
func (c *Chat) words(s string) string {
	s = strings.Join(strings.Fields(c.redact(s)), " ")
	if rs := []rune(s); len(rs) > maxWords {
		s = string(rs[:maxWords]) + "…"
	}
	return text.Visible(s)
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
