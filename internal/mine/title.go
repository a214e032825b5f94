package mine

import (
	"fmt"
	"strings"

	"cookoff/internal/mine/lines"
)

// title names a task, for tables: no model sees it.
func title(c *candidate) string {
	subject := reference.ReplaceAllString(lines.First(c.message), "")
	subject = strings.TrimSpace(strings.TrimPrefix(subject, "- "))
	subject = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_<>[]#|\\{}", r) || r < ' ' {
			return ' '
		}
		return r
	}, subject)), " ")
	if subject == "" {
		subject = "no message"
	}
	return fmt.Sprintf("%.10s %s", c.ID, lines.Cut(subject, 70))
}
