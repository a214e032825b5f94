package prompt

import (
	"fmt"
	"strings"

	"cookoff/internal/mine/lines"
)

// Title names the task of a commit, for tables: no model sees it.
func Title(id, message string) string {
	subject := reference.ReplaceAllString(lines.First(message), "")
	subject = strings.TrimSpace(strings.TrimPrefix(subject, "- "))
	subject = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*<>[]#|\\{}", r) || r < ' ' {
			return ' '
		}
		return r
	}, subject)), " ")
	if subject == "" {
		subject = "no message"
	}
	return fmt.Sprintf("%.10s %s", id, lines.Cut(subject, 70))
}
