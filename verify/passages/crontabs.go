package passages

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// isCrontab reports whether a file has the name of a crontab.
func isCrontab(p string) bool {
	name, dir := strings.ToLower(path.Base(p)), path.Base(path.Dir(p))
	return name == "crontab" || slices.Contains([]string{".crontab", ".cron"}, path.Ext(name)) ||
		slices.Contains([]string{"cron.d", "crontabs"}, dir) && path.Ext(name) != ".md"
}

var (
	// hours is a column of a time.
	hours = pattern.New(`(?i)^([\d*?,/-]+|@\w+|` +
		`((mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)` +
		`[,-]?)+)$`)
	// ofAll are variables of a crontab that a repair may set in the place of changing a command.
	ofAll = pattern.New(`^(PATH|SHELL|HOME|BASH_ENV|LANG|LC_\w+|TZ|CRON_TZ)[ \t]*=`)
)

// about is what a line of a crontab is about: the file that its command names first, or the command; of a variable,
// its name. "": a comment, or what holds for all commands.
func about(bare string) string {
	name, _, isSet := strings.Cut(bare, "=")
	switch {
	case strings.HasPrefix(bare, "#"), ofAll.MatchString(bare):
		return ""
	case isSet && assigned.MatchString(bare):
		return strings.ToLower(strings.TrimSpace(name))
	}
	words := slices.DeleteFunc(strings.Fields(bare), hours.MatchString)
	for _, w := range words {
		if strings.Contains(w, "/") {
			return strings.ToLower(w)
		}
	}
	return strings.ToLower(strings.Join(words[:min(len(words), 1)], ""))
}
