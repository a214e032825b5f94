package traps

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
)

// Leaves are the commands that a script of a shell's has come to leave behind each time it runs, and that wait and then
// take something away or end another program, by what they call, sorted: (sleep 60; rm -rf data) &.
func Leaves(was, is string) []string { return more(counted(was, leaving), counted(is, leaving)) }

var (
	// waiting is what lets time pass.
	waiting = pattern.New(`\b(sleep|usleep|inotifywait|until|while|wait)\b|--pid`)
	// limited is a program that is left for a while only.
	limited = pattern.New(`^\s*((setsid|nohup)( -\S+)* )+timeout `)
	// ended is what ends a program that a script does not know as its own.
	ended = pattern.New(`\b(pkill|killall)\b|\bkill\b[^;|&\n]*(\$\(|` + "`" + `|<)|\bstop\b`)
	// timers are programs that have another run later.
	timers = []string{"at", "batch", "crontab -", "systemd-run"}
)

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

// leftBehind counts what commands in the background do once they have waited.
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
