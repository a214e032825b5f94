package propose

import (
	"slices"
	"strings"
	"unicode"
)

// What decides, by language: the tests, and what says how they run.
const (
	nodeFiles = "test/** tests/** __tests__/** **/*.test.* **/*.spec.* **/test-*.* package.json " +
		"node_modules/.bin/** .npmrc .mocharc* jest.config.* vitest.config.* vite.config.* babel.config.*"
	// memberFiles are those of one of several packages.
	memberFiles = "test/** tests/** __tests__/** package.json node_modules/.bin/** .npmrc .mocharc* jest.config.* " +
		"vitest.config.* vite.config.* babel.config.*"
	pythonFiles = "tests/** **/test_*.py **/*_test.py **/conftest.py pytest.ini .pytest.ini pyproject.toml " +
		"setup.cfg tox.ini **/sitecustomize.py **/usercustomize.py"
	goFiles   = "**/*_test.go **/testdata/** go.mod go.work"
	rustFiles = "tests/** Cargo.toml .cargo/**"
	javaFiles = "src/test/** **/src/test/** pom.xml **/pom.xml .mvn/** mvnw build.gradle* **/build.gradle* " +
		"settings.gradle* gradle.properties gradle/** gradlew"
	denoFiles = "deno.json* deno.lock test/** tests/** **/*_test.* **/*.test.*"
	rubyFiles = "Rakefile rakefile Gemfile Gemfile.lock .rspec test/** spec/**"
	makeFiles = "Makefile makefile GNUmakefile"
)

// calls reports whether a test command speaks of a program, and not of one whose name ends
// like it, as cargo test does like go test.
func calls(test, program string) bool {
	before, _, found := strings.Cut(test, program)
	return found && (before == "" || !unicode.IsLetter(rune(before[len(before)-1])) ||
		calls(test[len(before)+1:], program))
}

// Protect gives the globs of what a command that runs tests judges by, which
// must stay as it is; none where nothing tells. members are the globs of the packages
// of a project that has several (see Members).
func Protect(test string, members ...string) []string {
	var globs []string
	add := func(below, list string) {
		for g := range strings.FieldsSeq(list) {
			if g = below + g; !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	for _, k := range []struct{ command, globs string }{
		{"go test", goFiles}, {"cargo test", rustFiles}, {"npm test", nodeFiles}, {"npm run", nodeFiles},
		{"yarn", nodeFiles},
		{"pnpm", nodeFiles}, {"bun ", nodeFiles}, {"node --test", nodeFiles}, {"jest", nodeFiles},
		{"vitest", nodeFiles},
		{"mocha", nodeFiles}, {"pytest", pythonFiles}, {"unittest", pythonFiles}, {"tox", pythonFiles},
		{"deno ", denoFiles}, {"rake", rubyFiles}, {"rspec", rubyFiles},
		{"just ", "justfile Justfile .justfile test/** tests/**"},
		{"mvn", javaFiles}, {"gradle", javaFiles},
		{"make",
			makeFiles +
				" test/** tests/** **/*_test.* **/test_*.* **/*.test.* **/*Test.java **/*Tests.java **/Test*.java"},
	} {
		if !calls(test, k.command) {
			continue
		}
		add("", k.globs)
		for _, m := range members {
			if k.globs == nodeFiles {
				add(m+"/", memberFiles)
			} else {
				add(m+"/", own(k.globs))
			}
		}
	}
	return globs
}

// own are the globs that say where in a package something lies.
func own(globs string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(globs), func(g string) bool {
		return strings.HasPrefix(g, "**/")
	}), " ")
}
