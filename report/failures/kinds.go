package failures

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/trial"
)

// kind is a sort of files, which have other names in other tasks, and the programs whose
// work they are.
type kind struct {
	name  string
	files *pattern.Pattern
	by    []string
}

var kinds = []kind{
	{"the lockfile", pattern.New(`(^|/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|` +
		`bun\.lockb?|Cargo\.lock|go\.sum|(poetry|uv|pdm|mix|flake|pixi)\.lock|(Pipfile|Gemfile|composer)\.lock|` +
		`gradle\.lockfile|packages\.lock\.json)$`),
		[]string{"npm", "npx", "yarn", "pnpm", "bun", "cargo", "go", "poetry", "uv", "pdm", "pipenv", "pixi", "bundle",
			"bundler", "composer", "mix", "nix", "gradle", "gradlew", "dotnet"}},
	{"tests", pattern.New(`(^|/)((tests?|__tests__|spec)/.*|test_[^/]*\.py|` +
		`[^/]*(_test|_spec|\.test|\.spec)\.[a-z]+)$`), nil},
	{"the repository's own files", pattern.New(`(^|/)\.git/`), []string{"git"}},
	{"what was installed", pattern.New(`(^|/)(node_modules|site-packages|vendor|\.venv|venv)/`),
		[]string{"npm", "npx", "yarn", "pnpm", "bun", "pip", "pip3", "python", "python3", "uv", "poetry", "pdm", "go",
			"composer", "bundle", "cargo"}},
}

// kindWords says what a move does to files of one kind, all of them; "": to others.
func kindWords(m trial.Move) string {
	for _, k := range kinds {
		if len(m.Paths) == 0 || slices.ContainsFunc(m.Paths, func(p string) bool { return !k.files.MatchString(p) }) {
			continue
		}
		programs := programsOf(m)
		for _, p := range programs {
			if slices.Contains(k.by, p) {
				return "changed " + k.name + " by " + p
			}
		}
		if slices.Contains(programs, "rm") || slices.Contains(programs, "unlink") {
			return "removed " + k.name
		}
		return "edited " + k.name + " by hand"
	}
	return ""
}

// betweenCommands parts the commands of a script.
var betweenCommands = pattern.New(`&&|\|\||[;|&\n({]`)

// programsOf are the programs that the commands of a move begin with, roughly: a script
// is not parsed.
func programsOf(m trial.Move) (out []string) {
	var args struct{ Command string }
	if json.Unmarshal(m.Args, &args) != nil {
		return nil
	}
	for _, part := range betweenCommands.Regexp().Split(args.Command, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || slices.Contains(before, words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			out = append(out, path.Base(words[0]))
		}
	}
	return out
}

// before are words that may stand before a program.
var before = []string{"sudo", "env", "exec", "time", "then", "do", "else", "if", "!", "nice", "command"}
