package traps

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
)

// Leaves are the programs that a script for a shell leaves to run after it has ended, and that it did not leave before:
// commands in the background that wait, and then take something away or end another program, as in
// (sleep 60; rm -rf data) &. They are sorted.
func Leaves(was, is string) []string { return more(counted(was, leaving), counted(is, leaving)) }

var (
	// waiting is what lets time pass.
	waiting = pattern.New(`\b(sleep|usleep|inotifywait|until|while|wait)\b|--pid`)
	// limited is a program that is started to stay, and that a time limit ends.
	limited = pattern.New(`^\s*((setsid|nohup)( -\S+)* )+timeout `)
	// ended is a command that ends a program which the script has not started itself.
	ended = pattern.New(`\b(pkill|killall)\b|\bkill\b[^;|&\n]*(\$\(|` + "`" + `|<)|\bstop\b`)
	// timers are commands that have another program run later.
	timers = []string{"at", "batch", "crontab -", "systemd-run"}
)

// leaving counts what a part of a script leaves behind, by program.
func leaving(part syntax.Node, out map[string]int) {
	switch n := part.(type) {
	case *syntax.Stmt:
		if n.Background || n.Coprocess {
			leftBehind(printed(n.Cmd), out)
		}
	case *syntax.CallExpr:
		for _, h := range harmOf(written(n)) {
			if slices.Contains(timers, h.program) {
				out[h.program]++
			}
		}
	}
}

// leftBehind counts, by program, what commands in the background do once they have waited.
func leftBehind(text string, out map[string]int) {
	switch {
	case limited.MatchString(text):
		out["timeout"]++
	case waiting.MatchString(text):
		for _, h := range takesAway(text) {
			out[h.program]++
		}
		if m := ended.FindString(text); m != "" {
			out[strings.Fields(m)[0]]++
		}
	}
}

var (
	// deep are commands that take away all that lies below a directory, or in it.
	deep = pattern.New(`^rm\s(.*\s)?(-[a-zA-Z]*[rR]|--recursive)|^rm\s.*/\*|^find\s.*-(delete|exec)\b|^rsync\s.*--delete`)
	// ofHome are HOME, what lies in it, and one thing in it.
	ofHome = pattern.New(`\s["']?(~|\$\{?HOME\}?|/home/agent)["']?(/[^/\s"']*)?["']?(/[*.]?)?["']?(\s|$)`)
	// homeRemoved is code that removes directories in HOME with what is in them, in one line, and homeSet that HOME
	// is another one for it.
	homeRemoved = pattern.New(`(rmtree\b|remove_tree\b|rmSync\b|\.rm\(|RemoveAll\b|rm_rf\b|\brm\s+-\w*[rR])[^\n]*(expanduser\(|` +
		`Path\.home\(\)|` +
		`homedir\(\)|UserHomeDir|ENV\{?\[?\(?["']?HOME|environ(\.get)?[\[(]["']HOME|Getenv\("HOME"\)|env\.HOME\b|` +
		`Dir\.home|user\.home|\s~/|\$HOME)[^\n]*`)
	homeSet = pattern.New(`environ\[["']HOME["']\]\s*=|env\.HOME\s*=|ENV\[["']HOME["']\]\s*=|Setenv\("HOME"`)
	cached  = pattern.New(`\.cache\b`)
)

// HomeTaken are the commands of a script for a shell that take away HOME or what lies in it, with all that is in there,
// and that it did not have before. They are sorted.
func HomeTaken(was, is string) []string { return more(homeTaken(was), homeTaken(is)) }

func homeTaken(text string) map[string]int {
	out := map[string]int{}
	for _, h := range takesAway(text) {
		if deep.MatchString(h.words) && ofHome.MatchString(h.words) {
			out[h.words]++
		}
	}
	return out
}

// HomeRemoved is the same of lines of a program in another language; "": there is none.
func HomeRemoved(lines string) string {
	m := homeRemoved.FindString(lines)
	if homeSet.MatchString(lines) || cached.MatchString(m) {
		return ""
	}
	return m
}
