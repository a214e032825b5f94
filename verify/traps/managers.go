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
	// rotated is a script of logrotate's.
	rotated = pattern.New(`(?ms)^[ \t]*(prerotate|postrotate|firstaction|lastaction|preremove)\b(.*?)^[ \t]*endscript\b[^\n]*\n?`)
	// signs are those before a command of a unit that say how it is run.
	signs = pattern.New(`^[ \t]*[-@:+!|]*`)
)

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
			out[m[1]] += signs.ReplaceAllString(m[2], "") + "\n"
		}
		all = form.ReplaceAllString(all, "")
	}
	if others := strings.TrimSpace(all); others != "" {
		out[rest] = others
	}
	return out
}

// tending are commands that only tell a service something, or make room for it.
var tending = strings.Fields(`kill pkill killall systemctl service invoke-rc.d rc-service nginx apachectl apache2ctl
	mkdir install chown chmod ln touch sleep wait`)

func (managers) Runs(name, value string) string {
	if name == rest {
		return ""
	}
	names := more(nil, calls(value))
	if name == All || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(tending, n) }) {
		return "whoever starts the service or rotates the logs runs it as well"
	}
	return ""
}
