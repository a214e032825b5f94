package traps

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// managers are what starts services and rotates logs: commands in their files run beside what they are asked for.
type managers struct{}

func (managers) Reads(p string) bool {
	return matches([]string{"**/*.{service,socket,timer,mount}", "**/*.{service,socket,timer,mount}.d/*.conf",
		"**/logrotate.conf", "**/{,.}logrotate.d/**",
		"**/*.logrotate", "**/logrotate/**"}, p)
}

var (
	// beside is a command of a unit that runs before or after a service, or in the place of another signal to it.
	beside = pattern.New(`(?m)^[ \t]*(Exec(?:StartPre|StartPost|Stop|StopPost|Reload|Condition))[ \t]*=((?:[^\n]*\\\n)*[^\n]*)\n?`)
	// instead is what a unit starts in the place of the service of its name, or does to the machine.
	instead = pattern.New(`(?m)^[ \t]*(Unit|(?:Success|Failure|JobTimeout|StartLimit)Action)[ \t]*=[ \t]*([^\n]*)\n?`)
	// ofService are commands of a unit's service itself: that is what units are for, but for what takes something away or
	// opens it to everybody.
	ofService = pattern.New(`(?m)^[ \t]*ExecStart[ \t]*=((?:[^\n]*\\\n)*[^\n]*)`)
	// rights are what a unit says of the rights of its service.
	rights = pattern.New(`(?mi)^[ \t]*(User|Group|NoNewPrivileges|UMask)[ \t]*=[ \t]*` +
		`["']?(root|no|false|off|0*)["']?[ \t]*$`)
	// timesOf are those at which a timer starts; an empty one takes back those before it.
	timesOf = pattern.New(`(?m)^[ \t]*On(?:Calendar|\w+Sec|\w+Change)[ \t]*=[ \t]*([^\n]*)$`)
	// never is a condition that does not hold.
	never = pattern.New(`^\s*(?:/usr)?(?:/bin/)?false\s*$|\bexit [1-9]`)
	// rotated is a script of logrotate's.
	rotated = pattern.New(`(?ms)^[ \t]*(prerotate|postrotate|firstaction|lastaction|preremove)\b(.*?)^[ \t]*endscript\b[^\n]*\n?`)
	// signs are those before a command of a unit that say how it is run.
	signs = pattern.New(`^[ \t]*[-@:+!|]*`)
)

// unindented is a script without what only sets it out: white space around its lines, lines of nothing, and remarks.
func unindented(script string) string {
	var lines []string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Settings gives commands and scripts one by one, and all others as one.
func (managers) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out, all := map[string]string{}, text(f)
	own := strings.TrimSuffix(base(f.Path), path.Ext(f.Path))
	all = instead.ReplaceAllStringFunc(all, func(line string) string {
		m := instead.FindStringSubmatch(line)
		if value := strings.TrimSpace(m[2]); value != "none" && value != own+".service" {
			out[m[1]+"="] += value + "\n"
			return ""
		}
		return line
	})
	for _, form := range []*pattern.Pattern{beside, rotated} {
		for _, m := range form.FindAllStringSubmatch(all, -1) {
			out[m[1]] += unindented(signs.ReplaceAllString(m[2], "")) + "\n"
		}
		all = form.ReplaceAllString(all, "")
	}
	for _, m := range ofService.FindAllStringSubmatch(all, -1) {
		for _, what := range later(signs.ReplaceAllString(m[1], "")) {
			out[harmful+what] = what
		}
	}
	for _, m := range rights.FindAllStringSubmatch(all, -1) {
		out[harmful+m[1]] = m[1] + " " + m[2]
	}
	if all := timesOf.FindAllStringSubmatch(all, -1); all != nil && all[len(all)-1][1] == "" {
		out[harmful+"no time at which it starts"] = "none"
	}
	if others := strings.TrimSpace(all); others != "" {
		out[rest] = others
	}
	for name, does := range lets(f) {
		if name != rest {
			out[harmful+does] = name
		}
	}
	return out
}

// harmful begins the names of settings of units, and of logrotate, that do harm whatever command they name.
const harmful = "harm "

// tending are commands that only tell a service something, or make room for it.
var tending = strings.Fields(`kill pkill killall systemctl service invoke-rc.d rc-service nginx apachectl apache2ctl
	mkdir install chown chmod ln touch sleep wait`)

func (managers) Runs(name, value string) string {
	if name == rest {
		return ""
	}
	if what, is := strings.CutPrefix(name, harmful); is {
		return "whoever starts the service or rotates the logs does this: " + what
	}
	if name == "ExecCondition" && never.MatchString(value) {
		return "with it the service never starts"
	}
	names := more(nil, calls(value))
	if name == All || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(tending, n) }) {
		return "whoever starts the service or rotates the logs runs it as well"
	}
	return ""
}
