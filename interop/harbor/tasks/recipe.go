package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/recipe"
	"cookoff/verify/testrun"
)

// Recipe is a recipe of tasks, as Markdown. It names the baselines: contestants are
// added by who runs it.
func Recipe(name string, ts []Task) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nversion: 1\n\n", line(name))
	b.WriteString("<!-- Made of tasks for Harbor, by cookoff convert harbor. -->\n\n")
	b.WriteString("## Models\n- baseline/noop\n- baseline/oracle\n\n## Tasks\n")
	for _, t := range ts {
		t.write(&b)
	}
	return []byte(b.String())
}

// line is a text as one line of a heading.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// write appends the task as a section of a recipe: what the agent is told, setup, check and
// solution as fenced blocks, then its keys.
func (t Task) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n", line(t.Name))
	told := t.Instruction
	if t.Root != "" && t.Workdir != "/" { // no world begins there
		told += "\n\nThe working directory of this task is " + t.Workdir + "."
	}
	fence(b, "text verbatim", told)
	b.WriteString("\n")
	setup := []string{"set -e # lint: allow no-before: nothing in the task says what is broken; its tests do"}
	if t.Solution == "" {
		setup = append(setup, "# lint: allow no-solution: the task brings none")
	}
	fence(b, fmt.Sprintf("sh setup timeout=%ds", seconds(t.BuildSeconds, 600)),
		strings.Join(append(setup, t.Setup...), "\n"))
	fence(b, fmt.Sprintf("sh after timeout=%ds", seconds(t.TestSeconds, 600)), t.check())
	if t.Solution != "" {
		fence(b, fmt.Sprintf("sh solution timeout=%ds", max(seconds(t.AgentSeconds, 600), 600)), t.solve())
	}
	b.WriteString("project: none\n")
	if t.Root != "" {
		fmt.Fprintf(b, "root: %s\nuser: root\n", path.Join("images", line(filepath.Base(t.Root))))
	} else {
		fmt.Fprintf(b, "mounts: %s\n", strings.Join(t.Mounts, ", "))
	}
	// What may be changed is for the tests to say.
	allowed := []string{"**", "~/**", "/logs/**", "/solution/**", "/tests/**"}
	for _, at := range t.Mounts {
		if !strings.Contains(at, ":") && !slices.Contains([]string{"/tests", "/logs", "/solution"}, at) {
			allowed = append(allowed, at+"/**")
		}
	}
	switch {
	case t.Root != "":
		allowed = []string{"**", "~/**", "/**"}
	case t.Patch:
		allowed = allowed[:1]
	}
	fmt.Fprintf(b, "may_change: %s\n", strings.Join(allowed, ", "))
	if len(t.Env) > 0 {
		var env []string
		for _, name := range slices.Sorted(maps.Keys(t.Env)) {
			env = append(env, quoted(name+"="+t.Env[name]))
		}
		fmt.Fprintf(b, "env: %s\n", strings.Join(env, ", "))
	}
	if own := t.ownPath(); len(own) > 0 {
		fmt.Fprintf(b, "path: %s\n", strings.Join(own, ", "))
	}
	var kept []string
	if len(t.Packages) > 0 {
		kept = append(kept, packagesAt+"/**")
		fmt.Fprintf(b, "prepare: %s\n", t.prepare())
	}
	if slices.Contains(t.Mounts, "/opt") && t.names(toldAt) { // there, the image's alone
		kept = append(kept, toldAt+"**")
	}
	if len(kept) > 0 {
		fmt.Fprintf(b, "protect: %s\n", strings.Join(kept, ", "))
	}
	if t.AgentSeconds > 0 {
		fmt.Fprintf(b, "timeout: %ds\n", seconds(t.AgentSeconds, 0))
	}
	if t.Memory > 0 {
		fmt.Fprintf(b, "memory: %dMiB\n", t.Memory>>20)
	}
	if t.Disk > 0 {
		fmt.Fprintf(b, "disk: %dMiB\n", t.Disk>>20)
	}
	if t.Patch {
		b.WriteString("judge: patch\n")
	}
	if t.Offline {
		b.WriteString("network: none\n")
	}
}

// toldAt is where an image that "cookoff export harbor" describes keeps what the tests know of the start.
const toldAt = "/opt/cookoff/start/"

// quoted is a value of a recipe in quotes.
func quoted(s string) string {
	text, _ := json.Marshal(s) // a text always can be
	return string(text)
}

func seconds(x float64, otherwise int) int {
	if x <= 0 {
		return otherwise
	}
	return max(int(x+0.5), 1)
}

// fence writes a fence that its content can't end.
func fence(b *strings.Builder, info, content string) {
	ticks := "```"
	for strings.Contains(content, ticks) {
		ticks += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n", ticks, info, strings.TrimRight(content, "\n"), ticks)
}

// check runs the tests of the task in a world that has nothing of an earlier reward,
// nor of tests that somebody else put there.
func (t Task) check() string {
	first := "set -e"
	if testrun.Runs(t.Test) {
		first += " # lint: allow open-tests: they are written here, each time"
	}
	lines := []string{first, "rm -rf /logs/verifier", "mkdir -p /tests", "find /tests -mindepth 1 -delete",
		"mkdir -p /logs/verifier /logs/agent /logs/artifacts"}
	for _, f := range t.Tests {
		lines = append(lines, put("/tests/"+f.name, f)...)
	}
	if len(t.Packages) > 0 { // which the referee takes from nobody's environment
		lines = append(lines, "export PYTHONPATH="+quote(t.Env["PYTHONPATH"]))
	}
	switch own := t.ownPath(); {
	case len(own) > 0 && t.Root != "": // in the order that its image has
		lines = append(lines, "export PATH="+quote(strings.Join(t.Path, ":")))
	case len(own) > 0:
		lines = append(lines, "export PATH="+quote(strings.Join(own, ":"))+`":$PATH"`)
	}
	lines = append(lines, exports(t.TestEnv)...)
	lines = append(lines, "cd "+quote(t.Workdir), "set +e")
	lines = append(lines, inline(t.Test)...)
	if !t.names("reward.json") {
		lines = append(lines, "rm -rf /logs/verifier/reward.json # the tests write none: it is somebody else's")
	}
	return strings.Join(append(lines, reward...), "\n")
}

// names reports whether a file of the tests has a text in it, or may make it up.
func (t Task) names(text string) bool {
	stem := strings.TrimSuffix(text, ".json")
	return slices.ContainsFunc(t.Tests, func(f file) bool {
		return bytes.Contains(f.data, []byte(text)) || bytes.Contains(f.data, []byte(stem)) && bytes.Contains(f.data,
			[]byte("json"))
	})
}

// inline is the script itself, so that what it runs is known, where it does not ask for
// its own name; else it is called.
func inline(script string) []string {
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), ""); err != nil ||
		strings.Contains(script, "$0") || strings.Contains(script, "BASH_SOURCE") || strings.Contains(script, "${0") ||
		strings.Contains(script, "trap") {
		return []string{"bash /tests/test.sh"}
	}
	return []string{"(", withoutShebang(script), ")"}
}

func withoutShebang(script string) string {
	if strings.HasPrefix(script, "#!") {
		_, script, _ = strings.Cut(script, "\n")
	}
	return strings.TrimRight(script, "\n")
}

// reward holds where the reward is 1: the one of that name, else every one. Where the tests
// gave none, or none that is a number, the check can't tell: it ends with status 125.
var reward = []string{
	"cd /logs/verifier || exit 125",
	"n='-?[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)?' one='1(\\.0*)?'",
	"if test -e reward.json; then",
	"  r=$(tr -d ' \\t\\r\\n' < reward.json)",
	"  printf %s \"$r\" | grep -qxE '\\{\"[^\"\\]*\":'\"$n\"'(,\"[^\"\\]*\":'\"$n\"')*\\}' || exit 125",
	"  case $r in",
	"  *'\"reward\":'*) printf %s \"$r\" | grep -qE '[{,]\"reward\":'\"$one\"'[,}]' ;;",
	"  *) printf %s \"$r\" | grep -qxE '\\{\"[^\"]*\":'\"$one\"'(,\"[^\"]*\":'\"$one\"')*\\}' ;;",
	"  esac",
	"else",
	"  r=$(tr -d ' \\t\\r\\n' < reward.txt) || exit 125",
	"  printf %s \"$r\" | grep -qxE -e \"$n\" || exit 125",
	"  printf %s \"$r\" | grep -qxE -e \"$one\"",
	"fi",
}

func exports(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, "export "+name+"="+quote(env[name]))
	}
	return out
}

// solve is the solution, where Harbor would run it.
func (t Task) solve() string {
	var lines []string
	for _, f := range t.Solving {
		lines = append(lines, put("/solution/"+f.name, f)...)
	}
	lines = append(append(lines, exports(t.SolutionEnv)...), "cd "+quote(t.Workdir))
	return strings.Join(append(lines, withoutShebang(t.Solution)), "\n")
}

// Task gives t as a task of a recipe.
func (t Task) Task() (recipe.Task, error) {
	r, err := recipe.ParseContent(Recipe("x", []Task{t}))
	if err != nil {
		return recipe.Task{}, err
	}
	if len(r.Tasks) != 1 {
		return recipe.Task{}, fmt.Errorf("it became %d tasks", len(r.Tasks))
	}
	return r.Tasks[0], nil
}
