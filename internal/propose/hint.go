package propose

import (
	"cookoff/internal/diagnose"
	"cookoff/internal/pattern"
)

// lacks are what programs say that miss something which the sandbox, without a
// network, can't fetch, what helps, and what gets it.
var lacks = []struct {
	says *pattern.Pattern
	hint string
	gets func(f files, output string) Preparation
}{
	{pattern.New(`module lookup disabled by GOPROXY=off`),
		"trials have no network and see no module cache but the task's own: prepare: go mod download fills it, " +
			"or go mod vendor puts what is needed into the project", getGo},
	{pattern.New(`GOFLAGS=-mod=mod|missing go\.sum entry|cannot find module providing`),
		"trials have no network: go mod tidy, before cookoff, names what is needed", nil},
	{pattern.New(
		`Cannot find (module|package) '[^./]|ERR_MODULE_NOT_FOUND|node_modules/\.bin/\S+: No such file|` +
			`: not found\n.*npm|(jest|vitest|mocha|tsc|ava|tap): (command )?not found`),
		"trials have no network: prepare: npm ci, or npm install before cookoff, puts what is needed into node_modules",
		getNode},
	{pattern.New(`No module named |ModuleNotFoundError|\bNo matching distribution found for `),
		"trials see the project's .venv, what prepare: makes, or the interpreter that your PATH finds: " +
			"install what is missing " +
			"there (python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)", getPython},
	{pattern.New(`Unable to access jarfile \S*gradle-wrapper|services\.gradle\.org`),
		"gradlew fetches Gradle by a network, which trials don't have: gradle-wrapper.jar has to be in the " +
			"project, and " +
			"Gradle below tool_paths or got by prepare: (--prepare); or --test-command 'gradle --offline test'", getGradle},
	{pattern.New(`(?i)no matching package named|failed to (get|download|load source)|crates\.io`),
		"trials have no network: prepare: cargo fetch --locked, or cargo vendor, gets what is needed", getRust},
	{pattern.New(`(?i)offline mode|could not resolve (dependencies|all)|no cached version`),
		"trials have no network: what mvn or gradle fetch must be got by prepare:, or lie in the project or " +
			"below tool_paths",
		getJava},
}

// Hint says what a test command that failed probably lacks, by its output; ""
// where nothing tells.
func Hint(output string) string {
	for _, l := range lacks {
		if l.says.MatchString(output) {
			return l.hint
		}
	}
	if program := diagnose.NotFound(output); program != "" {
		return program + " is in no directory of your PATH that sandboxes see: install it there, or name a command that " +
			"does without it (--test-command)"
	}
	return ""
}
