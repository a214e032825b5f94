package traps

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// npmPackage is package.json: scripts that npm starts beside others, or when
// it installs.
type npmPackage struct{}

// Reads leaves out what is installed: its scripts run when it is installed.
func (npmPackage) Reads(p string) bool {
	return base(p) == "package.json" && !strings.Contains("/"+p, "/node_modules/")
}

// Settings gives the keys of the file, those of its objects one by one.
func (npmPackage) Settings(f sandbox.Item) map[string]string {
	var top map[string]json.RawMessage
	if !regular(f) || json.Unmarshal(f.Data, &top) != nil {
		return Whole(f)
	}
	out := map[string]string{}
	for key, value := range top {
		var inner map[string]json.RawMessage
		if json.Unmarshal(value, &inner) != nil || inner == nil {
			out[key] = compact(value)
			continue
		}
		for k, v := range inner {
			out[key+"."+k] = compact(v)
		}
	}
	return out
}

func compact(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return string(v)
	}
	return b.String()
}

var lifecycle = []string{"install", "prepare", "prepublish", "prepublishOnly", "publish", "version", "dependencies",
	"restart"}

// onTheirOwn are keys by which a program that is started anyway runs another.
var onTheirOwn = []string{"husky", "pre-commit", "simple-git-hooks", "lint-staged", "gitHooks", "bin",
	"directories.bin", "gypfile"}

// narrow are keys that say how much of a package others get, and on which machines.
var narrow = []string{"exports", "files", "os", "cpu"}

// Widens reports whether a key says so in a package that is new, or that said so before: then it takes nothing away.
func Widens(name string, had map[string]string) bool {
	top, _, _ := strings.Cut(name, ".")
	if !slices.Contains(narrow, top) {
		return false
	}
	for old := range had {
		if old == top || strings.HasPrefix(old, top+".") {
			return true
		}
	}
	return len(had) == 0
}

// Runs says why a key of package.json makes npm or git start something beside the command
// that was asked for; "": it does not. Ordinary scripts run only by name.
func (npmPackage) Runs(name, value string) string {
	if name == All {
		return ""
	}
	top, script, _ := strings.Cut(name, ".")
	switch {
	case top == "scripts" && (slices.Contains(lifecycle, script) || strings.HasPrefix(script, "pre") ||
		strings.HasPrefix(script, "post")):
		return "npm starts it beside what is asked for"
	case top == "config" && strings.Contains(name, "script-shell"), slices.Contains(onTheirOwn[:5], top):
		return "it names programs that npm or git start"
	case substitutes(top, script, value):
		return "npm installs another package in the place of one that is asked for"
	case slices.Contains(narrow, top):
		return "those who install the package get or may load less of it by this"
	}
	return ""
}

// alias is a package that another one's name stands for, in an object or as a value by itself.
var alias = pattern.New(`(?:"([^"]*)":)?"npm:((?:@[^/"]+/)?[^@"/]+)`)

// substitutes reports whether a key of package.json has packages that others depend on be other packages, by name.
func substitutes(top, name, value string) bool {
	if top != "resolutions" && top != "overrides" && (top != "pnpm" || name != "overrides") {
		return false
	}
	for _, m := range alias.FindAllStringSubmatch(value, -1) {
		of := cmp.Or(m[1], name)
		if at := strings.LastIndex(of, "@"); at > 0 && of[at-1] != '/' {
			of = of[:at] // a release
		}
		isScoped := of[0] == '@' && strings.Count(of, "/") == 1
		if of != m[2] && (isScoped || !strings.HasSuffix(of, "/"+m[2]) && !strings.HasSuffix(of, ">"+m[2])) {
			return true
		}
	}
	return false
}

// npmSettings are those of npm, yarn and pnpm.
type npmSettings struct{}

func (npmSettings) Reads(p string) bool {
	switch base(p) {
	case ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpmfile.js", "bunfig.toml", ".bunfig.toml":
		return true
	}
	return strings.Contains("/"+p, "/.yarn/plugins/") || strings.Contains("/"+p, "/.yarn/releases/")
}

// Settings gives the keys of a configuration of npm or yarn; All of a file that is a
// program.
func (npmSettings) Settings(f sandbox.Item) map[string]string {
	if !regular(f) || !slices.Contains([]string{".npmrc", ".yarnrc", ".yarnrc.yml"}, base(f.Path)) {
		return Whole(f)
	}
	out := map[string]string{}
	for line := range strings.Lines(text(f)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		ends := "=: \t"
		if line[0] == '@' || strings.HasPrefix(line, "//") { // of a scope, or of a server
			ends = "= \t"
		}
		i := strings.IndexAny(line, ends)
		if i < 0 {
			i = len(line)
		}
		out[strings.Trim(line[:i], `"'`)] = strings.Trim(line[i:], "=: \t")
	}
	return out
}

func (npmSettings) Runs(name, value string) string {
	switch strings.ToLower(name) {
	case All:
		return "npm, yarn or bun runs what it holds"
	case "script-shell", "node-options", "git", "shell", "editor", "viewer", "init-module", "onload-script", "browser",
		"prefix", "userconfig", "globalconfig",
		"yarn-path", "yarnpath", "plugins", "tokenhelper", "nodeoptions":
		return "npm or yarn starts or loads what it names"
	case "ignore-scripts", "if-present", "usage", "global":
		return "it decides whether npm runs scripts"
	}
	if strings.HasSuffix(strings.ToLower(name), ":tokenhelper") {
		return "npm starts what it names"
	}
	return elsewhere(name, value)
}

// OfHooks reports whether a file says what hooks of git run that a program has to install first.
func OfHooks(p string) bool {
	return matches([]string{"**/lefthook.y*ml", "**/.lefthook.y*ml", "**/.pre-commit-config.yaml"}, p)
}

// javaScript is what Node and tools written for it load by themselves.
type javaScript struct{ wholeFiles }

func (javaScript) Reads(p string) bool {
	return matches([]string{"~/.node_repl*", "~/.noderc*", "~/.node_modules/**", "~/.node_libraries/**",
		"**/lefthook.y*ml", "**/.pre-commit-config.yaml", "**/binding.gyp"}, p) &&
		!strings.Contains(p, "history")
}

func (javaScript) Runs(string, string) string { return "a program loads it by itself" }
