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
