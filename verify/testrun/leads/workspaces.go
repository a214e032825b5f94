package leads

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// builders run scripts of a workspace's packages, each behind those that it depends on.
var builders = []string{"turbo", "nx", "lerna"}

// packagesSay prints, for each package of a workspace that has the last of the scripts that are named, a line that runs
// them there: behind what a builder's settings say that this one depends on, which the builder runs itself.
const packagesSay = `const fs = require("fs"), [builder, ...names] = process.argv.slice(1), name = names.at(-1);
const read = (f) => { try { return fs.readFileSync(f, "utf8"); } catch { return ""; } };
const parsed = (f) => { try { return JSON.parse(read(f)); } catch { return {}; } };
const manifest = (dir) => parsed(dir + "/package.json");
const listed = (of) => Array.isArray(of) ? of : of && of.packages || [];
const globs = [...listed(manifest(".").workspaces), ...listed(parsed("lerna.json"))];
for (const m of read("pnpm-workspace.yaml").matchAll(/(?:^\s*-|[[,])\s*["']?([\w.@/*-]+)/gm)) globs.push(m[1]);
const below = (at) => { try { return fs.readdirSync(at).sort().map((d) => at + "/" + d); } catch { return []; } };
const dirs = new Set(globs.flatMap((g) => /\/\*+\/?$/.test(g) ? below(g.replace(/\/\*+\/?$/, "")) : [g]));
const turbo = parsed("turbo.json"), tasks = turbo.tasks || turbo.pipeline || parsed("nx.json").targetDefaults || {};
const needs = builder ? [(tasks[name] || {}).dependsOn || []].flat() : [];
const first = needs.filter((n) => typeof n === "string").map((n) => n.replace(/^\^/, ""))
  .filter((n) => /^\w[\w:.-]*$/.test(n) && n !== name);
const run = first.length ? builder + (/nx$/.test(builder) ? " run-many -t " : " run ") + first.join(" ") + " && " : "";
for (const dir of dirs) {
  const has = manifest(dir).scripts || {};
  if (/^[\w.@/-]+$/.test(dir) && has[name])
    console.log(run + "cd ./" + dir + names.filter((n) => has[n]).map((n) => " && npm run -s " + n).join(""));
}`

// everywhere are how a call of npm or its kin says that a script is run in each package of a workspace.
var everywhere = []string{"-r", "--recursive", "-ws", "--workspaces"}

// ofWorkspaces gives the scripts that a call of npm or its kin, or of a builder, runs in each package of a workspace,
// one after another, and the builder, as it is called; none: it runs none in all of them.
func ofWorkspaces(argv []string) (names []string, builder string) {
	if len(argv) > 1 && slices.Contains(packaged, path.Base(argv[0])) {
		if names, builder = ofBuilder(argv[1:]); builder != "" {
			builder = argv[0] + " " + builder
		}
		return names, builder
	}
	if len(argv) < 2 || slices.Contains(builders, path.Base(argv[0])) {
		return ofBuilder(argv)
	}
	if len(argv) < 3 || !slices.Contains(managers, path.Base(argv[0])) {
		return nil, ""
	}
	all := func(w string) bool { return slices.Contains(everywhere, w) }
	if argv[1] != "workspaces" && !slices.ContainsFunc(argv, all) {
		return nil, ""
	}
	for _, w := range argv[1:] {
		switch {
		case w == "--":
			return nil, ""
		case w == "t":
			return []string{"test"}, ""
		case !strings.HasPrefix(w, "-") && !slices.Contains([]string{"run", "run-script", "workspaces", "foreach"}, w):
			return []string{w}, ""
		}
	}
	return nil, ""
}

// Of a call of a builder: its flags that name some packages alone, or hand words on; those whose value is the next
// word; and what is the name of a script.
var (
	someOnly = pattern.New(`^(-F|-p|--(filter|affected|scope|since|ignore|projects?|exclude|include\S*)(=.*)?|--)$`)
	waiting  = pattern.New(`^--(concurrency|parallel|output-?[sS]tyle|output-logs|log-order|ui|env-mode|cache-dir)$`)
	script   = pattern.New(`^[A-Za-z_][\w:.,-]*$`)
)

// ofBuilder is ofWorkspaces of a call of turbo, nx or lerna.
func ofBuilder(argv []string) (names []string, builder string) {
	if len(argv) < 2 || !slices.Contains(builders, path.Base(argv[0])) ||
		slices.ContainsFunc(argv, someOnly.MatchString) {
		return nil, ""
	}
	rest := argv[1:]
	switch by := path.Base(argv[0]); {
	case rest[0] == "run" && by != "nx", rest[0] == "run-many" && by == "nx":
		rest = rest[1:]
	case by != "turbo": // which runs a script without a word before it
		return nil, ""
	}
	for i, w := range rest {
		for _, flag := range []string{"--target=", "--targets=", "-t="} {
			w = strings.TrimPrefix(w, flag)
		}
		if !strings.HasPrefix(w, "-") && script.MatchString(w) && (i == 0 || !waiting.MatchString(rest[i-1])) {
			names = append(names, strings.Split(w, ",")...)
		}
	}
	return names, argv[0]
}
