package mutants

import (
	"strings"

	"cookoff/internal/pattern"
)

// Parts of a line that has an effect.
const (
	named    = `[A-Za-z_$][\w$.:\[\]>-]*!?`
	called   = `\([^{}]*\)(?:\.await)?\??`
	assigned = `\s*(?:[-+*/|&^%]|<<|>>)?=[^=>].*`
)

var (
	// effect is a line that does something and declares nothing: a call, or an assignment to
	// what is there already.
	effect = pattern.New(`^\s*(?:await )?` + named + `(?:` + called + `|` + assigned + `|\+\+|--);?\s*$`)
	// declared is a line of Python that may give a name its first value.
	declared = pattern.New(`^\s*\w+\s*=[^=]`)
	// ends are words that look like calls, and whose lines decide where a program goes on.
	ends = pattern.New(`^\s*(if|elif|else|for|foreach|while|until|switch|match|when|return|throw|raise|catch|except` +
		`|yield|assert\w*|Ok|Err|Some|super|constructor|function|sizeof|using|lock|defer|go|del|global` +
		`|print\w*|console\.\w+|log\w*|eprintln|println|dbg|panic|todo|unimplemented|unreachable` +
		`|System\.out\.\w+|fmt\.Print\w*)\b`)
)

// effects gives the faults of languages whose lines tell what they are: one that does something is
// left out.
func effects(code string, s *style) (list []Edit) {
	at := 0
	for full := range strings.SplitAfterSeq(code, "\n") {
		line := strings.TrimRight(full, "\r\n")
		if effect.MatchString(line) && !ends.MatchString(line) && statement(line) && !s.keepOut.MatchString(line) &&
			!(s.python && declared.MatchString(line)) {
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			list = append(list, Edit{From: at + indent, To: at + len(line), New: s.instead, Operator: "statement"})
		}
		at += len(full)
	}
	return list
}
