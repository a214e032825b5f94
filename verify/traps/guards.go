package traps

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// guards are files of a machine's settings, also in a project that holds some, that say who is let in, who may do what,
// and what is started, removed or opened when it starts. Lines that let somebody in, or do such a thing, count one by
// one.
type guards struct{}

// letting are the lines of guards that weaken something, by the files in which they do.
var letting = []struct {
	files []string
	lines *pattern.Pattern
	does  string
}{
	{[]string{"**/sshd_config", "**/sshd_config.d/*"}, pattern.New(`(?i)^\s*(PermitRootLogin\s+yes|` +
		`PermitEmptyPasswords\s+yes|PasswordAuthentication\s+yes|StrictModes\s+no|PermitUserEnvironment\s+yes|` +
		`AuthorizedKeys(Command|File)\s+/tmp|HostbasedAuthentication\s+yes)`), "it lets in who was kept out"},
	{[]string{"**/sudoers", "**/sudoers.d/*", "**/doas.conf"}, pattern.New(`(?i)^[^#]*(=\s*(\([^)]*\))?\s*` +
		`(\w+:\s*)*ALL\s*$|!authenticate)|^\s*permit\s+nopass\s+(\S+\s*$|keepenv)`), "it lets somebody do everything"},
	{[]string{"**/pam.d/*"}, pattern.New(`^[^#]*\bpam_(permit|exec|rootok)\.so\b`), "it lets in who was kept out"},
	{[]string{"**/{polkit-1,polkit}/**"}, pattern.New(`(?i)polkit\.Result\.YES|^\s*ResultAny\s*=\s*yes`),
		"it lets somebody do everything"},
	{[]string{"**/udev/rules.d/*"}, pattern.New(`(?i)\bRUN(\{\w+\})?\s*\+?:?=|\bMODE:?="0?[0-7][0-7][2367]"`),
		"a machine runs it"},
	{[]string{"**/tmpfiles.d/*"}, pattern.New(`^\s*([rRD][!+^-]*\s+/(?:[^t\s]|t[^m])\S*|` +
		`\w[!+^-]*\s+/(?:[^t\s]|t[^m])\S*\s+[02-7]?[0-7][0-7][2367]\s)`), "a machine removes or opens it when it starts"},
	{[]string{"**/logrotate.conf", "**/{,.}logrotate.d/**", "**/*.logrotate", "**/logrotate/**"},
		pattern.New(`^\s*(create|createolddir)\s+0?[0-7][0-7][2367]\b`), "all may write what it makes"},
}

// Reads leaves out files of other tools that are read for more than this.
func (guards) Reads(p string) bool {
	for _, g := range letting[:len(letting)-1] {
		if matches(g.files, p) {
			return true
		}
	}
	return false
}

func (guards) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	return lets(f)
}

// lets gives the lines of a file that weaken something, each by itself, and the others as one.
func lets(f sandbox.Item) map[string]string {
	out := map[string]string{}
	for _, g := range letting {
		if !matches(g.files, f.Path) {
			continue
		}
		for line := range strings.Lines(text(f)) {
			words := strings.Join(strings.Fields(line), " ")
			if g.lines.MatchString(line) {
				out[words] = g.does
			} else if words != "" {
				out[rest] += words + "\n"
			}
		}
	}
	return out
}

func (guards) Runs(name, does string) string {
	switch name {
	case rest:
		return ""
	case All:
		return "a machine obeys it"
	}
	return does
}
