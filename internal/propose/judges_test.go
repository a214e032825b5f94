package propose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestJudges: what a test command calls and what decides is found through make, npm and
// scripts of the shell; what is decided about is not.
func TestJudges(t *testing.T) {
	for _, c := range []struct {
		test, want string
		files      []string
	}{
		{"make test", "check.sh", []string{"Makefile", "test:\n\t./check.sh\n", "check.sh", "sh greet.sh\n",
			"greet.sh", ""}}, {"make check", "ci/run.sh scripts/test-all.sh lib/assert.sh", []string{"Makefile",
			"SH = sh\ncheck: build unit\nunit:\n\t@$(SH) \\\n  ci/run.sh\nbuild:\n\tcc -o app app.c\n" +
				"clean:\n\tsh check-not.sh\n",
			"ci/run.sh", "#!/bin/sh\n./scripts/test-all.sh\n", "scripts/test-all.sh",
			". lib/assert.sh\npython3 app.py\n", "lib/assert.sh", "", "app.c", "", "app.py", "", "check-not.sh", ""}},
		{"make -s test", "out/expected.txt want.txt", []string{"makefile",
			"test: all\n\tpython3 main.py > got.txt && diff out/expected.txt got.txt\n\tcmp want.txt got.txt\n" +
				"all: test\n",
			"main.py", "", "out/expected.txt", "", "want.txt", ""}},
		{"make check", "src/check.c", []string{"Makefile", "check: roman\n\t./roman\nroman: src/roman.c src/check.c\n" +
			"\t$(CC) -o $@ $^\n", "src/roman.c", "", "src/check.c", "int main(void) { return 0; }"}},
		{"make check", "check.cc", []string{"Makefile", "check: app\n\t./app\napp: roman.o check.o checks.o\n",
			"check.cc", "int main() {}", "checks.c", "int check(int n);", "roman.c", ""}},
		{"make check", "tests/** tests/run.py", []string{"Makefile", "check: src/checks.py\n\tpython3 tests/run.py\n",
			"src/checks.py", "def main(): pass\n", "tests/run.py", ""}},
		{"npm test", "run-tests.js check.mjs", []string{"package.json",
			`{"scripts": {"pretest": "node check.mjs", "test": "npm run unit", "unit": "node run-tests.js"}}`,
			"run-tests.js", "", "check.mjs", "", "index.js", ""}},
		{"sh check.sh", "check.sh", []string{"check.sh", "sh check.sh; make check"}},
		{"python3 checkout.py && ./inspect", "", []string{"checkout.py", "", "inspect", ""}},
		{"sh ../check.sh /etc/check.sh tests", "tests/**", []string{"tests/a", ""}},
		{"make check", "t/run.sh t/**", []string{"Makefile", "check: build/a_test\n\t@sh t/run.sh build/a_test\n",
			"t/run.sh", "", "t/a_test.c", "", "t/check.h", "", "src/t/x.h", ""}},
		{"npm test", "setup.ts test-env.js hooks.mjs", []string{"package.json",
			`{"exports": {"import": "./index.js"}, "scripts": {"test": "vitest run", "start": "node -r ./index.js ."},` +
				` "jest": {"testEnvironment": "<rootDir>/test-env.js"}}`,
			"vitest.config.ts", "export default {\n  test: {\n    setupFiles: [\n      './setup'],\n" +
				"    reporters: ['dot'],\n  },\n}\n",
			".mocharc.yml", "require: ./hooks.mjs\n", "setup.ts", "", "test-env.js", "", "hooks.mjs", "", "index.js", "",
			"dot", ""}},
		{"npm test", "tsconfig.json base.json test/tsconfig.json test/**", []string{"package.json",
			`{"scripts": {"build": "npx tsc -p test", "test": "npm run build && node --test dist"}}`,
			"tsconfig.json", `{"extends": "./base.json"}`, "base.json", "{}", "test/tsconfig.json", "{}", "other.json", ""}},
		{"node --import ./register.mjs --test", "register.mjs", []string{"register.mjs", ""}},
		{"python3 -m unittest -v shop.checks shop.cart", "shop/checks.py",
			[]string{"shop/checks.py", "", "shop/cart.py", ""}},
		{"make test", "lib/junit.jar lib/more.jar", []string{"Makefile",
			"test:\n\tjavac -cp lib/junit.jar:lib/more.jar -d out src/A.java\n\tjava -jar lib/junit.jar -cp out\n",
			"lib/junit.jar", "", "lib/more.jar", "", "src/A.java", ""}},
		{"cd app && make test", "app/check.sh app/tests/**", []string{"app/Makefile", "test:\n\t./check.sh\n", "app/check.sh",
			"", "check.sh", "", "app/tests/x", ""}},
		{"make -C app test", "app/sub/run-tests.js", []string{"app/Makefile", "test:\n\tcd sub && npm test\n",
			"app/sub/package.json", `{"scripts": {"test": "node run-tests.js"}}`, "app/sub/run-tests.js", ""}},
		{"npm --prefix web test", "web/run-tests.js", []string{"web/package.json",
			`{"scripts": {"test": "node run-tests.js"}}`, "web/run-tests.js", "", "run-tests.js", ""}},
		{"cd ../app && make test", "", []string{"check.sh", ""}},
		{"make $(", "", []string{"Makefile", "test:\n\tif ((((\n"}},
	} {
		got, want := Judges(tree(t, c.files...), c.test), strings.Fields(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.test, got, want)
		}
	}
}

// TestBeside: what lies with a test in a directory for tests decides as it does.
func TestBeside(t *testing.T) {
	got := Beside([]string{"check.sh", "test/run.sh", "test/unit/all.sh", "tools/ci/run.sh", "pkg/tests/x/run.sh"})
	if want := []string{"test/**", "pkg/tests/**"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestUnittestOfAPackage: a project below another's directory whose tests import it by that directory's name is
// looked through from above it.
func TestUnittestOfAPackage(t *testing.T) {
	dir := tree(t, "backend/__init__.py", "", "backend/tests/__init__.py", "",
		"backend/tests/test_a.py", "import unittest\nfrom backend.calc import add\n", "svc/go.mod", "module svc\n")
	below := Below(dir)
	if len(below) != 2 || below[0].Text != "python3 -m unittest discover -t .." {
		t.Errorf("%+v", below)
	}
}

// TestLinksOut: a link out of a project is told, whether or not something is there; one within it is not.
func TestLinksOut(t *testing.T) {
	dir := tree(t, "build/app", "")
	for name, to := range map[string]string{"node_modules": t.TempDir(), "gone": "../gone", "latest": "build",
		"later": "build/later"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	venv := tree(t, "pyvenv.cfg", "")
	if err := os.Symlink(venv, filepath.Join(dir, ".venv")); err != nil {
		t.Fatal(err)
	}
	got := LinksOut(dir)
	if len(got) != 2 || got["node_modules"] == "" || got["gone"] == "" {
		t.Errorf("%v", got)
	}
	if (project{dir}).first("node_modules") != "" || (project{dir}).first("latest") == "" {
		t.Error("what a link out of the project leads to is there, or what one within it does is not")
	}
}
