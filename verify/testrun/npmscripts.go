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

// packagesSay prints, for each package of a workspace that has a script of that name, a line that runs it there.
const packagesSay = `const fs = require("fs"), [name] = process.argv.slice(1);
const read = (f) => { try { return fs.readFileSync(f, "utf8"); } catch { return ""; } };
const manifest = (dir) => { try { return JSON.parse(read(dir + "/package.json")); } catch { return {}; } };
const own = manifest(".").workspaces || [], globs = Array.isArray(own) ? own : own.packages || [];
for (const m of read("pnpm-workspace.yaml").matchAll(/(?:^\s*-|[[,])\s*["']?([\w.@/*-]+)/gm)) globs.push(m[1]);
const below = (at) => { try { return fs.readdirSync(at).sort().map((d) => at + "/" + d); } catch { return []; } };
const dirs = new Set(globs.flatMap((g) => /\/\*+\/?$/.test(g) ? below(g.replace(/\/\*+\/?$/, "")) : [g]));
for (const dir of dirs) if (/^[\w.@/-]+$/.test(dir) && (manifest(dir).scripts || {})[name])
  console.log("cd ./" + dir + " && npm run -s " + name);`

// everywhere are how a call of npm or its kin says that a script is run in each package of a workspace.
var everywhere = []string{"-r", "--recursive", "-ws", "--workspaces"}

// ofWorkspaces gives the script that a call of npm or its kin runs in each package of a workspace; "": in none.
func ofWorkspaces(argv []string) string {
	if len(argv) < 3 || !slices.Contains(managers, path.Base(argv[0])) {
		return ""
	}
	all := func(w string) bool { return slices.Contains(everywhere, w) }
	if argv[1] != "workspaces" && !slices.ContainsFunc(argv, all) {
		return ""
	}
	for _, w := range argv[1:] {
		switch {
		case w == "--":
			return ""
		case w == "t":
			return "test"
		case !strings.HasPrefix(w, "-") && !slices.Contains([]string{"run", "run-script", "workspaces", "foreach"}, w):
			return w
		}
	}
	return ""
}

// askScript gives a command that prints the script that a call of npm or its kin runs; "": it can't be told.
func askScript(argv []string) string {
	if name := ofWorkspaces(argv); name != "" {
		ask, err := shell.Quote([]string{"node", "-e", packagesSay, name})
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
