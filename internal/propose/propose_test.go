package propose

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a project of "path", "content" pairs.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestByEnvironments: what tox and nox get for tests is got where nothing else names it.
func TestByEnvironments(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"tox.ini", "[tox]\nenvlist = py3\n\n[testenv]\ndeps =\n    pytest>=7  # runs them\n    hypothesis\n    py27: mock\n\n" +
			"    -r{toxinidir}/more.txt\ncommands = pytest\n\n[testenv:lint]\ndeps = ruff\n", "more.txt", "attrs\n"},
			"'pytest>=7' hypothesis -r more.txt"},
		{[]string{"tox.ini", "[testenv]\ndeps = pytest\n"}, "pytest"},
		{[]string{"noxfile.py", "@nox.session\ndef tests(session):\n    session.install(\"-r\", \"more.txt\")\n" +
			"    session.install('pytest', 'attrs==23', \"-e\", \".\")\n    session.install(\"flake8\", name)\n", "more.txt", "pytest\n"},
			"-r more.txt pytest 'attrs==23'"},
		{[]string{"tox.ini", "[testenv]\ndeps =\n    hypothesis\n", "setup.py", "setup()"}, "-e . hypothesis pytest"},
		{[]string{"pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\"y\"]\n" +
			"[tool.uv.sources]\ny = { workspace = true }\n"},
			"uv && .venv/bin/uv pip install -q -p .venv/bin/python -e . pytest"},
	} {
		want := "python3 -m venv .venv && .venv/bin/pip install -q " + c.want
		p := Prepare(tree(t, c.files...), "No module named pytest", func(string) bool { return true })
		if p.Command != want {
			t.Errorf("%q: %q, want %q", c.files, p.Command, want)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string // commands, in order
	}{
		{nil, ""},
		{[]string{"go.mod", "module x\n", "Makefile", "all:\ntest: all\n"}, "go test ./...; make test"},
		{[]string{"Makefile", "lint:\n\tgolangci-lint run\ntest: lint all\n\t./t\n"}, "make -o lint test"},
		{[]string{"Makefile", "check: all \\\n  check-lint fmt lint\ncheck-lint fmt:\n\truff .\n"},
			"make -o check-lint -o fmt check"},
		{[]string{"Makefile", "lint: lint.o\n\tcc -o lint lint.o\ntest: lint\n\t./lint a\n"}, "make test"},
		{[]string{"Makefile", "lint:\n\tcc -c $@.c\ntest: lint unlint linter\n\t./lint a\n"}, "make test"},
		{[]string{"Makefile", "test := x\nlint:\n"}, ""},
		{[]string{"Cargo.toml", ""}, "cargo test"},
		{[]string{"CMakeLists.txt", "project(a C)\nenable_testing()\n"},
			"cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"},
		{[]string{"CMakeLists.txt", "include(CTest)\n", "build/CMakeCache.txt", ""}, "cmake -S . -B build-cookoff && " +
			"cmake --build build-cookoff && ctest --test-dir build-cookoff --output-on-failure"},
		{[]string{"CMakeLists.txt", "project(a C)\n"}, ""},
		{[]string{"meson.build", "test('a', exe)\n"}, "meson setup build && meson test -C build --print-errorlogs"},
		{[]string{"composer.json", `{"scripts":{"test":["@phpunit"]}}`, "phpunit.xml", ""}, "composer test"},
		{[]string{"composer.json", `{"scripts":{"test":"phpunit tests"}}`}, "composer test; phpunit tests"},
		{[]string{"composer.json", `{"scripts":{"test":["vendor/bin/pest --ci"]}}`, "vendor/bin/pest", ""},
			"composer test; php vendor/bin/pest --ci"},
		{[]string{"composer.json", `{"scripts":{"test":"phpunit && rm x"}}`}, "composer test"},
		{[]string{"composer.json", `{}`, "phpunit.xml.dist", ""}, "php vendor/bin/phpunit"},
		{[]string{"Makefile.PL", "", "t/a.t", ""}, "prove -lr t"},
		{[]string{"lib/A.pm", "", "t/a.t", ""}, "prove -lr t"},
		{[]string{"mix.exs", ""}, "mix test"},
		{[]string{"build.zig", `b.step("test", "run them")`}, "zig build test"},
		{[]string{"build.zig", ""}, ""},
		{[]string{"A.sln", "", "A/A.csproj", ""}, "dotnet test"},
		{[]string{"A/A.csproj", ""}, ""},
		{[]string{"pubspec.yaml", "dependencies:\n  flutter:\n    sdk: flutter\n"}, "flutter test"},
		{[]string{"pubspec.yaml", "name: a\n"}, "dart test"},
		{[]string{"a.cabal", "library\n"}, ""},
		{[]string{"a.cabal", "library\n\ntest-suite all\n"}, "cabal test"},
		{[]string{"package.json", `{"scripts":{"test":"node --test"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"jest"}}`, "pnpm-lock.yaml", ""}, "pnpm test; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"node --test | tee report.txt"}}`, "pnpm-lock.yaml", ""},
			"node --test; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"eslint . && mocha | tap-spec"}}`, "yarn.lock", ""},
			"node_modules/.bin/mocha; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"eslint . && mocha"}}`, "yarn.lock", "", ".pnp.cjs", ""},
			"yarn test; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		{[]string{"package.json", `{}`, "test/a.js", ""}, "node --test"},
		{[]string{"package.json", `{"scripts":{"test":"vitest"}}`}, "CI=1 npm test"},
		{[]string{"package.json", `{"scripts":{"test":"run-s -s lint test:unit"}}`}, "npm run test:unit; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"npm-run-all lint unit types"}}`}, "npm run unit; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"run-s test:*"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"run-p lint unit"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"standard && borp --coverage && npm run test:types"}}`},
			"node_modules/.bin/borp --coverage; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"npm run lint:js && npm run unit"}}`}, "npm run unit; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"X=1 TZ=UTC mocha 'test/*.js' && standard index.js"}}`},
			"X=1 TZ=UTC node_modules/.bin/mocha 'test/*.js'; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"eslint . && node test.js | tap-spec"}}`},
			"node test.js; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"tsc && node --test dist"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"tsc --noEmit && vitest run"}}`},
			"node_modules/.bin/vitest run; npm test"},
		{[]string{"package.json", `{"scripts":{"test":"standard && c8 borp"}}`},
			`PATH="$PWD/node_modules/.bin:$PATH" c8 borp; npm test`},
		{[]string{"package.json", `{"scripts":{"test":"standard && tsd"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"pretest":"npm run build","test":"standard && ava"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"pretest":"npm run --silent readme && npm run lint",` +
			`"test":"npm run tests-only","posttest":"npx npm@'>=10.2' audit --production"}}`}, "npm test --ignore-scripts"},
		{[]string{"package.json", `{"scripts":{"pretest":"npm run lint && npm run build","test":"tape t.js"}}`}, "npm test"},
		{[]string{"package.json",
			`{"scripts":{"pretest":"tsc","test":"tape t.js","posttest":"aud --production"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"tsc && vitest --coverage"}}`, "yarn.lock", ""},
			"CI=1 yarn test; CI=1 npm test"},
		{[]string{"package.json", `{"scripts":{"test":"vitest run"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"vitest --run"}}`}, "npm test"},
		{[]string{"package.json", `{"scripts":{"test":"react-scripts test --watchAll=false"}}`}, "npm test"},
		{[]string{"package.json", `{"workspaces":["packages/*"]}`, "packages/a/package.json",
			`{"scripts":{"test":"jest"}}`, "packages/a/a.test.js", ""}, "npm test --workspaces --if-present"},
		{[]string{"package.json", `{"workspaces":{"packages":["p/*"]}}`, "p/a/package.json",
			`{"scripts":{"test":"vitest"}}`}, "CI=1 npm test --workspaces --if-present"},
		{[]string{"package.json", `{}`, "pnpm-workspace.yaml", "packages:\n  - 'p/*'\n", "p/a/package.json",
			`{"scripts":{"test":"tap"}}`}, "pnpm -r test"},
		{[]string{"package.json", `{"workspaces":["p/*"]}`, "p/a/package.json", `{"scripts":{"test":"node --test"}}`,
			"p/a/test/a.js", ""}, "node --test"},
		{[]string{"package.json", `{"workspaces":["p/*"]}`, "p/a/package.json", `{}`}, ""},
		{[]string{"go.work", "go 1.26\n\nuse (\n\t./a // one\n\t./b/c/\n)\n"}, "go test ./a/... ./b/c/..."},
		{[]string{"go.work", "use ./a\n"}, "go test ./a/..."},
		{[]string{"package.json", `not json`, "node_modules/x/test/a.js", ""}, ""},
		{[]string{"pyproject.toml", "[project.optional-dependencies]\ndev = [\"pytest>=8\"]\n"}, "python3 -m pytest"},
		{[]string{"setup.cfg", "[tool:pytest]\n"}, "python3 -m pytest"},
		{[]string{"requirements-dev.txt", "black\npytest==8.1\n"}, "python3 -m pytest"},
		{[]string{"conftest.py", ""}, "python3 -m pytest"},
		{[]string{"conftest.py", "", ".venv/bin/python", ""}, ".venv/bin/python -m pytest"},
		{[]string{"tests/test_a.py", "import unittest\n", "venv/bin/python", ""},
			"venv/bin/python -m unittest discover -s tests"},
		{[]string{"tests/test_a.py", "def test_a(): pass\n"}, "python3 -m pytest"},
		{[]string{"tests/test_a.py", "def test_a(): pass\n", "tests/requirements.txt", ""}, "python3 -m pytest"},
		{[]string{"api/pyproject.toml", "", "api/tests/test_a.py", "def test_a(): pass\n"}, ""},
		{[]string{"package.json", `{}`, "web/package.json", `{"scripts":{"test":"vitest"}}`, "web/a.test.js", ""}, ""},
		{[]string{"tests/test_a.py", "import unittest\n"}, "python3 -m unittest discover -s tests"},
		{[]string{"manage.py", "execute_from_command_line(sys.argv)\n", "shop/tests.py", "import unittest\n"},
			"python3 manage.py test"},
		{[]string{"manage.py", "execute_from_command_line(sys.argv)\n", "pytest.ini", ""}, "python3 -m pytest"},
		{[]string{"manage.py", "print(1)\n"}, ""},
		{[]string{"test_a.py", "import unittest\n", "mined.recipe.md", "", "mined.files/1/test_a.py", "import unittest\n"},
			"python3 -m unittest discover"},
		{[]string{"tests/__init__.py", "", "tests/test_a.py", "import unittest\n"}, "python3 -m unittest discover"},
		{[]string{"test_a.py", "import unittest\n"}, "python3 -m unittest discover"},
		{[]string{"test_a.py", "import unittest\n", "test_b.py", "import re, pytest\n"}, "python3 -m pytest"},
		{[]string{"test_a.py", "from unittest import mock\n\n\ndef test_a(): pass\n"}, "python3 -m pytest"},
		{[]string{"test_a.py", "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"},
			"python3 -m unittest discover"},
		{[]string{"pyproject.toml", "[project]\nname = \"x\"\n"}, ""},
		{[]string{"tox.ini", "[tox]\n"}, "tox"},
		{[]string{"phpunit.xml", ""}, "phpunit"},
		{[]string{"phpunit.xml", "", "composer.lock", "{}"}, "php vendor/bin/phpunit"},
		{[]string{"phpunit.xml", "", "composer.json", `{"name":"a/b"}`}, "phpunit"},
		{[]string{"phpunit.xml", "", "vendor/bin/pest", ""}, "php vendor/bin/pest"},
		{[]string{"configure.ac", "", "Makefile.am", "SUBDIRS = src\nTESTS = a\n"},
			"{ [ -x configure ] || autoreconf -i; } && { [ -f Makefile ] || ./configure; } && make check"},
		{[]string{"pom.xml", ""}, "mvn -o -q test"},
		{[]string{"pom.xml", "", "mvnw", ""}, "./mvnw -o -q test"},
		{[]string{"build.gradle.kts", ""}, "gradle --offline test"},
	} {
		var got []string
		for _, p := range Commands(tree(t, c.files...)) {
			got = append(got, p.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%v: %v, want %s", c.files, got, c.want)
		}
	}
}

// TestEditableInstalls: what a virtual environment finds at the project's own place is looked
// for in the copy, with what has to be quoted; what lies elsewhere stays as it is.
func TestEditableInstalls(t *testing.T) {
	const site = ".venv/lib/python3.12/site-packages/"
	for lists, want := range map[string]string{
		"DIR/src\n":                              "PYTHONPATH=src .venv/bin/python -m pytest",
		"DIR/src/\r\nDIR/src\nDIR/libs/my own\n": "PYTHONPATH='src:libs/my own' .venv/bin/python -m pytest",
		"DIR\n":                                  ".venv/bin/python -m pytest",
		"DIR-other/src\n/elsewhere\nimport os; x = 1\n": ".venv/bin/python -m pytest",
	} {
		dir := tree(t, "pytest.ini", "", ".venv/bin/python", "")
		for at, text := range map[string]string{site + "__editable__.x.pth": strings.ReplaceAll(lists, "DIR", dir),
			site + "x.py": dir + "/src"} {
			if err := os.MkdirAll(filepath.Join(dir, site), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, at), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := Commands(dir)
		if len(got) != 1 || got[0].Text != want || got[0].Program() != ".venv/bin/python" {
			t.Errorf("%q: %+v, want %s", lists, got, want)
		}
	}
}

// TestFaultsGoInAndOut: whatever stands in a line, setup changes it and nothing
// else, and the solution gives the file back.
func TestFaultsGoInAndOut(t *testing.T) {
	text := "package p\n\nimport \"fmt\" // 1 == 1\n\n" +
		"func f(a []int) bool {\n\tif a[0] * 2 == 4 && len(a) < 3 { // it's $ ^ [x] & \\n | #\n\t\tfmt.Println('|', " +
		"\"#&\\\\\", 5, `~,`)\n\t}\n\treturn a[1] + a[2] != 7\n}\n"
	dir := tree(t, "p.go", text, "p_test.go", "package p\n\nvar x = 1 == 1\n", "vendor/v.go",
		"package v\n\nvar x = 1 == 1\n")
	list := Faults(dir, nil)
	if len(list) < 3 {
		t.Fatalf("%d faults: %+v", len(list), list)
	}
	for _, f := range list {
		if f.File != "p.go" {
			t.Errorf("a fault for %s", f.File)
			continue
		}
		lines := strings.Split(text, "\n")
		lines[f.Line-1] = f.New
		for _, step := range []struct{ script, want string }{{f.Setup(), strings.Join(lines, "\n")},
			{f.Solution(), text}} {
			cmd := exec.Command("sh", "-c", step.script)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", step.script, err, out)
			}
			got, err := os.ReadFile(filepath.Join(dir, "p.go"))
			if err != nil || string(got) != step.want || got == nil {
				t.Errorf("%s: %v\n%s", step.script, err, got)
			}
		}
		if f.New == f.Old {
			t.Errorf("line %d stays as it is", f.Line)
		}
	}
}

// TestPythonFaults: of a file of few lines, too, though its size stays.
// TestFaultsOfWindows: a line that ends as Windows has it is changed, and ends so afterwards; recipes hold no such
// ends.
func TestFaultsOfWindows(t *testing.T) {
	dir := tree(t, "a.py", "def minutes(h, m):\r\n    return h * 60 + m\r\n")
	list := Faults(dir, nil)
	if len(list) == 0 {
		t.Fatal("no faults")
	}
	text := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "a.py"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	was := text()
	for _, script := range []string{list[0].Setup(), list[0].Solution()} {
		before := text()
		cmd := exec.Command("sh", "-c", script)
		if cmd.Dir = dir; strings.Contains(script, "\r") {
			t.Errorf("%q", script)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if now := text(); now == before || strings.Count(now, "\r\n") != 2 {
			t.Errorf("%q after %s", now, script)
		}
	}
	if text() != was {
		t.Errorf("%q, want %q", text(), was)
	}
}

func TestPythonFaults(t *testing.T) {
	if list := Faults(tree(t, "a.py", "def minutes(h, m):\n    return h * 60 + m\n"), []string{"**/a.py"}); len(list) > 0 {
		t.Errorf("a fault in what decides: %v", list)
	}
	list := Faults(tree(t, "a.py", "def minutes(h, m):\n    return h * 60 + m\n"), nil)
	if len(list) != 3 || list[1].New != "    return h * 60 - m" {
		t.Errorf("%+v", list)
	}
}

// TestTestsHoldNoFault: files that the languages' own customs call tests are no place for
// a fault, wherever they lie, and tell which sources are tested.
func TestTestsHoldNoFault(t *testing.T) {
	const sum, sums = "int f() {\n    return a + b;\n}\n", "void t() {\n    check(f() == 3);\n}\n"
	list := Faults(tree(t, "Other.java", sum, "SumTest.java", sums, "TestOther.java", sums, "Sum.java", sum,
		"SumTests.kt", sums, "Contest.java", sum), nil)
	var files []string
	for _, f := range list {
		if !slices.Contains(files, f.File) {
			files = append(files, f.File)
		}
	}
	if want := []string{"Other.java", "Sum.java", "Contest.java"}; !slices.Equal(files, want) {
		t.Errorf("faults for %q, want %q", files, want)
	}
}

// TestProtectedOfMembers: what decides is protected in each package of several, and of no
// other language.
func TestProtectedOfMembers(t *testing.T) {
	dir := tree(t, "package.json", `{"workspaces":["packages/*","./apps/web/","!packages/old","../out","/abs","."]}`)
	globs := Protect("npm test --workspaces", Members(dir)...)
	for _, want := range []string{"package.json", "packages/*/package.json", "apps/web/test/**",
		"packages/*/jest.config.*"} {
		if !slices.Contains(globs, want) {
			t.Errorf("%s is not protected: %v", want, globs)
		}
	}
	if n := len(Protect("npm test")); len(globs) != n+2*len(strings.Fields(memberFiles)) {
		t.Errorf("%d globs, of one package %d: %v", len(globs), n, globs)
	}
	for test, want := range map[string]bool{"cargo test": false, "go test": true, "cd a&&go test": true,
		"cargo test && go test": true} {
		if slices.Contains(Protect(test), "go.mod") != want {
			t.Errorf("%s: %v", test, Protect(test))
		}
	}
}

func TestProtectAndHint(t *testing.T) {
	for test, want := range map[string]string{"npm test": "package.json", "python3 -m pytest": "**/conftest.py",
		"mvn -o -q test": "pom.xml",
		"make test":      "Makefile", "make check": "**/*Test.java", "go test ./...": "**/*_test.go",
		"./gradlew test": "gradlew"} {
		if !strings.Contains(strings.Join(Protect(test), " "), want) {
			t.Errorf("%s: %v lacks %s", test, Protect(test), want)
		}
	}
	for _, test := range []string{"sh test.sh", "bash tests/run.sh", "./test.sh"} {
		if !slices.Contains(Protect(test), "src/test/**") { // whatever it compiles
			t.Errorf("%s: %v", test, Protect(test))
		}
	}
	for test, want := range map[string]string{
		"cd api && go test ./...":                       "api/go.mod",
		"go test -C api ./...":                          "api/go.mod",
		"(cd web && npm test) && (cd api && go test .)": "web/package.json",
		"npm --prefix web test":                         "web/package.json",
		"cd py; python3 -m pytest":                      "py/pyproject.toml",
		"make -C lib test":                              "lib/Makefile",
		"ci/test.sh all":                                "**/*_test.*",
	} {
		if !slices.Contains(Protect(test), want) {
			t.Errorf("%s: %v lacks %s", test, Protect(test), want)
		}
	}
	if Protect("frob check") != nil {
		t.Error("globs for a command that nobody knows")
	}
	for output, want := range map[string]string{"module lookup disabled by GOPROXY=off": "go mod vendor",
		"ModuleNotFoundError: No module named 'x'": ".venv",
		"Error: Cannot find module 'chalk'":        "npm install", "1 failed": ""} {
		if got := Hint(output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

// TestTestsOf: what tests changes with the package.json of a commit.
func TestTestsOf(t *testing.T) {
	for manifest, want := range map[string]string{
		`{"scripts":{"test":"standard && borp"}}`:                              "node_modules/.bin/borp",
		`{"scripts":{"test":"standard && tap test/*.js"}}`:                     "node_modules/.bin/tap test/*.js",
		`{"scripts":{"test":"mocha"}}`:                                         "npm test",
		`{"scripts":{"test":"node --test | tap-spec"}}`:                        "node --test",
		`{"scripts":{"test":"tape a.js 2>&1 | npx faucet && rm -rf tmp"}}`:     "node_modules/.bin/tape a.js && rm -rf tmp",
		`{"scripts":{"test":"node --test --test-reporter tap | tee out.log"}}`: "node --test --test-reporter tap",
		`{"scripts":{"test":"node test.js | diff - want.txt"}}`:                "npm test",
		`{"scripts":{"test":"node --test | tap-spec || true"}}`:                "npm test",
		`{"scripts":{"test":"ava","posttest":"xo"}}`:                           "npm test --ignore-scripts",
		`{"scripts":{"lint":"xo"}}`:                                            "", `{`: "",
	} {
		if got := TestsOf(manifest); got != want {
			t.Errorf("%s: %q, want %q", manifest, got, want)
		}
	}
}

// TestFaultsOfOneLiners: a line may be made wrong in more ways than one, since the
// first may be no fault, and one that has no operator still returns something.
func TestFaultsOfOneLiners(t *testing.T) {
	check := func(ending, line string, want ...string) {
		t.Helper()
		var got []string
		for _, f := range faultsIn("a"+ending, line+"\n") {
			got = append(got, f.New)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	check(".js", "const clamp = (x, a, b) => x < a ? a : x;", "const clamp = (x, a, b) => x <= a ? a : x;",
		"const clamp = (x, a, b) => x < a ? x : a;", "const clamp = (x, a, b) => x > a ? a : x;")
	check(".js", "  return s.trim().toLowerCase();", "  return s.toLowerCase();", "  return s.trim();",
		"  return !(s.trim().toLowerCase());")
	check(".js", "  return {")
	check(".py", "    return s.strip()", "    return s", "    return not (s.strip())")
	check(".py", "    return f(", []string{}...)
	check(".ts", "  return `${sign}${Math.floor(n / 100)}`;", "  return !(`${sign}${Math.floor(n / 100)}`);")
	check(".tsx", "  const sign = n < 0 ? '-' : '';", "  const sign = n <= 0 ? '-' : '';",
		"  const sign = n < 0 ? '_' : '';", "  const sign = n < 0 ? '' : '-';", "  const sign = n > 0 ? '-' : '';",
		"  const sign = n < 1 ? '-' : '';")
	check(".java", "        } else if (name.isEmpty()) {", "        } else if (!name.isEmpty()) {",
		"        } else if (!(name.isEmpty())) {")
	check(".rs", "    if s.is_empty() {", "    if !(s.is_empty()) {")
	check(".rs", "    if let Some(x) = s.next() {")
	check(".rb", "  return x if ok", "  return x unless ok", "  ")
	check(".rb", "    if ok?(x)", "    unless ok?(x)")
}

// TestPrepare: what gets what is missing, by what the project names and this machine
// has.
func TestPrepare(t *testing.T) {
	check := func(output, without, want string, files ...string) {
		t.Helper()
		got := Prepare(tree(t, files...), output, func(p string) bool { return p != without }).Command
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const pip = "python3 -m venv .venv && .venv/bin/pip install -q "
	no := "No module named pytest"
	check(no, "", pip+"-r requirements.txt", "requirements.txt",
		"# what tests need\nPyTest >= 8 ; python_version > '3'\nrequests\n")
	check(no, "", pip+"-r requirements.txt pytest", "requirements.txt", "pytest-cov\nrequests\n")
	check(no, "", pip+"-e . 'pytest>=8' attrs", "pyproject.toml",
		"[project]\nname = \"x\"\n[dependency-groups]\n"+
			"dev = [\"pytest>=8\", {include-group = \"test\"}, {include-group = \"dev\"}]\ntest = [\"attrs\"]\n")
	check(no, "", pip+"-e '.[dev,test]'", "pyproject.toml",
		"[project]\nname = \"x\"\n[project.optional-dependencies]\ntest = [\"pytest\"]\ndev = []\n[tool.x]\n"+
			"testing = [1]\n")
	check(no, "", pip+"-e . pytest pytest-cov", "pyproject.toml",
		"[tool.poetry.group.dev.dependencies]\npytest = \"*\"\npytest-cov = \"^4\"\n[build-system]\n")
	check(no, "", pip+"-e . pytest", "pyproject.toml",
		"[project]\nname = \"x\"\n[dependency-groups]\ndev = [\"-r /etc/passwd\", \"$(id)\", 3]\n")
	check(no, "", pip+"-r requirements/tests.txt pytest", "requirements/tests.txt", "freezegun\n",
		"requirements/docs.txt", "sphinx\n")
	check(no, "", "uv sync --frozen", "uv.lock", "")
	check(no, "uv", got("uv")+" sync --frozen", "uv.lock", "")
	check(no, "", "poetry install -n", "poetry.lock", "", "pyproject.toml", "[tool.poetry]\n")
	check(no, "", "uv sync --frozen --group test --extra tests", "uv.lock", "", "pyproject.toml",
		"[project]\nname = \"x\"\n[project.optional-dependencies]\ntests = []\ndocs = []\n"+
			"[dependency-groups]\ndev = []\ntest = []\n")
	check(no, "", "poetry install -n --with test -E dev", "poetry.lock", "", "pyproject.toml",
		"[tool.poetry.extras]\ndev = []\n[tool.poetry.group.test]\noptional = true\n"+
			"[tool.poetry.group.dev.dependencies]\nx = \"1\"\n")
	check(no, "", "pdm sync -q -G test", "pdm.lock", "", "pyproject.toml",
		"[project.optional-dependencies]\ntest = []\n[dependency-groups]\ndev = []\n")
	check(no, "poetry", got("poetry")+" install -n", "poetry.lock", "", "requirements.txt", "pytest\n")
	check(no, "", "pdm sync -q", "pdm.lock", "")
	check(no, "pdm", pip+"pytest", "pdm.lock", "")
	check(no, "pipenv", got("pipenv")+" sync -q --dev", "Pipfile.lock", "{}")
	check("sh: 1: jest: not found", "pnpm", "npm install --no-package-lock", "pnpm-lock.yaml", "", "package.json", "{}")
	check("> a@1.0.0 lint\n> eslint .\n\nsh: 1: eslint: not found\n", "", "npm install --no-package-lock", "package.json",
		`{"scripts":{"pretest":"npm run lint"},"devDependencies":{"eslint":"1","tape":"5"}}`)
	check("bash: line 1: node_modules/.bin/tape: No such file or directory", "", "npm install --no-package-lock",
		"package.json", `{"devDependencies":{"tape":"5"}}`)
	check("bash: line 1: cargo: command not found", "", "", "package.json", `{"devDependencies":{"tape":"5"}}`)
	check("bundler: command not found: rspec\nInstall missing gem executables with `bundle install`", "",
		"bundle config set --local path vendor/bundle && bundle install --quiet", "Gemfile", "gem 'rspec'")
	check("Could not find rspec-3.13.0 in locally installed gems (Bundler::GemNotFound)", "bundle", "", "Gemfile", "")
	check("Could not find rspec-3.13.0 in cached gems or installed locally", "",
		"bundle config set --local path vendor/bundle && bundle install --quiet --local", "Gemfile", "",
		"vendor/cache/rspec-3.13.0.gem", "")
	check("> phpunit tests\nsh: 1: phpunit: not found\n", "", "composer install -q --no-interaction",
		"composer.json", "{}")
	check("Could not open input file: vendor/bin/phpunit", "", "composer install -q --no-interaction",
		"composer.json", "{}")
	maven := "Cannot access central in offline mode"
	inCopy := "cp -r . /tmp/p && cd /tmp/p && { "
	check(maven, "", inCopy+"mvn -q -B -Dmaven.test.failure.ignore test || mvn -q -B dependency:go-offline; }",
		"pom.xml", "")
	check(maven, "mvn", "", "pom.xml", "")
	check(maven, "mvn", inCopy+"./mvnw -q -B -Dmaven.test.failure.ignore test || ./mvnw -q -B dependency:go-offline; }",
		"pom.xml", "", "mvnw", "")
	gradle := "> No cached version of junit:junit:4.13.2 available for offline mode."
	check(gradle, "", inCopy+"gradle -q --no-daemon --continue test || gradle -q --no-daemon dependencies; }",
		"build.gradle", "")
	check(gradle, "gradle", "", "build.gradle.kts", "")
	check("java.net.UnknownHostException: services.gradle.org", "gradle",
		inCopy+"sh ./gradlew -q --no-daemon --continue test || sh ./gradlew -q --no-daemon dependencies; }",
		"build.gradle.kts", "", "gradlew", "")
}

// TestBelow: projects in directories of a repository that itself proposes nothing.
func TestBelow(t *testing.T) {
	dir := tree(t, "README.md", "", "api/go.mod", "module x\n", "api/web/package.json", `{"scripts":{"test":"jest"}}`,
		"libs/py/conftest.py", "", "node_modules/a/Cargo.toml", "", ".git/go.mod", "", "a/b/c/d/go.mod", "")
	want := []Member{{Command{"go test ./...", "api/go.mod"}, "api"},
		{Command{"python3 -m pytest", "libs/py/conftest.py"}, "libs/py"}}
	if got := Below(dir); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestOneOfSeveral: tests of Python that are found below say nothing of the projects beside
// them; a directory of tests is no project of its own.
func TestOneOfSeveral(t *testing.T) {
	web := `{"scripts":{"test":"node --test"}}`
	for _, c := range []struct {
		files []string
		want  bool
	}{
		{[]string{"backend/tests/test_a.py", "import unittest\n", "backend/a.py", "", "web/package.json", web}, true},
		{[]string{"backend/tests/test_a.py", "import unittest\n", "backend/a.py", ""}, false},
		{[]string{"tests/test_a.py", "import unittest\n", "a.py", "", "docs/package.json", web}, false},
		{[]string{"go.mod", "module x\n", "web/package.json", web, "api/go.mod", "module y\n"}, false},
	} {
		dir := tree(t, c.files...)
		list := Commands(dir)
		if got := OneOfSeveral(dir, list); got != c.want || len(list) == 0 {
			t.Errorf("%q: %v, of %q", c.files, got, list)
		}
	}
}

// TestOfPath: a virtual environment that a world has not is made there with what it holds.
func TestOfPath(t *testing.T) {
	for test, want := range map[string][2]string{
		".venv/bin/python -m pytest -q":                  {"python3 -m pytest -q", ".venv"},
		"venv/bin/pytest tests":                          {"python3 -m pytest tests", "venv"},
		"PYTHONPATH=src A=1 .venv/bin/python3 -m pytest": {"PYTHONPATH=src A=1 python3 -m pytest", ".venv"},
		"./.venv/bin/pytest -x":                          {"python3 -m pytest -x", ".venv"},
		". .venv/bin/activate && pytest tests":           {"pytest tests", ".venv"},
		"source ./venv/bin/activate; python -m unittest": {"python -m unittest", "venv"},
		"source venv/bin/activate":                       {},
		"python3 -m pytest":                              {},
		"bin/python -m pytest":                           {},
		".venv/bin/tox":                                  {},
	} {
		command, venv := OfPath(test)
		if command != want[0] || venv != want[1] {
			t.Errorf("%s: %q of %q, want %q", test, command, venv, want)
		}
	}
	for _, has := range []bool{true, false} {
		locked := Given(ByLockfile(tree(t, "uv.lock", ""), func(string) bool { return has }))
		if got := locked.Called("python3 -m pytest -q"); got != ".venv/bin/python -m pytest -q" {
			t.Errorf("with what uv gets it is called %q", got)
		}
		if strings.HasPrefix(locked.Command, "uv ") != has || !strings.HasSuffix(locked.Command, "uv sync --frozen") {
			t.Errorf("uv is here: %v; %s", has, locked.Command)
		}
		if early := Unlocked(locked.Command, func(string) bool { return false }); early != "if [ -f uv.lock ]; then "+
			locked.Command+"; else "+strings.TrimSuffix(locked.Command, " --frozen")+"; fi" {
			t.Errorf("before there was a lockfile: %s", early)
		}
	}
	p := Preparation{Command: "python3 -m venv .venv && .venv/bin/pip install -q -e .", Dir: environment}
	for test, want := range map[string]string{
		"PYTHONPATH=src python3 -m pytest": "PYTHONPATH=src .venv/bin/python -m pytest",
		"pytest -x":                        ".venv/bin/pytest -x",
		"pytests":                          "pytests",
	} {
		if got := p.Called(test); got != want {
			t.Errorf("%s is called %q, want %q", test, got, want)
		}
	}
	at := "venv/lib/python3.11/site-packages/"
	dir := tree(t, at+"attrs-23.1.0.dist-info/METADATA", "", at+"pip-23.0.dist-info/METADATA", "",
		at+"own-1.0.dist-info/direct_url.json", "{}", at+"evil;id-1.0.dist-info/METADATA", "",
		at+"typing_extensions-4.1.dist-info/METADATA", "")
	p.Command += " attrs pytest"
	install := ".venv/bin/pip install -q -e . pytest "
	if got := p.With(dir, "venv").Command; got != "python3 -m venv .venv && { "+install+"attrs==23.1.0 typing_extensions==4.1 || "+
		install+"attrs typing_extensions; }" {
		t.Errorf("prepared with %q", got)
	}
	if uv := (Preparation{Command: "uv sync --frozen", Dir: environment}); uv.With(dir, "venv") != uv {
		t.Error("a lockfile's packages are added to")
	}
}

// TestByLockfile: what a history is prepared by has what tests need, whatever it is called in a commit.
func TestByLockfile(t *testing.T) {
	dir := tree(t, "uv.lock", "", "pyproject.toml", "[dependency-groups]\ntest = [\"pytest\"]\n")
	got := ByLockfile(dir, func(string) bool { return true })
	if want := "uv sync --frozen --all-groups --all-extras"; got != want || !strings.HasPrefix(
		Unlocked(got, func(string) bool { return false }), "if [ -f uv.lock ]; then "+want+"; else uv sync;") {
		t.Errorf("%q", got)
	}
	dir = tree(t, "uv.lock", "", "pyproject.toml", "[dependency-groups]\ntest = []\n[tool.uv]\nconflicts = [[]]\n")
	if got := ByLockfile(dir, func(string) bool { return true }); got != "uv sync --frozen --group test" {
		t.Errorf("what can't be had together: %q", got)
	}
}

// got is how a program that is not installed is got and called.
func got(program string) string {
	return strings.ReplaceAll("python3 -m venv /tmp/IT && /tmp/IT/bin/pip install -q IT && /tmp/IT/bin/IT", "IT", program)
}

// TestUnlocked: what demands a lockfile is asked of the commits of a history that have one.
func TestUnlocked(t *testing.T) {
	for command, want := range map[string]string{
		"npm ci": "if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then npm ci; " +
			"else npm install --no-package-lock; fi",
		"cargo fetch --locked": "if [ -f Cargo.lock ]; then cargo fetch --locked; else cargo fetch; fi",
		"go mod download":      "go mod download",
		"poetry install -n":    "poetry install -n", // makes a lockfile itself
		got("pipenv") + " sync -q --dev": "if [ -f Pipfile.lock ]; then " + got("pipenv") + " sync -q --dev; else " +
			got("pipenv") + " install -q --dev --skip-lock; fi",
		"uv sync --frozen --group test": "if [ -f uv.lock ]; then uv sync --frozen --group test; else uv sync; fi",
		"":                              "",
	} {
		if got := Unlocked(command, func(string) bool { return false }); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
		if got := Unlocked(command, func(name string) bool { return name != "package-lock.json" }); got != command {
			t.Errorf("%s, in all commits: %q", command, got)
		}
	}
}

// TestGiven: what pip would put into a home comes into an environment, and what it would copy of the project is linked.
func TestGiven(t *testing.T) {
	const made = "python3 -m venv .venv && . .venv/bin/activate && "
	for command, want := range map[string]string{
		"npm ci": "npm ci", "make": "make", "pip install --target lib x": "pip install --target lib x",
		"python3 -m venv env && env/bin/pip install .": "python3 -m venv env && env/bin/pip install .",
		".venv/bin/pip install .":                      ".venv/bin/pip install .",
		"pip install -r requirements.txt":              made + "pip install -r requirements.txt",
		"pip install -e .[test]":                       made + "pip install -e .[test]",
		"pip3 install -q '.[test]' && npm ci":          made + "pip3 install -q -e '.[test]' && npm ci",
		"pip install --user -e .":                      made + "pip install -e .",
		"python3.9 -m pip install .": "python3.9 -m venv .venv && . .venv/bin/activate && " +
			"python3.9 -m pip install -e .",
		"npm ci; CC=gcc python -m pip install . ./libs/a": made +
			"npm ci; CC=gcc python -m pip install -e . -e ./libs/a",
		"pip install -f ./wheels ./wheels/a-1.whl -U pip": made + "pip install -f ./wheels ./wheels/a-1.whl -U pip",
	} {
		p := Given(command)
		if p.Command != want {
			t.Errorf("%s: %s, want %s", command, p.Command, want)
		}
		if in := strings.Contains(want, ".venv"); in != (p.Dir == environment) {
			t.Errorf("%s: in %q", command, p.Dir)
		}
	}
}
