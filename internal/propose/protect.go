package propose

import (
	"slices"
	"strings"
)

// What decides, by language: the tests, and what says how they run.
const (
	nodeFiles = "test/** tests/** __tests__/** **/*.test.* **/*.spec.* **/test-*.* package.json " +
		"node_modules/.bin/** .npmrc .mocharc* jest.config.* vitest.config.* vite.config.* babel.config.*"
	pythonFiles = "tests/** **/test_*.py **/*_test.py **/conftest.py pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini " +
		"**/sitecustomize.py **/usercustomize.py"
	goFiles   = "**/*_test.go **/testdata/** go.mod go.work"
	rustFiles = "tests/** Cargo.toml .cargo/**"
	javaFiles = "src/test/** **/src/test/** pom.xml **/pom.xml .mvn/** mvnw build.gradle* **/build.gradle* settings.gradle* " +
		"gradle.properties gradle/** gradlew"
	makeFiles = "Makefile makefile GNUmakefile"
)

// Protect gives the globs of what a command that runs tests judges by, which
// must stay as it is; none where nothing tells.
func Protect(test string) []string {
	var globs []string
	for _, k := range []struct{ command, globs string }{
		{"go test", goFiles}, {"cargo test", rustFiles}, {"npm test", nodeFiles}, {"npm run", nodeFiles}, {"yarn", nodeFiles},
		{"pnpm", nodeFiles}, {"bun ", nodeFiles}, {"node --test", nodeFiles}, {"jest", nodeFiles}, {"vitest", nodeFiles},
		{"mocha", nodeFiles}, {"pytest", pythonFiles}, {"unittest", pythonFiles}, {"tox", pythonFiles},
		{"mvn", javaFiles}, {"gradle", javaFiles},
		{"make", makeFiles + " test/** tests/** **/*_test.go **/test_*.py **/*.test.*"},
	} {
		if !strings.Contains(test, k.command) {
			continue
		}
		for g := range strings.FieldsSeq(k.globs) {
			if !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	return globs
}
