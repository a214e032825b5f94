package kind

import "testing"

func TestKindOf(t *testing.T) {
	for p, want := range map[string]Kind{
		"a.go": Code, "a_test.go": Tests, "x/testdata/in.txt": Tests, "pkg/test_a.py": Tests, "conftest.py": Tests,
		"test/fixtures/a.js": Tests,
		"lib/a.test.mjs":     Tests, "src/latest/a.py": Code, "contest.py": Code, "CHANGELOG.md": Beside,
		"docs/a.py": Beside, "go.sum": Needs,
		"requirements-dev.txt": Needs, "testing/go.mod": Needs, "src/protest.js": Code, "jest.config.js": Tests,
		"app/tests.py": Tests, "src/contests.py": Code, "src/Permit.java": Code, "src/ParserIT.java": Tests,
		"ui/login.cy.ts": Tests, "lib/parse_unittest.cc": Tests, "composer.lock": Needs, "src/Spec.php": Tests,
		"t/slug.t": Tests, "t/run.c": Tests, "t/unit/lib.h": Tests, "src/t/run.c": Code, "t/lib/run.sh": Tests,
		"src/t/a.go": Code, "x/cli.bats": Tests, "tests.sh": Tests, "run-test.sh": Tests,
		"src/latest.sh": Code, "test_ring.c": Tests, "src/contest_a.c": Code, "Tests/CalcTests/A.swift": Tests,
		"test-d/index.test-d.ts": Tests, "spec_helper/a.lua": Code, "lib/a_spec.lua": Tests, "src/commonTest/kotlin/A.kt": Tests,
		"PKG-INFO": Beside, "src/a.egg-info/SOURCES.txt": Beside, "requirements/tests.txt": Needs, "requirements/dev.in": Needs,
		"README": Beside, "history.go": Code, "HISTORY.rst": Beside, "CHANGES": Beside,
		"mined.files/0123456789ab/a_test.go.judge": Beside,
		"templates/a.html":                         Code, "templates/history.html": Code, "README.md.tmpl": Code, "t/news.j2": Code, "app/a.erb": Code,
		"views/todo.ejs": Code, "ui/License.vue": Code, "ui/a.svelte": Code, "db/changes/001.sql": Code, "api/readme.proto": Code,
		"migrations/002_users.sql": Code, "spec/openapi.yaml": Code, "spec/spec.go": Code, "src/spec/mod.rs": Code,
		"pkg/tool.spec": Code, "spec/a.proto": Code, "spec/models/a_spec.rb": Tests, "spec/helper.rb": Tests, "spec/a.js": Tests,
		"lib/spec/parser.js": Code, "lib/spec/parserSpec.js": Tests, "spec/support/jasmine.json": Tests, "spec/a_spec.lua": Tests,
		"spec/fixtures/a.json": Tests, "tests/templates/a.html": Tests, "specs/schema.json": Code, "internal/changes/a.go": Code,
		"src/doc/render.py": Code, "docs/a.html": Beside, "doc/conf.py": Beside, "changes/7.txt": Beside,
		".idea/workspace.xml": Beside, "app/.vscode/launch.json": Beside, "src/idea/a.go": Code, "a.iml": Beside,
		"test/fixtures/.vscode/x.json": Tests, "src/__pycache__/a.cpython-312.pyc": Beside, "src/.DS_Store": Beside,
		".eslintrc": Beside, "lib/.eslintrc.json": Beside, ".golangci.yml": Beside, ".goreleaser.yaml": Beside, ".nycrc": Tests,
		"src/main/java/org/example/Money.java": Code, "app/src/main/kotlin/a/testing/Clock.kt": Code,
		"src/commonMain/kotlin/docs/A.kt": Code, "src/test/java/org/example/Money.java": Tests,
		"src/androidTest/java/a/A.java": Tests, "src/main/resources/examples/a.md": Beside, "src/testFixtures/java/a/B.java": Tests,
		"tests/__pycache__/test_a.cpython-312.pyc": Beside, "tests/a.pyc": Beside, ".claude/settings.json": Beside,
		"types/index.tst.ts": Tests, "src/tst.ts": Code, ".husky/pre-commit": Beside, "src/claude/a.py": Code,
		"Cargo.toml.orig": Beside, ".cargo_vcs_info.json": Beside, ".dependabot/config.yml": Beside,
		".npmignore": Beside, ".flake8": Beside, "eslint.config.mjs": Beside, ".babelrc": Code, "src/eslintrc.js": Code,
	} {
		if got := Of(p); got != want {
			t.Errorf("%s: %d, want %d", p, got, want)
		}
	}
}
