package testrun

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// managers run a script of package.json, runAll several.
var (
	managers = []string{"npm", "pnpm", "yarn"}
	runAll   = []string{"run-s", "npm-run-all"}
)

// quietly are flags of managers that stand in front of what they are told to do.
var quietly = pattern.New(`^(-s|-q|--silent|--quiet)$`)

// scriptOf gives the script that a call of npm or its kin runs, and the words behind it; "": none.
func scriptOf(argv []string) (name string, rest []string) {
	at := 1
	for at < len(argv) && quietly.MatchString(argv[at]) {
		at++
	}
	if at == len(argv) {
		return "", nil
	}
	rest = argv[at+1:]
	switch argv[at] {
	case "test", "t":
		return "test", rest
	case "run", "run-script":
		for i, w := range rest {
			if !quietly.MatchString(w) {
				return w, rest[i+1:]
			}
		}
	}
	return "", nil
}

// scriptSays prints the script of a package.json that is named first, with what is handed on behind it, between those
// that npm runs before and after it.
const scriptSays = `const all = JSON.parse(require("fs").readFileSync("package.json", "utf8")).scripts || {};
const [name, more, around] = process.argv.slice(1), of = (n) => around && all[n] ? "{ " + all[n] + "\n}" : "";
if (all[name]) process.stdout.write([of("pre" + name), (all[name] + " " + more).trim(), of("post" + name)]
  .filter((s) => s).join(" &&\n"));`

// askScript gives a command that prints the script that a call of npm or its kin runs; "": it can't be told.
func askScript(argv []string) string {
	if names, before := ofWorkspaces(argv); len(names) > 0 {
		ask, err := shell.Quote(slices.Concat([]string{"node", "-e", packagesSay, before}, names))
		if err != nil {
			return ""
		}
		return ask
	}
	name, rest := scriptOf(argv)
	more, err := shell.Quote(handedOn(argv[0], rest))
	if err != nil || name == "" {
		return ""
	}
	around := "1"
	if slices.Contains(argv, "--ignore-scripts") {
		around = ""
	}
	ask, err := shell.Quote([]string{"node", "-e", scriptSays, name, more, around})
	if err != nil {
		return ""
	}
	return ask
}

// handedOn are the arguments that npm and its kin put behind a script of package.json: npm those behind two dashes.
func handedOn(by string, rest []string) []string {
	at := slices.Index(rest, "--")
	if path.Base(by) == "npm" && at < 0 {
		return nil
	}
	if path.Base(by) == "npm" || at == 0 {
		return rest[at+1:]
	}
	return rest
}

// oneAfterAnother are the arguments of npm-run-all with which it runs scripts one after another, each by its name.
var oneAfterAnother = pattern.New(`^(-s|-n|-l|-c|--serial|--sequential|--silent|--print-name|--print-label|` +
	`--continue-on-error|[\w.-]+(:[\w.-]+)*)$`)

// runsScripts gives the calls of npm that a call of npm-run-all or run-s comes to; "": it can't be told.
func runsScripts(argv []string) string {
	var calls []string
	for _, w := range argv[1:] {
		if !oneAfterAnother.MatchString(w) {
			return ""
		}
		if !strings.HasPrefix(w, "-") {
			calls = append(calls, "npm run "+w)
		}
	}
	return strings.Join(calls, " && ")
}
