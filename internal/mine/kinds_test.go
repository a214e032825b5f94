package mine

import "testing"

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
