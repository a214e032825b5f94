package diagnose

import (
	"fmt"

	"cookoff/internal/pattern"
)

// releases are what programs say that are older than what a project asks for. need and have are the numbers of their
// groups; 0: the text does not say it.
var releases = []struct {
	program    string
	says       *pattern.Pattern
	need, have int
}{
	{"go", pattern.New(`(?m)^go: (?:.+ )?requires go >= (\S+) \(running go ([^;)\s]+)`), 1, 2},
	{"node", pattern.New(`(?m)^\S*node: bad option: (--?\S+)`), 0, 0},
	{"node", pattern.New(`notsup Required: .*"node": ?"([^"]+)"[\s\S]{0,200}?Actual: .*"node": ?"v?([^"]+)"`), 1, 2},
	{"node", pattern.New(`Your Node version is incompatible with [^\n]+\n\s*Expected version: ([^\n]+?)\s*\n` +
		`\s*Got: v?(\S+)`), 1, 2},
	{"node", pattern.New(`The engine "node" is incompatible with this module\. Expected version "([^"]+)"\. ` +
		`Got "v?([^"]+)"`), 1, 2},
	{"python3", pattern.New(`requires a different Python: (\S+) not in ['"]([^'"]+)['"]`), 2, 1},
	{"python3", pattern.New(`resolved to Python (\S+), which is incompatible with the project's Python requirement: ` +
		"`([^`]+)`"), 2, 1},
	{"cmake", pattern.New(`CMake (\S+) or higher is required\.\s+You are running version (\S+)`), 1, 2},
	{"rustc", pattern.New(`requires rustc ([\d.]+\d) or newer, while the currently active rustc version is ` +
		`([\d.]+\d)`), 1, 2},
	{"rustc", pattern.New(`rustc ([\d.]+\d)\S* is not supported by the following packages?:\n[^\n]+ requires rustc ` +
		`([\d.]+\d)`), 2, 1},
	{"ruby", pattern.New(`Your Ruby version is (\S+), but your Gemfile specified ([^\n]+)`), 2, 1},
	{"javac", pattern.New(`\berror: (?:release version|invalid (?:target|source) release:) (\d+)\b`), 1, 0},
	{"php", pattern.New(`requires php (\S+) (?:but|->) your php version \(([^;)\s]+)`), 1, 2},
}

// TooOld says which program is older than a project asks for, by what a command or a preparation printed that failed,
// and what helps: no model could mend that. "": nothing tells.
func TooOld(output string) (why, hint string) {
	for _, r := range releases {
		m := r.says.FindStringSubmatch(output)
		if m == nil {
			continue
		}
		switch {
		case r.need == 0:
			why = fmt.Sprintf("needs another %s: the one here knows no option %s", r.program, m[1])
		case r.have == 0:
			why = fmt.Sprintf("needs %s %s, and the one here is older", r.program, m[r.need])
		default:
			why = fmt.Sprintf("needs %s %s, and the one here is %s", r.program, m[r.need], m[r.have])
		}
		return why, "trials have the " + r.program + " that your PATH finds: put the directory of another release first " +
			"on it (cookoff doctor shows what trials have)"
	}
	return "", ""
}
