// Package diagnose reads what a test command printed that failed, and says why: what it lacks, what it misnames, or
// that no repair could make it succeed.
package diagnose

import (
	"strings"

	"cookoff/internal/pattern"
)

// outside is what programs say that want something which no sandbox has, and what helps.
var outside = []struct {
	says *pattern.Pattern
	hint string
}{
	{pattern.New(`(?i)(^|[\s/'"])\.env(\.\w+)?['"]?[:\s].{0,40}(not found|no such file|does not exist|ENOENT)|` +
		`(not found|no such file|ENOENT|couldn.t find|can.t find).{0,80}[\s/'"]\.env\b`),
		"trials see no .env file, for it may hold keys: a command that sets what tests need does without it " +
			"(--test-command 'NAME=value …'), and so does env: of a task (cookoff help docs/recipe-format.md)"},
	{pattern.New(`(?i)docker daemon|docker\.sock|run 'docker --help'|'compose' is not a docker command|` +
		`(docker|docker-compose|podman): (command )?not found|cannot connect to podman|testcontainers`),
		"no engine of containers works inside a sandbox: --test-command names tests that run without one, and " +
			"services of a task start what they need (cookoff help docs/worlds.md)"},
	{pattern.New(`(?i)(ECONNREFUSED|connection refused|connect to server|can.t connect).{0,120}\b(5432|3306|6379|27017|` +
		`postgres\w*|mysql|mariadb|redis|mongo\w*)\b|\b(5432|3306|6379|27017|postgres\w*|mysql|mariadb|redis|mongo\w*)\b` +
		`.{0,120}(ECONNREFUSED|connection refused|can.t connect)`),
		"trials reach no database of this machine: --test-command names tests that run without one, and a " +
			"service of the task starts one in the trial's world (cookoff help docs/worlds.md)"},
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
	if m := notFoundByMake.FindStringSubmatch(output); m != nil && exit != 0 {
		return m[1]
	}
	if exit != 127 && !endedMake.MatchString(output) {
		return ""
	}
	return NotFound(output)
}

// notFoundByMake is how make says so of a line that it runs itself, without a shell, and endedMake of one that a shell
// did not find.
var (
	notFoundByMake = pattern.New(`(?m)^g?make(?:\[\d+\])?: ([\w@+-][\w.@+-]*): (?:No such file or directory|` +
		`Command not found|Permission denied)\ng?make(?:\[\d+\])?: \*\*\* \[.*\] Error 127$`)
	endedMake = pattern.New(`(?m)^g?make: \*\*\* \[.*\] Error 127$`)
)

// NotFound names the program that a shell did not find, by the output; "": it says of none.
func NotFound(output string) string {
	if m := notFound.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return ""
}

var notFound = pattern.New(`(?m)^\S*sh: (?:line )?\d+: ([\w@+-][\w.@+-]*): (?:command )?not found$`)

// absent is how a shell says, in the middle of a line, that a program is not there.
var absent = pattern.New(`sh: (?:line )?\d+: ([\w@+-][\w.@+-]*): (?:command )?not found`)

// UnmetByPip is what pip says that finds no package it may take.
var UnmetByPip = pattern.New(`\bNo matching distribution found for `)

// Lacks says what helps where a line of a preparation's or of tests tells what this machine lacks; "": it does not.
func Lacks(said string) string {
	if m := absent.FindStringSubmatch(said); m != nil {
		return m[1] + " is in no directory of your PATH that sandboxes see: install it, or put its directory on PATH"
	}
	if UnmetByPip.MatchString(said) {
		return "pip gets packages as the tests run, and worlds have no network: --test names the command that runs the " +
			"tests themselves, --prepare the one that gets what they need"
	}
	if strings.Contains(said, "crates.io") {
		return "worlds have no network: --prepare 'cargo fetch' gets what Cargo.toml names"
	}
	return ""
}
