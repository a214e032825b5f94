package prompt

import (
	"fmt"
	"strings"

	"cookoff/internal/mine/lines"
)

// plainer leaves out what Markdown reads otherwise.
var plainer = strings.NewReplacer("`", " ", "*", " ", "<", " ", ">", " ", "[", " ", "]", " ", "#", " ", "|", " ",
	`\`, " ", "{", " ", "}", " ")

// Title names the task of a commit, for tables: no model sees it.
func Title(id, message string) string {
	subject := reference.ReplaceAllString(lines.First(message), "")
	subject = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.TrimPrefix(subject, "- "))
	words := strings.Fields(subject)
	for i, w := range words {
		if strings.Trim(w, "<>=!") != "" { // what compares stands alone
			words[i] = plainer.Replace(w)
		}
	}
	subject = strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	if subject == "" {
		subject = "no message"
	}
	return fmt.Sprintf("%.10s %s", id, lines.Cut(subject, 70))
}
