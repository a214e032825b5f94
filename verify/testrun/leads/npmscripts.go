package leads

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// managers run a script of package.json, runAll several.
var (
	managers = []string{"npm", "pnpm", "yarn", "bun"}
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
	switch w := argv[at]; {
	case (w == "test" || w == "t") && path.Base(argv[0]) != "bun": // which has a runner of its own
		return "test", rest
	case w == "run", w == "run-script":
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
		return quoted(slices.Concat([]string{"node", "-e", packagesSay, before}, names))
	}
	name, rest := scriptOf(argv)
	if name == "" {
		return ""
	}
	around := "1"
	if slices.Contains(argv, "--ignore-scripts") {
		around = ""
	}
	return quoted([]string{"node", "-e", scriptSays, name, quoted(handedOn(argv[0], rest)), around})
}

// ofNode is a script of package.json: programs of the project's packages come first.
func ofNode(argv []string, printed string) string {
	if slices.Contains(managers, path.Base(argv[0])) && !OfPackages(argv) {
		return `PATH=$PWD/node_modules/.bin:$PATH` + "\n" + printed
	}
	return printed
}

// mayRunScript reports whether a call runs a script of package.json, or may.
func mayRunScript(argv []string) bool {
	if len(argv) < 2 {
		return false
	}
	name, _ := scriptOf(argv)
	return OfPackages(argv) || slices.Contains(argv, "") || // which is known only when it runs
		name != "" && slices.Contains(managers, path.Base(argv[0]))
}

// OfPackages reports whether a call runs a script in each package of a workspace: what Script gives is a line for each,
// none of which needs another.
func OfPackages(argv []string) bool {
	names, _ := ofWorkspaces(argv)
	return len(names) > 0
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
