package tools

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// starters are programs that run the command in their arguments, with what may
// stand before it.
var starters = map[string]*pattern.Pattern{
	"command": nil, "builtin": nil, "exec": nil, "nohup": nil, "setsid": nil, "time": nil, "xargs": nil, "sudo": nil,
	"doas": nil, "chronic": nil, "stdbuf": nil, "watch": nil, "parallel": nil, "flock": nil,
	"unshare": nil, "script": nil, "strace": nil,
	"env":     pattern.New(`^[A-Za-z_]\w*=`),
	"timeout": pattern.New(`^[0-9.]+[smhd]?$`),
	"nice":    pattern.New(`^-n$|^-?[0-9]+$`),
	"ionice":  pattern.New(`^-c$|^-n$|^[0-9]$`),
}

// refuseStarter looks at the command that another one starts. Allowed words
// that name both ("xargs grep") need no look: that is what they mean.
func (r prefixRules) refuseStarter(words []string, more bool) string {
	name := path.Base(words[0])
	if r.named(words) > 1 {
		return ""
	}
	switch {
	case name == "find":
		return r.refuseFind(words, more)
	case slices.Contains([]string{"ksh", "mksh", "zsh", "fish", "csh", "tcsh", "busybox"}, name):
		return fmt.Sprintf("what %s runs can't be analysed", name)
	}
	before, starts := starters[name]
	if !starts {
		return ""
	}
	rest := words[1:]
	for before != nil && len(rest) > 0 && before.MatchString(rest[0]) {
		if variable, _, isSet := strings.Cut(rest[0], "="); isSet {
			if why := refuseName(variable); why != "" {
				return why
			}
		}
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 && !more:
		return ""
	case len(rest) == 0:
		return fmt.Sprintf("what %s runs is not literal and can't be analysed", name)
	case strings.HasPrefix(rest[0], "-"):
		return fmt.Sprintf("%s with the option %s can't be analysed", name, Clip(rest[0], 40))
	case isShell(rest[0]) || rest[0] == "eval" || rest[0] == "." || rest[0] == "source":
		return fmt.Sprintf("%s, started by %s, can't be analysed", Clip(rest[0], 40), name)
	}
	if why := r.refuseStarter(rest, more); why != "" {
		return why
	}
	adds := name == "xargs" || name == "parallel" || name == "watch"
	return r.refuseCommand(rest, strings.Join(rest, " "), more || adds)
}

// refuseFind looks at the commands that find runs.
func (r prefixRules) refuseFind(words []string, more bool) string {
	if more {
		return "arguments of find that are not literal can't be analysed"
	}
	for i, w := range words {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w) {
			continue
		}
		cmd := words[i+1:]
		if end := slices.IndexFunc(cmd, func(s string) bool { return s == ";" || s == "+" }); end >= 0 {
			cmd = cmd[:end]
		}
		if len(cmd) == 0 {
			return "find " + w + " without a command"
		}
		if isShell(cmd[0]) {
			return "a shell, started by find, can't be analysed"
		}
		if why := r.refuseStarter(cmd, false); why != "" {
			return why
		}
		if why := r.refuseCommand(cmd, strings.Join(cmd, " "), false); why != "" {
			return why
		}
	}
	return ""
}

// named gives how many words the longest pattern names that these words match.
func (r prefixRules) named(words []string) int {
	n := 0
	for _, p := range r.prefixes {
		literal := slices.DeleteFunc(slices.Clone(p), func(w string) bool { return w == anyWord })
		if matches(p, words, true) {
			n = max(n, len(literal))
		}
	}
	return n
}
