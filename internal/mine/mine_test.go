package mine

import (
	"slices"
	"strings"
	"testing"

	"cookoff/internal/history"
)

func TestKindOf(t *testing.T) {
	for p, want := range map[string]kind{
		"a.go": code, "a_test.go": tests, "x/testdata/in.txt": tests, "pkg/test_a.py": tests, "conftest.py": tests,
		"test/fixtures/a.js": tests,
		"lib/a.test.mjs":     tests, "src/latest/a.py": code, "contest.py": code, "CHANGELOG.md": beside,
		"docs/a.py": beside, "go.sum": needs,
		"requirements-dev.txt": needs, "testing/go.mod": needs, "src/protest.js": code, "jest.config.js": tests,
		"app/tests.py": tests, "src/contests.py": code, "src/Permit.java": code, "src/ParserIT.java": tests,
		"ui/login.cy.ts": tests, "lib/parse_unittest.cc": tests, "composer.lock": needs, "src/Spec.php": tests,
		"t/slug.t": tests, "t/lib/run.sh": tests, "src/t/a.go": code, "x/cli.bats": tests, "tests.sh": tests, "run-test.sh": tests,
		"src/latest.sh": code, "test_ring.c": tests, "src/contest_a.c": code, "Tests/CalcTests/A.swift": tests,
		"test-d/index.test-d.ts": tests, "spec_helper/a.lua": code, "lib/a_spec.lua": tests, "src/commonTest/kotlin/A.kt": tests,
		"PKG-INFO": beside, "src/a.egg-info/SOURCES.txt": beside, "requirements/tests.txt": needs, "requirements/dev.in": needs,
		"README": beside, "history.go": code, "HISTORY.rst": beside, "CHANGES": beside,
		"mined.files/0123456789ab/a_test.go.judge": beside,
		"templates/a.html":                         code, "templates/history.html": code, "README.md.tmpl": code, "t/news.j2": code, "app/a.erb": code,
		"views/todo.ejs": code, "ui/License.vue": code, "ui/a.svelte": code, "db/changes/001.sql": code, "api/readme.proto": code,
		"migrations/002_users.sql": code, "spec/openapi.yaml": code, "spec/spec.go": code, "src/spec/mod.rs": code,
		"pkg/tool.spec": code, "spec/a.proto": code, "spec/models/a_spec.rb": tests, "spec/helper.rb": tests, "spec/a.js": tests,
		"lib/spec/parser.js": code, "lib/spec/parserSpec.js": tests, "spec/support/jasmine.json": tests, "spec/a_spec.lua": tests,
		"spec/fixtures/a.json": tests, "tests/templates/a.html": tests, "specs/schema.json": code, "internal/changes/a.go": code,
		"src/doc/render.py": code, "docs/a.html": beside, "doc/conf.py": beside, "changes/7.txt": beside,
		".idea/workspace.xml": beside, "app/.vscode/launch.json": beside, "src/idea/a.go": code, "a.iml": beside,
		"test/fixtures/.vscode/x.json": tests, "src/__pycache__/a.cpython-312.pyc": beside, "src/.DS_Store": beside,
		".eslintrc": beside, "lib/.eslintrc.json": beside, ".golangci.yml": beside, ".goreleaser.yaml": beside, ".nycrc": tests,
		"src/main/java/org/example/Money.java": code, "app/src/main/kotlin/a/testing/Clock.kt": code,
		"src/commonMain/kotlin/docs/A.kt": code, "src/test/java/org/example/Money.java": tests,
		"src/androidTest/java/a/A.java": tests, "src/main/resources/examples/a.md": beside, "src/testFixtures/java/a/B.java": tests,
		"Cargo.toml.orig": beside, ".cargo_vcs_info.json": beside, ".dependabot/config.yml": beside,
		".npmignore": beside, ".flake8": beside, "eslint.config.mjs": beside, ".babelrc": code, "src/eslintrc.js": code,
	} {
		if got := kindOf(p); got != want {
			t.Errorf("%s: %d, want %d", p, got, want)
		}
	}
}

func TestNarrowed(t *testing.T) {
	has := map[string]history.File{"a/a_test.go": {}, "b/b_test.go": {}, "m_test.go": {}}
	check := func(command, want string, paths ...string) {
		t.Helper()
		var list []history.Change
		for _, p := range paths {
			list = append(list, history.Change{Path: p, Now: history.File{ID: "1"}})
		}
		if got, _ := narrowed(command, list, has); got != want {
			t.Errorf("%s for %s: %q, want %q", command, paths, got, want)
		}
	}
	check("go test ./...", "go test ./a", "a/a_test.go", "a/testdata/x/y")
	check("go test -race ./...", "go test -race . ./b", "b/b_test.go", "m_test.go")
	check("go test -run Foo ./...", "go test -run Foo ./a", "a/a_test.go")
	check("go test ./... && go vet ./...", "go test ./... && go vet ./...", "a/a_test.go")
	check("go test ./...", "go test .", "fixtures/x.json")
	check("python3 -m pytest tests", "python3 -m pytest tests/test_a.py", "tests/test_a.py")
	check("python3 -m pytest", "python3 -m pytest", "tests/conftest.py", "tests/test_a.py")
	has["a/go.mod"], has["a/x y/b/c_test.go"], has["d/go.mod"] = history.File{}, history.File{}, history.File{}
	check("go test -race ./...", "cd a && go test -race ./ './x y/b'", "a/a_test.go", "a/x y/b/c_test.go")
	check("go test ./...", "go test ./...", "a/a_test.go", "b/b_test.go")
	check("go test ./...", "go test ./b", "b/b_test.go")
	has["go.work"] = history.File{}
	check("go test ./...", "go test ./a", "a/a_test.go")
	check("node --test", "node --test test/a.js", "test/a.js")
	check("node --test", "node --test", "test/fixtures/a.js")
	check("npm test", "npm test", "test/a.js")
}

func TestSymptom(t *testing.T) {
	check := func(message, want string, new ...string) {
		t.Helper()
		words := map[string]bool{}
		for _, w := range new {
			words[w] = true
		}
		if got := symptom(message, words, nil); got != want {
			t.Errorf("%q\n got %q\nwant %q", message, got, want)
		}
	}
	check("Parser drops the last line (#12)\r\n\r\nFixes #12\r\nSigned-off-by: a", "Parser drops the last line")
	check("Counts are wrong. Use strings.FormatFloat here. They are too high.", "Counts are wrong. They are too high.",
		"FormatFloat")
	check("Crash on empty input\n\nAdd a test for it.\n\n## Tests\n\nran all", "Crash on empty input")
	check("Merge pull request #3 from a/b\n\nWrong sum", "Wrong sum")
	check("value of the line is kept", "value of the line is kept", "value", "line")
	check("call `value` first", "", "value")
	check("", "")
	check("red \x1b[31mwords\x07, \u202ehidden\u200b ones", "red words, hidden ones")
	check("Release v3.3.1", "")
	check("* Maps are kept [GH-203]\n* Zips are read ([#456] by [@sam])\n* Ends are kept (#4 by @a)\n* More (thanks @b)",
		"* Maps are kept\n* Zips are read\n* Ends are kept\n* More")
	check("## 1.2.8\n\n- Keys of prototypes are kept", "- Keys of prototypes are kept")
	check("wip\n\nCrash on empty input", "Crash on empty input")
	check("Fix #21: merge() changes its argument", "merge() changes its argument")
	check("#7: blanks\n\nCloses #3.", "blanks")
	check("Broken since 0a1b2c3d4e", "Broken since …")
	check("Remarks at line ends (#9)\n\n* wip\n\n* Blanks, too\n\n* address review",
		"Remarks at line ends\n\n* Blanks, too")
	check("Revert \"Names with commas\"\n\nThis reverts commit 0a1b2c3d4e.", `Revert "Names with commas"`)
	check("names with commas (rsplit instead of split)", "names with commas", "rsplit")
	check("use rsplit for names. They may have commas.", "They may have commas.", "rsplit")
	check("the value is used, not the default (as documented)",
		"the value is used, not the default (as documented)", "value")
	const said = "- 1.1 Numbers (of base_16) are read right"
	pairs := []pair{{"a.py", "\"\"\"\n\"\"\"\nx = 1\n", "\"\"\"\n" + said + "\n\"\"\"\nx = 2\n"}}
	if got := symptom(said+"\n\nSets x = 2.", newWords(pairs), codeOf(pairs)); got != said {
		t.Errorf("a list of changes in a file of code is no code: %q", got)
	}
}

func TestHunks(t *testing.T) {
	was := "a\nb\nc\nd\ne"
	list := hunksOf("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+top\n@@ -2 +3 @@ a\n-b\n+B\n@@ -5 +6 @@\n" +
		"-e\n\\ No newline at end of file\n+E\n\\ No newline at end of file\n")
	for but, want := range map[int]string{-1: "top\na\nB\nc\nd\nE", 0: "a\nB\nc\nd\nE", 1: "top\na\nb\nc\nd\nE",
		2: "top\na\nB\nc\nd\ne"} {
		if got := apply(was, list, but); got != want {
			t.Errorf("without %d: %q, want %q", but, got, want)
		}
	}
	if (hunk{new: []string{"// words\n", "import x\n", "\n", "}\n"}, to: 1}).needed(nil, nil) ||
		!(hunk{new: []string{"return 1\n"}, to: 1}).needed(nil, nil) ||
		(hunk{new: []string{"x = 1\n"}, to: 2}).needed(nil, []bool{true, true, false}) {
		t.Error("comments are no part of a fix, statements are")
	}
}

func TestNewLines(t *testing.T) {
	got := newLines(hunksOf("@@ -0,0 +1,2 @@\n+a\n+b\n@@ -5 +7 @@\n-e\n+E\n@@ -9,2 +10,0 @@\n-x\n-y\n"))
	if len(got) != 3 || !got[1] || !got[2] || !got[7] {
		t.Errorf("%v", got)
	}
	list := []part{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}, {name: "e"}}
	if got := spread(list, 2); len(got) != 2 || got[0].name != "a" || got[1].name != "c" || len(spread(list, 9)) != 5 {
		t.Errorf("%v", got)
	}
}

func TestOnlyVersion(t *testing.T) {
	if !onlyVersion("package.json", "{\n \"version\": \"1.0\",\n \"x\": 1\n}",
		"{\n \"version\": \"1.1\",\n \"x\": 1\n}") {
		t.Error("a version that moves is no fix")
	}
	if onlyVersion("package.json", "{\"main\": \"a\"}", "{\"main\": \"b\"}") || onlyVersion("a.go", "version = 1",
		"version = 2") {
		t.Error("what is no version was taken for one")
	}
	was := "{\n  \"scripts\": {\n    \"a\": \"b\"\n  },\n  \"dependencies\": {\n    \"x\": \"1\"\n  }\n}"
	if dependent(was, strings.Replace(was, `"b"`, `"c"`, 1)) || !dependent(was, strings.Replace(was, `"1"`, `"2"`, 1)) {
		t.Error("what a project needs is not told from its scripts")
	}
}

// TestUsedBy: what stands in the texts of tests, or is their own, is nothing that they ask for.
func TestUsedBy(t *testing.T) {
	for _, c := range []struct {
		path, was, now string
		want           bool
	}{
		{"t.py", "  def test_a():\n    \"\"\"Equal when\n    stripped.\n    \"\"\"\n    x()\n",
			"def test_a():\n  \"\"\"Equal when\n  stripped.\n    \"\"\"\n  x()\n", false},
		{"t.py", "", "def test_a():\n  stripped = f()\n  assert stripped == 1\n", false},
		{"t.py", "", "def test_a():\n  stripped = m.stripped\n  assert stripped == 1\n", true},
		{"t.py", "", "def test_a():\n  assert f(stripped=True) == 1\n", true},
		{"t.py", "", "from m import stripped\ndef test_a():\n  assert stripped(1)\n", true},
		{"t.js", "", "const { stripped } = require('./m')\n", true},
		{"t.js", "", "for (const stripped of list) f(stripped)\n", false},
		{"t_test.go", "", "got, stripped := f()\n", false}, {"t_test.go", "", "got := stripped(1)\n", true},
		{"a.json", "", "{\"stripped\": 1}\n", true},
	} {
		if got := usedBy([]pair{{c.path, c.was, c.now}}, map[string]bool{"stripped": true})["stripped"]; got != c.want {
			t.Errorf("%s: %q: %v", c.path, c.now, got)
		}
	}
}

// TestGiveaway: what everybody writes gives nothing away, wherever it stands; what a fix alone has does.
func TestGiveaway(t *testing.T) {
	const much = `if (!semver.satisfies(candidate, lowerBound, { includePrerelease })) {`
	const some = `return this.decode(chunk, false)`
	secret := secretLines([]pair{{"lib/range.js", "old();\n", "old();\n" + some + "\n  " + much +
		"\nif (err) { return callback(err, null, undefined); }\n// a comment that is long enough to be looked for\n"}})
	if !slices.Equal(secret, []string{much, some}) {
		t.Errorf("%q", secret)
	}
	for _, c := range []struct {
		where string
		held  map[string][]string
	}{
		{"/usr/lib/x.js", map[string][]string{much: {"/usr/lib/x.js"}}},
		{"", map[string][]string{much: {"/a/x.js", "/a/y.js", "/a/z.js"}}},
		{"", map[string][]string{secret[1]: {"/a/x.js"}}},
		{"/a/range.js", map[string][]string{secret[1]: {"/a/range.js"}}},
		{"~/p.tgz (p/range.js)", map[string][]string{secret[1]: {"~/p.tgz (p/range.js)"}}},
		{"/a/y.js", map[string][]string{much: {"/a/x.js", "/a/y.js", "/a/z.js"}, secret[1]: {"/a/y.js"}}},
		{"", nil},
	} {
		if where, _ := giveaway(secret, []string{"lib/range.js"}, c.held); where != c.where {
			t.Errorf("%v: %q, want %q", c.held, where, c.where)
		}
	}
	if where, _ := giveaway(secret, []string{"lib/index.js"}, map[string][]string{secret[1]: {"/a/index.js"}}); where != "" {
		t.Errorf("a name that every project has: %q", where)
	}
}

// TestRunnerOnly: how tests are run is the judge's, and no part of a fix.
func TestRunnerOnly(t *testing.T) {
	const toml = "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n]\n\n[tool.ruff]\nx = 1\n"
	for _, c := range []struct {
		path, was, now string
		want           bool
	}{
		{"pyproject.toml", toml, strings.Replace(toml, `"-q"`, `"-q", "-x"`, 1), true},
		{"pyproject.toml", "[project]\nname = \"a\"\n[tool.ruff]\nx = 1\n", toml, true},
		{"pyproject.toml", toml, strings.Replace(toml, "x = 1", "x = 2", 1), false},
		{"pyproject.toml", toml, strings.Replace(toml, `"-q"`, `"-x"`, 1) + "y = 1\n", false},
		{"pyproject.toml", "", "[tool.pytest.ini_options]\n", false},
		{"setup.cfg", "[metadata]\n", "[metadata]\n[tool:pytest]\naddopts = -q\n", true},
		{"package.json", `{"name":"a","jest":{"x":1}}`, `{"name":"a","jest":{"x":2}}`, true},
		{"package.json", `{"main":"a","jest":{"x":1}}`, `{"main":"b","jest":{"x":2}}`, false},
		{"a.toml", "[tool.pytest.ini_options]\n", "", false},
	} {
		if got := runnerOnly(c.path, c.was, c.now); got != c.want {
			t.Errorf("%s\n%s\n%s: %v", c.path, c.was, c.now, got)
		}
	}
}

// TestDiscovered: tests of the modules that a commit changes are found without the others.
func TestDiscovered(t *testing.T) {
	has := map[string]history.File{"tests/test_a.py": {}, "tests/test_b.py": {}, "tests/test_cx.py": {}, "tests/test_cy.py": {}}
	for _, c := range []struct{ command, changed, want string }{
		{"python3 -m unittest", "tests/test_a.py tests/x.json", "python3 -m unittest discover -s . -p test_a.py"},
		{"python3 -m unittest discover -v -s tests", "tests/test_a.py", "python3 -m unittest discover -v -s tests -p test_a.py"},
		{"python3 -m unittest", "tests/test_a.py tests/test_b.py", "python3 -m unittest discover -s . -p 'test_[ab]*.py'"},
		{"python3 -m unittest", "tests/test_a.py tests/test_cx.py", ""},
		{"python3 -m unittest discover -s other", "tests/test_a.py", ""},
		{"python3 -m unittest tests.test_a", "tests/test_a.py", ""},
		{"python3 -m unittest -k a", "tests/test_a.py", ""},
		{"python3 -m pytest", "tests/test_a.py", ""},
	} {
		var list []history.Change
		for p := range strings.FieldsSeq(c.changed) {
			list = append(list, history.Change{Path: p, Now: history.File{ID: "1"}})
		}
		if got, ok := discovered(c.command, list, has); got != c.want || ok != (c.want != "") {
			t.Errorf("%s for %s: %q, %v", c.command, c.changed, got, ok)
		}
	}
}
