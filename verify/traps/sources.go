package traps

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

var (
	// ofSources are settings that say where packages come from, or are sent to.
	ofSources = pattern.New(`(?i)^(.*[.:])?(registry|npmRegistryServer|(extra-|default-)?index(-url)?|find-links|url|` +
		`(https?-)?proxy|repository)$`)
	// ofTrust are settings by which it does not matter who answers there.
	ofTrust = pattern.New(`(?i)^(.*[.:])?(trusted-host|allow-insecure-host|cafile|cert|strict-ssl|enableStrictSsl)$`)
	// ownHost are addresses of this machine, and of files.
	ownHost = pattern.New(`(?i)^["'\[\s]*(file:|https?://(127\.|localhost\b|\[::1\]))`)
)

// elsewhere says why a setting of what installs packages is a trap; "": it is none.
func elsewhere(name, value string) string {
	value = strings.TrimSpace(value)
	switch {
	case ofSources.MatchString(name) && strings.Contains(value, "://") && !ownHost.MatchString(value):
		return "packages come from there, or are sent there, from now on"
	case ofTrust.MatchString(name) && value != "" && !strings.EqualFold(value, "true"):
		return "packages are taken from whoever answers"
	}
	return ""
}

// mise is a file of mise's in a project: most of it names versions of tools.
type mise struct{}

func (mise) Reads(p string) bool {
	return matches([]string{"**/{.,}mise{,.local}.toml", "**/.{mise,config/mise}/config.toml"}, p) &&
		!strings.HasPrefix(p, "~/")
}

var (
	// entered are the parts of such a file whose commands run when a shell comes to its directory, or a file changes.
	entered = pattern.New(`(?ms)^[ \t]*\[+[ \t]*(?:hooks|watch_files)\b[^\n]*\n.*?(?:^[ \t]*(?:\[)|\z)`)
	// loadedThen are lines that have something run then.
	loadedThen = pattern.New(`(?m)^[^\n#]*(?:\b_\.source\b|\bsource\s*=|\bhooks\.|\bexec\()[^\n]*\n?`)
)

// Settings gives what runs then, and all others as one.
func (mise) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out, all := map[string]string{}, text(f)
	for _, form := range []*pattern.Pattern{entered, loadedThen} {
		for _, part := range form.FindAllString(all, -1) {
			out["hooks"] += part
		}
		all = form.ReplaceAllString(all, "")
	}
	if others := strings.TrimSpace(all); others != "" {
		out[rest] = others
	}
	return out
}

func (mise) Runs(name, _ string) string {
	if name == rest {
		return ""
	}
	return "a shell that comes to the directory runs it"
}
