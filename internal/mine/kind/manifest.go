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

// saysVersion is a line that says a version, and nothing else: a name for it, or several, and numbers. Code that has
// to do with versions is code.
var saysVersion = pattern.New(`(?i)^[\w\s"'@$.,*&(#<>:\[\]-]*?version` +
	`(?:[_-]?(?:info|tuple|string|code|number|major|minor|patch|micro))?[_"']*` +
	`(?:\s*:\s*[\w&' .]+?)?\s*(?:[:=]+>?\s*[\w.]*version\w*\s*)*(?:(?::|:?=|=>)\s*|\s+)` +
	number + `\s*[);,}]*\s*(?:(?:#|//).*)?$|^\s*` + number + `\s*,?$`)

// number is a version itself, in quotes or without, or its parts.
const number = `\(?\s*["']?[v^~=]?\d[\w.+-]*["']?(?:\s*,\s*["']?[\w.+-]+["']?)*\s*\)?`

// OnlyVersion reports whether all that differs between two texts is a version.
func OnlyVersion(p, was, now string) bool {
	if !manifest.MatchString(p) && !strings.Contains(strings.ToLower(path.Base(p)), "version") &&
		path.Base(p) != "__init__.py" {
		return false
	}
	list := lines.Changed(was, now)
	return len(list) > 0 && !slices.ContainsFunc(list, func(l string) bool { return !saysVersion.MatchString(l) })
}

// dependencies are the words of a manifest under which it says what is needed.
var dependencies = pattern.New(`(?i)dependenc|requires|optional-dep|install_requires`)

// Parts of manifests that say how tests are run.
var (
	section   = pattern.New(`^\[+[^\[\]]+\]+\s*([#;].*)?$`)
	runners   = pattern.New(`^\[+\s*(tool[.:](pytest|coverage|tox|hatch\.envs\.test)|coverage:|pytest\b|test\s*\]\])`)
	runnerKey = []string{"jest", "mocha", "ava", "tap", "nyc", "c8", "vitest"}
	// testScript are scripts that run tests.
	testScript = pattern.New(`^(pre|post)?(tests?|unit|mocha|jest|ava|tap|tape|vitest|coverage)([:-].*)?$`)
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
	for _, all := range []map[string]json.RawMessage{old, new} {
		var scripts map[string]string
		if json.Unmarshal(all["scripts"], &scripts) != nil {
			continue
		}
		maps.DeleteFunc(scripts, func(name, _ string) bool { return testScript.MatchString(name) })
		all["scripts"], _ = json.Marshal(scripts)
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
