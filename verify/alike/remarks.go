package alike

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// remarked are files of settings, line by line, in which comments begin with # or ;.
	remarked = pattern.New(`\.(conf|cnf|cfg|ini|properties|env|cron|service|timer|socket|mount|path|target)$|` +
		`^\.env(\.|$)|^crontab$`)
	// aRemark is a line that is one, and no order to a program.
	aRemark = pattern.New(`^\s*[#;]([^!\w]|$)|^\s*#[a-z]\w* [a-z]`)
	preset  = pattern.New(`^\s*#\s*(include|includedir|if|ifdef|ifndef|else|elif|endif|define|pragma|import|exec)\b`)
)

// sameRemarked: the same lines of settings in the same order, with all the comments and more.
func sameRemarked(was, is []byte) bool {
	a, notes := unremarked(was)
	b, more := unremarked(is)
	return slices.Equal(a, b) && explained(notes, more)
}

// unremarked are the lines of a file of settings but for blank ones and comments, and these. What stands behind a line
// that goes on in the next one is none.
func unremarked(text []byte) (list []string, notes map[string]int) {
	notes = map[string]int{}
	goesOn := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case goesOn:
			list = append(list, line)
		case strings.TrimSpace(line) == "":
		case aRemark.MatchString(line) && !preset.MatchString(line) && !strings.HasSuffix(line, `\`):
			notes[strings.Join(strings.Fields(line), " ")]++
		default:
			list = append(list, line)
		}
		goesOn = strings.HasSuffix(line, `\`)
	}
	return list, notes
}
