// Package kind tells what part each file of a commit has in a task, by its path and, of manifests, by what changes.
package kind

import (
	"path"
	"strings"

	"cookoff/internal/pattern"
)

// Kind is what part a file of a commit has in a task.
type Kind int

// Kinds of files.
const (
	Code   Kind = iota // the fix
	Tests              // tests, what they read, and how they are run: the judge's
	Beside             // documents and the like: neither
	Needs              // says what the project needs from elsewhere
)

var (
	testName = pattern.New(`(^|/)(` + strings.Join([]string{
		`[^/]*_test\.go`, `test_[^/]*\.py|[^/]*_tests?\.py|tests\.py|conftest\.py`,
		`[^/]*[._-](test|spec|cy)\.[cm]?[jt]sx?|tests?\.[cm]?[jt]sx?|[^/]*\.test-d\.ts|[^/]*\.tst\.[cm]?tsx?`,
		`[^/]*(Tests?|IT|Spec)\.(java|kt|scala|groovy|cs|php|swift)`,
		`[^/]*_(test|spec)\.(rb|lua)|test_[^/]*\.rb`, `([^/]*_)?tests?\.rs`,
		`[^/]*_(tests?|unittest)\.(cc|cpp|cxx|c|exs|dart|erl)|tests?[_-][^/]*\.(c|cc|cpp|cxx|jl|lua|R)|tests?\.(c|cc|cpp)`,
		`tests?[_-][^/]*\.(sh|bash)|([^/]*[_-])?tests?\.(sh|bash)|[^/]*\.(bats|t)`,
	}, "|") + `)$|^t/.*\.(sh|p[lm]|py|[cm]?js|ts|rb|lua|c|h|cc|cpp|cxx|hpp|txt|json|dat|in|out)$`)
	testDir = pattern.New(
		`(^|/)(tests?|Tests|[a-z]+Test|testsuite|unittests?|testdata|__tests__|__mocks__|__snapshots__|fixtures|testing|tap-snapshots|e2e|cypress)/`)
	testConf = pattern.New(`(^|/)(pytest\.ini|\.pytest\.ini|tox\.ini|jest\.config\.[cm]?[jt]s(on)?|vitest\.config\.[cm]?[jt]s|\.mocharc(\.[a-z]+)?|\.taprc|karma\.conf\.js|codecov\.yml|\.coveragerc|\.(nyc|c8)rc(\.[a-z]+)?)$`)
	document = pattern.New(`(?i)(^|/)([^/]*\.(egg|dist)-info|docs?|\.github|\.circleci|changes|changelog\.d|newsfragments|examples?)/|\.(md|rst|adoc|png|svg|jpg|gif|judge)$|(^|/)(\.gitignore|\.gitattributes|\.editorconfig|\.pre-commit-config\.yaml|\.travis\.yml|appveyor\.yml|mkdocs\.yml|\.gitmodules|CODEOWNERS)$`)
	// taste is what formatters, linters, packagers and editors are told or keep: no test looks at it.
	taste = pattern.New(`(^|/)(\.(eslintrc|prettierrc|stylelintrc|jshintrc|jscsrc|golangci|goreleaser|rubocop)(\.[a-z]+)?|` +
		`\.(codeclimate|readthedocs)\.ya?ml|\.pylintrc|\.bumpversion\.cfg|\.(eslint|prettier|npm|docker)ignore|\.flake8|` +
		`\.mailmap|\.clang-(format|tidy)|eslint\.config\.[cm]?[jt]s|\.?(rustfmt|clippy)\.toml|renovate\.json5?|MANIFEST\.in|` +
		`\.DS_Store|Cargo\.toml\.orig|\.cargo_vcs_info\.json|[^/]*\.(iml|sw[op]))$|` +
		`(^|/)(\.idea|\.vscode|\.vs|\.dependabot|\.devcontainer|` +
		`\.husky|\.claude|\.cursor|\.gemini|\.codex)/`)
	// compiled is what Python keeps of sources, also of tests.
	compiled = pattern.New(`(^|/)__pycache__/|\.py[co]$`)
	papers   = pattern.New(`(?i)(^|/)(pkg-info|change(s|log)|history|news|readme|authors|contributors|contributing|license|copying|security|todo)([._-][^/]*)?$`)
	lockfile = pattern.New(`(^|/)(go\.(mod|sum|work|work\.sum)|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|requirements[^/]*\.txt|requirements/[^/]*\.(txt|in)|uv\.lock|poetry\.lock|pdm\.lock|Pipfile(\.lock)?|environment\.ya?ml|deno\.lock|Cargo\.lock|pom\.xml|build\.gradle(\.kts)?|gradle\.lockfile|libs\.versions\.toml|Gemfile(\.lock)?|composer\.lock|mix\.lock|pubspec\.lock|Package\.resolved|packages\.lock\.json)$`)
	manifest = pattern.New(`(^|/)(package\.json|pyproject\.toml|setup\.(py|cfg)|Cargo\.toml|composer\.json)$`)
)

var (
	// specName are files of specs as Ruby, Lua, Crystal and jasmine name them, in directories that others
	// have for schemas, packages and descriptions.
	specName = pattern.New(`(^|/)specs?/(.*/)?([^/]*\.(rb|lua|cr)|[^/]*[Ss]pec\.[cm]?[jt]sx?|(support|helpers?)/[^/]*|jasmine\.json)$` +
		`|^specs?/.*\.[cm]?[jt]sx?$`)
	// nested are directories that hold documents at the top of a project, and code below it.
	nested = pattern.New(`(?i)^.+/(docs?|changes)/`)
	// source are files that programs are made of, though they are in no language of programs.
	source = pattern.New(`(?i)\.(html?|tmpl|gotmpl|tpl|j2|jinja2?|erb|ejs|hbs|mustache|liquid|haml|slim|vue|svelte|astro|sql|proto|` +
		`graphql|css|s[ac]ss|less)$`)
	// packages are directories of Java's and its kin: of which part of a project, and the names of packages, which may be
	// called as others call directories of tests or documents (org/example, testing).
	packages = pattern.New(`^(?:.*/)?src/([a-z]\w*)/(?:java|kotlin|scala|groovy)/.`)
	// data are files that no program is made of: a test reads them, or nothing does.
	data = pattern.New(`(?i)(^|/)\.[^/]*$|\.(tmp|temp|bak|orig|rej|log|txt|json5?|ya?ml|toml|ini|cfg|conf|xml|csv|tsv|lock|map)$|~$`)
	page = pattern.New(`(?i)\.(html?|css)$`) // what documents are made of, too
)

// Of tells what part a file has, by its path.
func Of(p string) Kind {
	if m := packages.FindStringSubmatch(p); m != nil && strings.HasSuffix(strings.ToLower(m[1]), "main") {
		return Code
	} else if m != nil && strings.Contains(strings.ToLower(m[1]), "test") {
		return Tests
	}
	switch {
	case compiled.MatchString(p):
		return Beside
	case testName.MatchString(p) || testConf.MatchString(p):
		return Tests
	case lockfile.MatchString(p):
		return Needs
	case testDir.MatchString(p) || specName.MatchString(p):
		return Tests
	case nested.MatchString(p) && (Language(p) != "" || source.MatchString(p) && !page.MatchString(p)):
		return Code
	case taste.MatchString(p):
		return Beside
	case document.MatchString(p) || papers.MatchString(p) && Language(p) == "" && !source.MatchString(p):
		return Beside
	}
	return Code
}

// Language names what a file is written in; "": nothing that is known.
func Language(p string) string {
	switch path.Ext(p) {
	case ".go":
		return "go"
	case ".py", ".pyi":
		return "python"
	case ".js", ".mjs", ".cjs", ".jsx", ".vue", ".svelte":
		return "javascript"
	case ".ts", ".tsx", ".mts", ".cts":
		return "typescript"
	case ".rs":
		return "rust"
	case ".java", ".kt":
		return "java"
	case ".rb":
		return "ruby"
	case ".c", ".h", ".cc", ".cpp", ".hpp":
		return "c"
	case ".sh", ".bash":
		return "shell"
	}
	return ""
}

// Compiled reports whether what is written in a language is not run where a name that it uses is not there.
func Compiled(lang string) bool {
	return lang == "go" || lang == "rust" || lang == "java" || lang == "c"
}

// IsData reports whether a file is one that no program is made of.
func IsData(p string) bool { return data.MatchString(p) && Language(p) == "" }

// IsManifest reports whether a file is a project's manifest, which says more than what the project needs.
func IsManifest(p string) bool { return manifest.MatchString(p) }

// IsLockfile reports whether a file says what a project needs from elsewhere, and nothing else.
func IsLockfile(p string) bool { return lockfile.MatchString(p) }

// IsTestDir reports whether a directory holds tests by its name.
func IsTestDir(p string) bool { return testDir.MatchString(p + "/") }
