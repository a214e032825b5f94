package propose

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	cmakeTests = pattern.New(`(?im)^\s*(enable_testing|add_test)\s*\(|^\s*include\s*\(\s*CTest\b`)
	mesonTests = pattern.New(`(?m)^\s*(test|subdir)\s*\(`)
)

// buildDir is a directory to build in. One that was made elsewhere, in which there is mark, can't be
// used in the sandbox, where the project lies at another path.
func (p project) buildDir(mark string) string {
	if p.first("build/"+mark) != "" {
		return "build-cookoff"
	}
	return "build"
}

func cmake(p project) Command {
	const from = "CMakeLists.txt"
	if !cmakeTests.MatchString(p.text(from)) {
		return Command{}
	}
	dir := p.buildDir("CMakeCache.txt")
	return Command{"cmake -S . -B " + dir + " && cmake --build " + dir + " && ctest --test-dir " + dir +
		" --output-on-failure", from}
}

var automakeTests = pattern.New(`(?m)^\s*(check_PROGRAMS|check_SCRIPTS|TESTS|SUBDIRS|DIST_SUBDIRS)\s*\+?=`)

// autotools proposes the tests of automake. What a repository of it has not is made first.
func autotools(p project) Command {
	from := p.first("configure.ac", "configure.in")
	if from == "" || !automakeTests.MatchString(p.text("Makefile.am")) {
		return Command{}
	}
	return Command{"{ [ -x configure ] || autoreconf -i; } && { [ -f Makefile ] || ./configure; } && make check", from}
}

func meson(p project) Command {
	const from = "meson.build"
	if !mesonTests.MatchString(p.text(from)) {
		return Command{}
	}
	dir := p.buildDir("meson-info")
	return Command{"meson setup " + dir + " && meson test -C " + dir + " --print-errorlogs", from}
}

// requiresPHPUnit is a manifest of composer's by which there will be one in vendor.
var requiresPHPUnit = pattern.New(`"(phpunit/phpunit|pestphp/pest)"\s*:`)

// composer gives the scripts of composer.json: each is a list of commands.
func (p project) composer() map[string][]string {
	var composer struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(p.text("composer.json")), &composer) // one that can't be read has none
	scripts := map[string][]string{}
	for name, raw := range composer.Scripts {
		var list []string
		if json.Unmarshal(raw, &list) != nil {
			list = make([]string, 1)
			_ = json.Unmarshal(raw, &list[0]) // what is no text is no command
		}
		scripts[name] = list
	}
	return scripts
}

var phpRunner = pattern.New(`^(?:\./)?(?:vendor/bin/)?(phpunit|pest)((?: [\w./=-]+)*)$`)

// phpScript proposes what composer would run for "composer test", for a machine without composer: one call of a runner.
func phpScript(p project) Command {
	m := phpRunner.FindStringSubmatch(strings.Join(p.composer()["test"], "\n"))
	switch {
	case m == nil:
		return Command{}
	case p.first("vendor/bin/"+m[1]) != "" || requiresPHPUnit.MatchString(p.text("composer.json")):
		return Command{"php vendor/bin/" + m[1] + m[2], "composer.json"}
	}
	return Command{m[1] + m[2], "composer.json"} // of the machine
}

func php(p project) Command {
	if p.composer()["test"] != nil {
		return Command{"composer test", "composer.json"}
	}
	if from := p.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"); from != "" {
		for _, program := range []string{"vendor/bin/pest", "vendor/bin/phpunit"} {
			if p.first(program) != "" {
				return Command{"php " + program, from}
			}
		}
		composer := p.text("composer.json")
		ofMachine := p.first("composer.json") == "" || strings.Contains(composer, `"name"`)
		if p.first("composer.lock") == "" && ofMachine && !requiresPHPUnit.MatchString(composer) {
			return Command{"phpunit", from} // of the machine
		}
		return Command{"php vendor/bin/phpunit", from}
	}
	return Command{}
}

func perl(p project) Command {
	if tests, _ := filepath.Glob(filepath.Join(p.dir, "t", "*.t")); len(tests) == 0 {
		return Command{}
	}
	return Command{"prove -lr t", cmp.Or(p.first("cpanfile", "Makefile.PL", "Build.PL", "dist.ini", "META.json"), "t")}
}

// byFile are commands of languages whose tool tests the project by itself where a file says that
// it is one; contains, where it is not nil, is what the file must say.
var byFile = []struct {
	file     *pattern.Pattern
	contains *pattern.Pattern
	command  string
}{
	{pattern.New(`^mix\.exs$`), nil, "mix test"},
	{pattern.New(`^rebar\.config$`), nil, "rebar3 eunit"},
	{pattern.New(`^gleam\.toml$`), nil, "gleam test"},
	{pattern.New(`^Package\.swift$`), nil, "swift test"},
	{pattern.New(`^build\.zig$`), pattern.New(`\bstep\(\s*"test"`), "zig build test"},
	{pattern.New(`^[^/]*\.(sln|slnx|csproj|fsproj)$`), nil, "dotnet test"},
	{pattern.New(`^build\.sbt$`), nil, "sbt test"},
	{pattern.New(`^build\.sc$|^build\.mill$`), nil, "mill __.test"},
	{pattern.New(`^project\.clj$`), nil, "lein test"},
	{pattern.New(`^stack\.yaml$`), nil, "stack test"},
	{pattern.New(`^[^/]*\.cabal$`), pattern.New(`(?mi)^test-suite\b`), "cabal test"},
	{pattern.New(`^dune-project$`), nil, "dune test"},
	{pattern.New(`^[^/]*\.nimble$`), nil, "nimble test"},
	{pattern.New(`^shard\.yml$`), nil, "crystal spec"},
	{pattern.New(`^pubspec\.yaml$`), pattern.New(`(?m)^\s+sdk:\s*flutter\b`), "flutter test"},
	{pattern.New(`^pubspec\.yaml$`), nil, "dart test"},
	{pattern.New(`^\.busted$`), nil, "busted"},
	{pattern.New(`^(MODULE\.bazel|WORKSPACE(\.bazel)?)$`), nil, "bazel test //..."},
	{pattern.New(`^noxfile\.py$`), nil, "nox"},
}

// byTool proposes the test command of a build tool that the project has a file of; the zero
// Command: none is known.
func byTool(p project) Command {
	entries, _ := os.ReadDir(p.dir) // what can't be read proposes nothing
	for _, b := range byFile {
		for _, e := range entries {
			if b.file.MatchString(e.Name()) && (b.contains == nil || b.contains.MatchString(p.text(e.Name()))) {
				return Command{b.command, e.Name()}
			}
		}
	}
	if from := p.first("test/runtests.jl"); from != "" {
		return Command{`julia --project -e 'using Pkg; Pkg.test()'`, from}
	}
	return Command{}
}

var makeTarget = pattern.New(`(?m)^(test|tests|check)\s*:([^=]|$)`)

func makefile(p project) Command {
	from := p.first("GNUmakefile", "makefile", "Makefile") // as make looks for them
	text := p.text(from)
	if m := makeTarget.FindStringSubmatch(text); from != "" && m != nil {
		return Command{"make " + withoutLints(text, m[1]) + m[1], from}
	}
	return Command{}
}

var (
	// lintTarget is the name of a target that looks at how code is written and typed.
	lintTarget = pattern.New(`^(?:\w+[-_/])*(?:lint|golint|eslint|pylint|yamllint|tslint|stylelint|golangci|staticcheck|` +
		`flake8|ruff|mypy|pyright|black|isort|clippy|shellcheck|prettier|fmt|style|typecheck)(?:[-_/]\w+)*$|` +
		`^(?:check-format|format-check|type-check)$`)
	// makesFile is a line of a recipe that makes a file, as where a program that is tested is called so.
	makesFile = pattern.New(`\$@|\s-o\s`)
)

// withoutLints are the options of make that leave out what a target needs and is a lint: models are judged by tests,
// and its program is often not there.
func withoutLints(text, target string) (options string) {
	recipes, needs := rules(strings.ReplaceAll(text, "\\\n", " "))
	for _, name := range needs[target] {
		option := "-o " + name + " "
		if lintTarget.MatchString(name) && len(recipes[name]) > 0 && !strings.Contains(options, option) &&
			!slices.ContainsFunc(recipes[name], makesFile.MatchString) {
			options += option
		}
	}
	return options
}
