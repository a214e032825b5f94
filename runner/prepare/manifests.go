package prepare

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"

	"cookoff/internal/pattern"
)

// idle are what a package.json says that no installation looks at: what the package is called for, where it is
// published, and what tools do with its own files.
var idle = []string{"version", "description", "keywords", "author", "contributors", "maintainers", "repository", "bugs",
	"homepage", "funding", "license", "main", "module", "types", "typings", "browser", "exports", "sideEffects", "files",
	"directories", "unpkg", "jsdelivr", "publishConfig", "eslintConfig", "eslintIgnore", "prettier", "standard", "xo",
	"lint-staged", "nyc", "c8", "jest", "mocha", "ava", "tap", "testling", "auto-changelog"}

// atInstall are scripts that an installation runs, which may look at all of a package.
var atInstall = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare",
	"pnpm:devPreinstall", "dependencies"}

// runsScript is a command that may run a script of the package, beside those of an installation.
var runsScript = pattern.New(`\b(run|run-script|exec|test|rebuild|dlx|node|npx)\b|[;&|]`)

// relevant gives what of a lockfile tells what a command makes. A package.json that is the project's only one and has no
// script that an installation runs tells it without its version, its own scripts and what else is idle: a release
// that changes these is not prepared anew.
func relevant(command, file string, text []byte, locks []string) []byte {
	one := func(l string) bool { return filepath.Base(l) == "package.json" }
	at := slices.IndexFunc(locks, one)
	if file != "package.json" || runsScript.MatchString(command) || at < 0 || slices.IndexFunc(locks[at+1:], one) >= 0 {
		return text
	}
	// Two keys alike, or what is no JSON, is for the command to understand.
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil || all["workspaces"] != nil {
		return text
	}
	var scripts map[string]string
	if json.Unmarshal(all["scripts"], &scripts) != nil && all["scripts"] != nil {
		return text
	}
	for _, name := range atInstall {
		if _, is := scripts[name]; is {
			return text
		}
	}
	for _, key := range append(slices.Clone(idle), "scripts") {
		delete(all, key)
	}
	var b bytes.Buffer
	if json.NewEncoder(&b).Encode(all) != nil {
		return text
	}
	return b.Bytes()
}
