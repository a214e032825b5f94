package diagnose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// GitNobody reports whether git refused to commit, by what a command printed, since it knows no name: a sandbox has
// none of its user's settings.
func GitNobody(output string) bool { return nobody.MatchString(output) }

var nobody = pattern.New(`\b(?:Author|Committer) identity unknown\b|\*\*\* Please tell me who you are|` +
	`\bempty ident name\b|\bunable to auto-detect email address\b`)

var (
	ofHome = pattern.New(`(?i)(?:/home/agent|~|\$HOME|\$\{HOME\})/([\w.@+/-]*[\w@+-])`)
	gone   = pattern.New(`(?i)no such file|not found|ENOENT|not exist|can.?t (?:open|read|find)|` +
		`cannot (?:open|read|find)|` +
		`could ?n.t (?:open|read|find)|missing`)
	unset = pattern.New(`(?i)KeyError|environ|getenv|process\.env|\bENV\b|\bunset\b|not set|unbound|` +
		`undefined|missing|required`)
	// setAnyway are variables that a sandbox has, or that say nothing of what a test needs.
	setAnyway = pattern.New(`^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|PWD|OLDPWD|TMPDIR|SHLVL|` +
		`MAIL|HOSTNAME|CI|` +
		`DEBUG|TEST|HOST|PORT|NAME|NODE|PYTHON|PYTHONPATH|LC_.*|XDG_.*|SSH_.*|COOKOFF_.*|GIT_.*|NVM_.*|PYENV_.*)$`)
	variable = pattern.New(`\b[A-Z][A-Z0-9_]{3,}\b`)
)

// OfUser says what helps where a command failed for want of a file of its user's home, or of a variable of its
// user's environment (as os.Environ gives it), by what it printed: a sandbox has neither; "": nothing tells.
func OfUser(output, home string, environ []string) string {
	for line := range strings.Lines(output) {
		if m := ofHome.FindStringSubmatch(line); m != nil && home != "" && gone.MatchString(line) {
			if _, err := os.Lstat(filepath.Join(home, m[1])); err == nil {
				return "~/" + m[1] + " lies in your home, and no sandbox has it: have the setup of the task write what the " +
					"tests need of it"
			}
		}
		if !unset.MatchString(line) {
			continue
		}
		for _, name := range variable.FindAllString(line, -1) {
			is := slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, name+"=") })
			if is && !setAnyway.MatchString(name) {
				return name + " is set in your shell, and no sandbox has it: env: " + name + "=… of the task sets it, or " +
					"--test-command '" + name + "=… …' (every model sees its value: no place for a key)"
			}
		}
	}
	return ""
}
