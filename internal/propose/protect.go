package propose

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// What decides, by language: the tests, and what says how they run.
const (
	nodeFiles = "test/** tests/** __tests__/** **/*.test.* **/*.spec.* **/test-*.* package.json " +
		"node_modules/.bin/** .npmrc .mocharc* jest.config.* vitest.config.* vitest.workspace.* vite.config.* " +
		"babel.config.* **/__snapshots__/** **/*.snap **/__mocks__/**"
	// memberFiles are those of one of several packages.
	memberFiles = "test/** tests/** __tests__/** package.json node_modules/.bin/** .npmrc .mocharc* jest.config.* " +
		"vitest.config.* vite.config.* babel.config.*"
	pythonFiles = "tests/** **/test_*.py **/*_test.py **/conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml " +
		"pyproject.toml " +
		"setup.cfg tox.ini **/sitecustomize.py **/usercustomize.py"
	goFiles   = "**/*_test.go **/testdata/** go.mod go.work"
	rustFiles = "tests/** **/tests/** **/tests.rs **/test.rs **/*_test.rs **/*_tests.rs Cargo.toml .cargo/** " +
		"rust-toolchain*"
	javaFiles = "src/test/** **/src/test/** pom.xml **/pom.xml .mvn/** mvnw build.gradle* **/build.gradle* " +
		"settings.gradle* gradle.properties gradle/** gradlew " + ofJUnit
	// ofJUnit are files by which JUnit finds what stands between it and tests, wherever classes are looked for.
	ofJUnit   = "**/junit-platform.properties **/META-INF/services/org.junit.*"
	denoFiles = "deno.json* deno.lock test/** tests/** **/*_test.* **/*.test.*"
	rubyFiles = "Rakefile rakefile Gemfile Gemfile.lock .rspec .rspec-local test/** spec/**"
	makeFiles = "Makefile makefile GNUmakefile"
	// scriptFiles are those of whatever language a script of the project's tests.
	scriptFiles = testFiles + " src/test/** **/src/test/**"
	// testFiles are those that most languages call tests.
	testFiles = "test/** tests/** **/*_test.* **/test_*.* **/*.test.* **/*Test.* **/*Tests.*"
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
	runs, dirs := byDirectory(test)
	all := strings.Join(slices.Collect(maps.Values(runs)), "")
	add := func(below, list string) {
		for g := range strings.FieldsSeq(list) {
			if g = below + g; !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	for _, k := range []struct{ command, globs string }{
		{"go test", goFiles}, {"cargo test", rustFiles}, {"npm test", nodeFiles}, {"npm run", nodeFiles},
		{"npx ", nodeFiles}, {"node_modules/.bin", nodeFiles}, {"yarn", nodeFiles},
		{"pnpm", nodeFiles}, {"bun ", nodeFiles}, {"node --test", nodeFiles}, {"jest", nodeFiles},
		{"vitest", nodeFiles},
		{"mocha", nodeFiles}, {"pytest", pythonFiles}, {"unittest", pythonFiles},
		{"manage.py test", pythonFiles + " manage.py **/tests.py **/tests/**"}, {"tox", pythonFiles},
		{"poe ", pythonFiles + " poe_tasks.toml"}, {"pdm ", pythonFiles}, {"hatch ", pythonFiles + " hatch.toml"},
		{"rye ", pythonFiles}, {"pipenv ", pythonFiles + " Pipfile"},
		{"task ", "Taskfile.y*ml taskfile.y*ml Taskfile.dist.y*ml taskfile.dist.y*ml"},
		{"deno ", denoFiles}, {"rake", rubyFiles}, {"rspec", rubyFiles},
		{"just ", "justfile Justfile .justfile " + testFiles},
		{"mvn", javaFiles}, {"gradle", javaFiles},
		{"ctest", testFiles + " CMakeLists.txt **/CMakeLists.txt CMakePresets.json"},
		{"meson", testFiles + " meson.build **/meson.build meson_options.txt meson.options"},
		{"composer", testFiles + " composer.json phpunit.*"}, {"phpunit", testFiles + " composer.json phpunit.*"},
		{"pest", testFiles + " composer.json phpunit.*"},
		{"gotestsum", goFiles}, {"bats", testFiles + " **/*.bats"}, {"minitest", rubyFiles}, {"ruby ", rubyFiles},
		{"make check", testFiles + " configure.ac Makefile.am **/Makefile.am"}, {"sh ", scriptFiles},
		{"bash ", scriptFiles}, {"prove", "t/** xt/** .proverc cpanfile"}, {"mix ", "test/** **/*_test.exs mix.exs mix.lock"},
		{"swift ", "Tests/** Package.swift"}, {"zig ", "test/** tests/** build.zig build.zig.zon"},
		{"dotnet ", testFiles + " **/*Tests/** **/*.sln **/*.csproj **/*.fsproj Directory.Build.*"},
		{"sbt ", "**/src/test/** src/test/** build.sbt project/**"}, {"lein ", "test/** project.clj"},
		{"stack ", testFiles + " **/*Spec.hs stack.yaml package.yaml **/*.cabal"},
		{"cabal ", testFiles + " **/*Spec.hs **/*.cabal cabal.project"}, {"dune ", testFiles + " **/dune dune-project"},
		{"gleam ", "test/** gleam.toml"}, {"crystal ", "spec/** shard.yml"}, {"nimble ", testFiles + " **/*.nimble"},
		{"dart ", "test/** **/*_test.dart pubspec.yaml dart_test.yaml"},
		{"flutter ", "test/** integration_test/** **/*_test.dart pubspec.yaml"},
		{"julia ", "test/** Project.toml"}, {"busted", "spec/** .busted"}, {"rebar3", testFiles + " rebar.config"},
		{"bazel ", testFiles + " **/BUILD **/BUILD.bazel MODULE.bazel WORKSPACE*"},
		{"nox", pythonFiles + " noxfile.py"},
		{"make",
			makeFiles +
				" test/** tests/** **/*_test.* **/test_*.* **/*.test.* **/*Test.java **/*Tests.java **/Test*.java"},
	} {
		if !calls(test, k.command) && !calls(all, k.command) {
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
		for _, d := range dirs {
			switch {
			case !calls(runs[d], k.command):
			case k.globs == nodeFiles:
				add(d+"/", memberFiles)
			default:
				add(d+"/", own(k.globs))
			}
		}
	}
	program, _, _ := strings.Cut(test, " ") // a script of the project, below
	if strings.HasPrefix(test, "./") || strings.Contains(program, "/") && strings.HasSuffix(program, ".sh") {
		add("", scriptFiles)
	}
	return globs
}

// own are the globs that say where in a package something lies.
func own(globs string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(globs), func(g string) bool {
		return strings.HasPrefix(g, "**/")
	}), " ")
}
