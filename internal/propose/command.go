// Package propose reads a project and proposes a task of it: the command that
// tests it, the files that decide, and a fault to plant where all tests pass.
package propose

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Command is a test command, and the file of the project that proposes it.
type Command struct{ Text, From string }

// Commands gives the test commands that the files in dir propose, the likeliest
// first; none where nothing tells. No file is run.
func Commands(dir string) []Command {
	p := project{dir}
	var list []Command
	for _, look := range []func(project) Command{golang, rust, node, plainNode, deno, django, python, maven, gradle,
		makefile, just, task, ruby, tox, cmake, meson, autotools, php, phpScript, perl, byTool, shellScripts} {
		if c := look(p); c.Text != "" {
			list = append(list, c)
		}
	}
	return list
}

// project is where files are looked for.
type project struct{ dir string }

// largest is how much of a file is read, in bytes.
const largest = 1 << 20

// text is a file's content, "" where there is none.
func (p project) text(name string) string {
	st, err := os.Stat(filepath.Join(p.dir, name))
	if err != nil || !st.Mode().IsRegular() || st.Size() > largest {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return ""
	}
	return string(b)
}

// first gives the first of some files that is there, "" where none is. What a link out of the project leads to
// is not.
func (p project) first(names ...string) string {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err == nil && leadsOut(p.dir, name) == "" {
			return name
		}
	}
	return ""
}

// have reports whether the project's own directories hold a file whose path
// matches.
func (p project) have(path *pattern.Pattern) bool { return p.finds(p.walk, path) }

func (p project) finds(walk func(func(rel string) bool), path *pattern.Pattern) bool {
	found := false
	walk(func(rel string) bool {
		found = path.MatchString(rel)
		return !found
	})
	return found
}

// others are directories whose content is not the project's own work.
var others = []string{"node_modules", "vendor", "venv", "env", "target", "build", "dist", "__pycache__",
	"site-packages", "third_party"}

// mostFiles is how many files of a project are looked at.
const mostFiles = 20000

// manifests are files that say that a directory is a project of its own.
var manifests = []string{"pyproject.toml", "setup.py", "Pipfile", "requirements.txt", "pytest.ini", "tox.ini",
	"package.json", "go.mod", "Cargo.toml"}

// apart reports whether a directory is a project of its own, and none of tests.
func apart(dir string) bool {
	return !ofTests.MatchString(filepath.Base(dir)) && project{dir}.first(manifests...) != ""
}

// walk calls f with the slash path of each file of the project's own, in order,
// until it says no.
func (p project) walk(f func(rel string) bool) { p.walkBut(func(string) bool { return false }, f) }

// walkHere is walk without the projects that lie below.
func (p project) walkHere(f func(rel string) bool) { p.walkBut(apart, f) }

// walkBut is walk without the directories that leave says.
func (p project) walkBut(leave func(dir string) bool, f func(rel string) bool) {
	n := 0
	_ = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		switch name := ""; {
		case err != nil:
			return nil // what can't be read proposes nothing
		case path == p.dir:
			return nil
		case d.IsDir():
			if name = d.Name(); strings.HasPrefix(name, ".") || slices.Contains(others, name) || ofRecipe(path) ||
				leave(path) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(p.dir, path)
		if n++; err != nil || n > mostFiles || d.Type().IsRegular() && !f(filepath.ToSlash(rel)) {
			return fs.SkipAll
		}
		return nil
	})
}

// ofRecipe reports whether a directory holds what belongs to a recipe beside it, as the tests that
// judge what was mined: it is nothing of the project's own.
func ofRecipe(dir string) bool {
	name, is := strings.CutSuffix(dir, ".files")
	if !is {
		return false
	}
	for _, ending := range []string{".recipe.md", ".md"} {
		if _, err := os.Lstat(name + ending); err == nil {
			return true
		}
	}
	return false
}

var workspaceUse = pattern.New(`(?m)^\s*(?:use\s+)?(\./[\w./-]+)\s*(?://.*)?$`)

func golang(p project) Command {
	if f := p.first("go.mod"); f != "" {
		return Command{"go test ./...", f}
	}
	var dirs []string
	for _, m := range workspaceUse.FindAllStringSubmatch(p.text("go.work"), -1) {
		dirs = append(dirs, strings.TrimSuffix(m[1], "/")+"/...")
	}
	if len(dirs) > 0 {
		return Command{"go test " + strings.Join(dirs, " "), "go.work"}
	}
	return Command{}
}

func rust(p project) Command {
	if f := p.first("Cargo.toml"); f != "" {
		return Command{"cargo test", f}
	}
	return Command{}
}

// noScript is what npm init writes where there are no tests.
const noScript = "Error: no test specified"

var nodeTests = pattern.New(`(^|/)(test|tests|__tests__)/.*\.[cm]?[jt]s$|(^|/)(test|[^/]*[._-]test)\.[cm]?js$`)

// scripts are those of package.json.
func (p project) scripts() map[string]string { return scriptsOf(p.text("package.json")) }

// scriptsOf are those of a text of package.json.
func scriptsOf(manifest string) map[string]string {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(manifest), &pkg) // a file that npm can't read has no scripts
	return pkg.Scripts
}

// testScript is the script "test" of package.json; there is none where npm init wrote
// that there are no tests.
func (p project) testScript() string {
	if test := p.scripts()["test"]; !strings.Contains(test, noScript) {
		return test
	}
	return ""
}

var (
	watchers = pattern.New(`\bvitest\b|\breact-scripts test\b|\bvue-cli-service test|--watch(All)?\b`)
	watched  = pattern.New(`\bvitest( \S+)* (run|--run)\b|--watch(All)?=false|\bCI=`)
)

// running is what a script is run by: one that goes on watching files, and never ends,
// is told that nobody looks.
func running(by, script string) string {
	if watchers.MatchString(script) && !watched.MatchString(script) {
		return "CI=1 " + by
	}
	return by
}

// node proposes the test command of a project that has a package.json, by its script, its
// lock file and the runner that the script starts.
func node(p project) Command {
	const from = "package.json"
	if p.first(from) == "" {
		return Command{}
	}
	script := p.testScript()
	if script == "" {
		if test := p.ofMembers(); test != "" {
			return Command{test, from}
		}
		walk := p.walkHere
		if len(p.members()) > 0 {
			walk = p.walk
		}
		if p.finds(walk, nodeTests) {
			return Command{"node --test", from}
		}
		return Command{}
	}
	by := "npm test"
	switch p.first("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb") {
	case "pnpm-lock.yaml":
		by = "pnpm test"
	case "yarn.lock":
		by = "yarn test"
	case "bun.lock", "bun.lockb":
		by = "bun run test"
	}
	if by == "npm test" {
		return Command{TestsOf(p.text(from)), from}
	}
	linked := p.first(".pnp.cjs", ".pnp.js", ".yarnrc.yml") == "" // programs of packages lie in node_modules
	if tests := testsAlone(p.scripts()); tests != "" && linked {
		return Command{tests, from}
	}
	return Command{running(by, script), from}
}

// plainNode is the same by npm, for machines that have no other.
func plainNode(p project) Command {
	script, c := p.testScript(), node(p)
	by := "npm test"
	if lintsAround(p.scripts()) {
		by += " --ignore-scripts"
	}
	if plain := running(by, script); script != "" && plain != c.Text {
		return Command{plain, c.From}
	}
	return Command{}
}

// Program is the program that a command calls.
func (c Command) Program() string {
	for _, call := range shell.Calls(c.Text) {
		if len(call.Words) > 0 {
			return call.Words[0]
		}
	}
	return ""
}

var (
	pytestSays  = pattern.New(`(?m)^\s*["']?pytest\b|["']pytest\b|^\[(tool\.|tool:)?pytest`)
	pythonTests = pattern.New(`(^|/)(test_[^/]*|[^/]*_test)\.py$`)
)

// pytest gives the file that says that pytest runs the tests; "": none does.
func (p project) pytest() string {
	if from := p.first("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"); from != "" {
		return from
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt",
		"requirements_dev.txt",
		"dev-requirements.txt", "requirements-test.txt", "test-requirements.txt", "requirements.txt", "Pipfile",
		"setup.py"} {
		if pytestSays.MatchString(p.text(name)) {
			return name
		}
	}
	return ""
}

// django proposes the tests of a project of Django's, but where pytest runs them.
func django(p project) Command {
	const from = "manage.py"
	if !strings.Contains(p.text(from), "execute_from_command_line") || p.pytest() != "" {
		return Command{}
	}
	return Command{p.interpreter() + " manage.py test", from}
}

func python(p project) Command {
	if from := cmp.Or(p.pytest(), p.first(".venv/bin/pytest", "venv/bin/pytest")); from != "" {
		return Command{p.interpreter() + " -m pytest", from}
	}
	return p.unittest()
}

// usesUnittest are lines of tests that unittest finds, usesPytest of those that it does not: functions of a module,
// and what is imported of pytest.
var (
	usesUnittest = pattern.New(`(?m)^\s*(from\s+|import\s+([\w.]+\s*,\s*)*)unittest\b`)
	usesPytest   = pattern.New(`(?m)^(\s*(from\s+|import\s+([\w.]+\s*,\s*)*)pytest\b|(async\s+)?def test_)`)
)

// unittest tells tests of the standard library from those that pytest alone finds; the zero Command: there are none.
func (p project) unittest() (c Command) {
	some := ""
	p.walkHere(func(rel string) bool {
		if !pythonTests.MatchString(rel) {
			return true
		}
		text := p.text(rel)
		if c.From == "" || usesPytest.MatchString(text) {
			c = Command{p.interpreter() + " -m pytest", rel}
		}
		if some == "" && usesUnittest.MatchString(text) {
			some = rel
		}
		return !usesPytest.MatchString(text)
	})
	if some == "" || usesPytest.MatchString(p.text(c.From)) {
		return c
	}
	c = Command{p.interpreter() + " -m unittest discover", some}
	if dir, _, below := strings.Cut(some, "/"); below && p.first(dir+"/__init__.py") == "" {
		c.Text += " -s " + dir
	} else if p.isPackage(p.text(some)) {
		c.Text += " -t .."
	}
	return c
}

var imports = pattern.New(`(?m)^\s*(?:from|import)\s+(\w+)`)

// isPackage reports whether the project's directory itself is a package, by whose name a test imports from it: that of
// a project below another's directory.
func (p project) isPackage(test string) bool {
	at, err := filepath.Abs(p.dir)
	return err == nil && p.first("__init__.py") != "" &&
		slices.ContainsFunc(imports.FindAllStringSubmatch(test, -1),
			func(m []string) bool { return m[1] == filepath.Base(at) })
}

func maven(p project) Command {
	switch {
	case p.first("pom.xml") == "":
		return Command{}
	case p.first("mvnw") != "":
		return Command{"./mvnw -o -q test", "pom.xml"}
	}
	return Command{"mvn -o -q test", "pom.xml"}
}

func gradle(p project) Command {
	from := p.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
	switch {
	case from == "":
		return Command{}
	case p.first("gradlew") != "":
		return Command{"./gradlew --offline test", from}
	}
	return Command{"gradle --offline test", from}
}

func tox(p project) Command {
	if f := p.first("tox.ini"); f != "" {
		return Command{"tox", f}
	}
	return Command{}
}
