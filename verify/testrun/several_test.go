package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// needsNode skips a test where there is no Node, or no npm.
func needsNode(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s on this machine", program)
		}
	}
}

// TestSeveralCommands: of a script with several test commands each is read that the script comes to; a test of one name
// in two of them passes where both do.
func TestSeveralCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/t.sh":    "echo 'ok 1 - first'; echo 'ok 2 - same'; echo 1..2\n",
		"b/t.sh":    "echo 'ok 1 - second'; echo 'not ok 2 - same'; echo 1..2; exit 3\n",
		"c/t.sh":    "echo 'ok 1 - third'; echo 1..1\n",
		"c/lint.sh": "echo all well\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{
		"sh a/t.sh":                              "0: first same / ",
		"(cd a && sh t.sh) && (cd c && sh t.sh)": "0: first same third / ",
		"(cd a && sh t.sh) && (cd b && sh t.sh)": "3: first second / same",
		"(cd b && sh t.sh) && (cd a && sh t.sh)": "3: second / same",
		"sh c/lint.sh && sh c/t.sh":              "0: third / ",
	} {
		out, err := ByName(t.Context(), here{dir: dir}, sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		got := string('0'+rune(out.Exit)) + ": " + strings.Join(out.Passed, " ") + " / " + strings.Join(out.Failed, " ")
		if got != want || out.Runner == "" {
			t.Errorf("%s: %s by %q, want %s", script, got, out.Runner, want)
		}
	}
}

// TestSeveralScripts: of scripts of package.json each program of tests is read that they come to, behind what npm runs
// before them.
func TestSeveralScripts(t *testing.T) {
	needsNode(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"scripts": {"pretest": "echo 1 > made", "test": "true lint && npm run -s a && run-s b c",
"posttest": "node --test after.js", "a": "node --test a.js", "preb": "echo 2 > made", "b": "node --test b.js; true",
"c": "node --test c.js", "preone": "echo 2 > made", "one": "node --test c.js || true; node --test b.js"}}`,
		"a.js":     `require("node:test")("a has " + require("fs").readFileSync("made", "utf8").trim(), () => {})`,
		"b.js":     `require("node:test")("b has " + require("fs").readFileSync("made", "utf8").trim(), () => {})`,
		"c.js":     `require("node:test")("c fails", () => { throw new Error("so") })`,
		"after.js": `require("node:test")("after", () => {})`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{
		"npm test":     "1: a has 1 b has 2 / c fails",
		"npm -s run b": "0: b has 2 / ",
		"npm run one":  "1: b has 2 / c fails",
	} {
		out, err := ByName(t.Context(), here{dir: dir}, sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		got := strconv.Itoa(out.Exit) + ": " + strings.Join(out.Passed, ", ") + " / " + strings.Join(out.Failed, ", ")
		if got = strings.ReplaceAll(got, ", ", " "); got != want {
			t.Errorf("%s: %s by %q, want %s", script, got, out.Runner, want)
		}
	}
}

// TestSeveralPackages: a script that is run in each package of a workspace is followed in each.
func TestSeveralPackages(t *testing.T) {
	needsNode(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"workspaces": ["packages/*", "one"],
"scripts": {"test": "npm test --workspaces --if-present"}}`,
		"packages/a/package.json": `{"scripts": {"test": "node --test"}}`,
		"packages/a/a.test.js":    `require("node:test")("of a", () => { throw new Error("so") })`,
		"packages/b/package.json": `{"scripts": {"lint": "true"}}`,
		"one/package.json":        `{"scripts": {"pretest": "echo 1 > made", "test": "node --test"}}`,
		"one/one.test.js": `const made = require("fs").readFileSync("made", "utf8").trim()
require("node:test")("of one " + made, () => {})`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := ByName(t.Context(), here{dir: dir}, sandbox.Cmd{Script: "npm test"})
	if err != nil || out.Exit != 1 || strings.Join(out.Passed, ",") != "of one 1" ||
		strings.Join(out.Failed, ",") != "of a" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestBuilders: a script that turbo, nx or lerna run in each package is followed in each, behind what it depends on.
func TestBuilders(t *testing.T) {
	needsNode(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"workspaces": ["a", "b"], "scripts": {"test": "turbo run test", "nx": "nx run-many -t make test"}}`,
		"turbo.json":   `{"tasks": {"test": {"dependsOn": ["^build"]}}}`,
		"node_modules/.bin/turbo": "#!/bin/sh\n[ \"$2\" = build ] && for d in a b; do echo $d > $d/built; done\n" +
			"echo 'what a builder prints is not asked'",
		"a/package.json": `{"scripts": {"test": "node --test a.test.js"}}`,
		"b/package.json": `{"scripts": {"make": "echo made > made", "test": "node --test b.test.js"}}`,
		"a/a.test.js":    `require("node:test")("of " + require("fs").readFileSync("built", "utf8").trim(), () => {})`,
		"b/b.test.js":    `require("node:test")("of b " + require("fs").readdirSync(".").length, () => {})`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ script, passed string }{{"npm test", "of a,of b 3"}, {"npm run nx", "of a,of b 4"}} {
		if c.script == "npm run nx" { // nx.json says nothing of what test depends on
			if err := os.Remove(filepath.Join(dir, "turbo.json")); err != nil {
				t.Fatal(err)
			}
		}
		out, err := ByName(t.Context(), here{dir: dir}, sandbox.Cmd{Script: c.script})
		if err != nil || out.Exit != 0 || strings.Join(out.Passed, ",") != c.passed {
			t.Errorf("%s: %+v, %v", c.script, out, err)
		}
	}
}
