package propose

import (
	"strings"

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
	if m := notFound.FindStringSubmatch(output); m != nil {
		return m[1] + " is in no directory of your PATH that sandboxes see: install it there, or name a command that " +
			"does without it (--test-command)"
	}
	return ""
}

// outside is what programs say that want something which no sandbox has, and what helps.
var outside = []struct {
	says *pattern.Pattern
	hint string
}{
	{pattern.New(`(?i)(^|[\s/'"])\.env(\.\w+)?['"]?[:\s].{0,40}(not found|no such file|does not exist|ENOENT)|` +
		`(not found|no such file|ENOENT|couldn.t find|can.t find).{0,80}[\s/'"]\.env\b`),
		"trials see no .env file, for it may hold keys: a command that sets what tests need does without it " +
			"(--test-command 'NAME=value …'), and so does env: of a task (docs/recipe-format.md)"},
	{pattern.New(`(?i)docker daemon|docker\.sock|run 'docker --help'|'compose' is not a docker command|` +
		`(docker|docker-compose|podman): (command )?not found|cannot connect to podman|testcontainers`),
		"no engine of containers works inside a sandbox: --test-command names tests that run without one, and " +
			"services of a task start what they need (docs/worlds.md)"},
	{pattern.New(`(?i)(ECONNREFUSED|connection refused|connect to server|can.t connect).{0,120}\b(5432|3306|6379|27017|` +
		`postgres\w*|mysql|mariadb|redis|mongo\w*)\b|\b(5432|3306|6379|27017|postgres\w*|mysql|mariadb|redis|mongo\w*)\b` +
		`.{0,120}(ECONNREFUSED|connection refused|can.t connect)`),
		"trials reach no database of this machine: --test-command names tests that run without one, and a " +
			"service of the task starts one in the trial's world (docs/worlds.md)"},
}

// Outside says what to do where a command failed for want of something that no sandbox has, by its
// output: no model could mend that; "": nothing tells.
func Outside(output string) string {
	for _, o := range outside {
		if o.says.MatchString(output) {
			return o.hint
		}
	}
	return ""
}

// Missing names the program for want of which a command ended as it did, "" where that
// is not so.
func Missing(exit int, output string) string {
	if m := notFound.FindStringSubmatch(output); m != nil && exit == 127 {
		return m[1]
	}
	return ""
}

var notFound = pattern.New(`(?m)^\S*sh: (?:line )?\d+: ([\w@+-][\w.@+-]*): (?:command )?not found$`)

// absent is how a shell says, in the middle of a line, that a program is not there.
var absent = pattern.New(`sh: (?:line )?\d+: ([\w@+-][\w.@+-]*): (?:command )?not found`)

// Lacks says what helps where a line of a preparation's or of tests tells what this machine lacks; "": it does not.
func Lacks(said string) string {
	if m := absent.FindStringSubmatch(said); m != nil {
		return m[1] + " is in no directory of your PATH that sandboxes see: install it, or put its directory on PATH"
	}
	if pipped.MatchString(said) {
		return "pip gets packages as the tests run, and worlds have no network: --test names the command that runs the " +
			"tests themselves, --prepare the one that gets what they need"
	}
	if strings.Contains(said, "crates.io") {
		return "worlds have no network: --prepare 'cargo fetch' gets what Cargo.toml names"
	}
	return ""
}
