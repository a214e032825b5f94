package lines

import (
	"cmp"
	"strings"
	"unicode"

	"cookoff/internal/pattern"
)

// Cut gives the first n bytes of a longer text, and a sign that there is more.
func Cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// First gives the first line of a message that says something: no rule drawn above or below a heading.
func First(s string) string {
	first := ""
	for l := range strings.Lines(strings.TrimSpace(s)) {
		l = strings.TrimSpace(l)
		if strings.ContainsFunc(l, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return l
		}
		first = cmp.Or(first, l)
	}
	return first
}

// wordlessSubjects are subjects that say nothing at all, a release's among them.
const wordlessSubjects = `(\[?wip\]?|tmp|fix(es|up)?|fix (tests?|lint|ci|build|typo|format(ting)?)|lint|typos?)[.! ]*|` +
	`format(ting)?[.! ]*|` +
	`(cleanup|clean up|nits?|update|updates|oops|more|changes?|\.+)[.! ]*|` +
	`\[?(chore(\(release\))?: ?)?((prepare|cut|tag|bump|set)\w* )?((for|the|to) )?` +
	`((release|version|bump)\w* )?((to|of|for) )?` +
	`v?\d+\.\d+[\w.+-]*\]?( ?\(\d[\d-]+\)| [-–] \d[\d-]+)?[.! ]*`

var (
	unsaidSubject = pattern.New("(?i)^(" + strings.Join([]string{
		`(fixup|squash|amend)! .*`, `merge (branch|remote|pull).*`, wordlessSubjects,
		`(address|apply) (review|comments|feedback|suggestions).*`, `(apply|update from) .*code review.*`,
		`((self|code|pr)[- ])?(review|feedback)( (comments?|fixes|changes|feedback))?[.! ]*`,
		`(it )?(works|working)( now)?[.! ]*`, `((first|second|another|last) (try|attempt)|try again)[.! ]*`,
	}, "|") + ")$")
	onlyWordless = pattern.New("(?i)^(" + wordlessSubjects + ")$")
)

// Unsaid reports whether a subject says nothing of what was wrong.
func Unsaid(subject string) bool { return unsaidSubject.MatchString(subject) }

// Wordless reports whether a subject says nothing at all, as a release's.
func Wordless(subject string) bool { return onlyWordless.MatchString(subject) }

// unseen is what a terminal obeys and a reader doesn't see.
var unseen = pattern.New(
	`\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2069}\x{feff}]`)

// Visible gives a text without what a terminal obeys and a reader doesn't see.
func Visible(text string) string { return unseen.ReplaceAllString(text, "") }
