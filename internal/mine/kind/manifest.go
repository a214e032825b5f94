package kind

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

var versionWord = pattern.New(`(?i)version|^\s*["']?\d+\.\d+`)

// OnlyVersion reports whether all that differs between two texts is a version.
func OnlyVersion(p, was, now string) bool {
	if !manifest.MatchString(p) && !strings.Contains(strings.ToLower(path.Base(p)), "version") &&
		path.Base(p) != "__init__.py" {
		return false
	}
	list := lines.Changed(was, now)
	return len(list) > 0 && !slices.ContainsFunc(list, func(l string) bool { return !versionWord.MatchString(l) })
}

// dependencies are the words of a manifest under which it says what is needed.
var dependencies = pattern.New(`(?i)dependenc|requires|optional-dep|install_requires`)

// Parts of manifests that say how tests are run.
var (
	section   = pattern.New(`^\[+[^\[\]]+\]+\s*([#;].*)?$`)
	runners   = pattern.New(`^\[+\s*(tool[.:](pytest|coverage|tox|hatch\.envs\.test)|coverage:|pytest\b)`)
	runnerKey = []string{"jest", "mocha", "ava", "tap", "nyc", "c8", "vitest"}
)

// OnlyRunners reports whether all that differs in a manifest is how tests are run.
func OnlyRunners(p, was, now string) bool {
	if !manifest.MatchString(p) || was == "" || now == "" || was == now {
		return false
	}
	if path.Base(p) != "package.json" {
		return withoutRunners(was) == withoutRunners(now)
	}
	var old, new map[string]json.RawMessage
	if json.Unmarshal([]byte(was), &old) != nil || json.Unmarshal([]byte(now), &new) != nil {
		return false
	}
	for _, k := range runnerKey {
		delete(old, k)
		delete(new, k)
	}
	return maps.EqualFunc(old, new, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// withoutRunners gives the lines of a manifest but those of sections of runners.
func withoutRunners(text string) string {
	var b strings.Builder
	within := false
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if section.MatchString(l) {
			within = runners.MatchString(l)
		}
		if !within && l != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// NeedsDiffer reports whether what differs in a manifest is what the project needs: a
// line within such a list, or one that names a version of something.
func NeedsDiffer(was, now string) bool {
	return lists(was) != lists(now)
}

// lists gives the parts of a manifest that say what is needed.
func lists(text string) string {
	var b strings.Builder
	within, indent := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		depth := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case dependencies.MatchString(line):
			within, indent = true, depth
		case strings.TrimSpace(line) != "" && within && depth <= indent && strings.ContainsAny(line[:min(depth+1, len(line))],
			"}])["):
			within = strings.HasPrefix(strings.TrimSpace(line), "[") && dependencies.MatchString(line)
		}
		if within {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
