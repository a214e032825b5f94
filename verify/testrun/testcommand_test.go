package testrun

import (
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestTestCommands finds the commands that run tests, wherever a script has
// them.
func TestTestCommands(t *testing.T) {
	check := func(script string, want ...string) {
		t.Helper()
		var got []string
		for _, c := range Commands(script) {
			got = append(got, c.with("@"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	check("go test ./...", "@")
	check("git apply x.patch && go test -run '^(TestA|TestB)$' ./pkg", "git apply x.patch && @")
	check("cd sub; X=1 go test ./... | tee log", "cd sub; @ | tee log")
	check("timeout 60 env X=1 python3 -m pytest -k one; echo done", "@; echo done")
	check(`bash -c 'cd a && go test ./...'`, `bash -c 'cd a && @'`)
	check("(cd app && node --test) > log 2>&1", "(cd app && @) > log 2>&1")
	check("exec python -m unittest", "@")
	check("if go test ./a; then cargo test; fi", "if @; then cargo test; fi", "if go test ./a; then @; fi")
	check("make test", "@")
	check("make install")
	check("npm test", "@")
	check("npm run test:unit", "@")
	check("npm install")
	check("sh check.sh", "@")
	check("./run.sh", "@")
	check("out=$(go test ./...)", "out=$(@)")
	check("! go test ./...")
	check("go test ./... &")
	check("go vet ./...; node app.js; python3 tests.py; echo go test")
	check("find . | xargs go test")
	check("[ -e x ] && go test", "[ -e x ] && @")
}

// TestLoud: runners are made to name each test, and to run all of them.
func TestLoud(t *testing.T) {
	check := func(run, want string) {
		t.Helper()
		argv := strings.Fields(run)
		r, _ := runnerOf(argv)
		if r == nil {
			t.Fatalf("%s runs no tests", run)
		}
		if got := strings.Join(strings.Fields(strings.Join(r.loud(argv, "w"), " ")), " "); got != want {
			t.Errorf("%s becomes %s, want %s", run, got, want)
		}
	}
	check("go test -race -failfast ./...", "go test -json -race ./...")
	check("go test ./a -args -json", "go test -json ./a -args -json")
	check("go test -c", "")
	django := "python3 -W error -c " + strings.Join(strings.Fields(strings.ReplaceAll(djangoRecord, "WORD", "w")), " ")
	check("python3 -W error ./manage.py test -b shop", django+" ./manage.py test shop")
	check("python3 manage.py test --help", "")
	check("pytest -x --maxfail=1 --tb=short tests", "pytest --tb=short tests -rA --maxfail=1000000 -p no:cacheprovider")
	check("python3 -m pytest --collect-only", "")
	check("npx jest --bail src", "npx jest src --json --ci")
	check("./node_modules/.bin/jest --watch", "")
	check("vitest list", "")
	check("node --test --test-reporter=dot a.js",
		"node --test-reporter=tap --test-reporter-destination=stdout --test a.js")
	check("cargo test --release", "cargo test --no-fail-fast --release -- --show-output")
	check("cargo test -q", "")
	check("borp -r spec --coverage", "borp --coverage --reporter=tap")
	check("lab -d", "")
	check("npx tsx --test-reporter=spec --test test/*.ts",
		"npx tsx --test-reporter=tap --test-reporter-destination=stdout --test test/*.ts")
	check("npx mocha --watch", "")
	check("ava --fail-fast test.js", "ava test.js --tap")
	check("prove -l t", "prove -l t -v")
	r, _ := runnerOf([]string{"ctest", "--test-dir", "b"})
	if got := r.loud([]string{"ctest", "--test-dir", "b"}, "w"); !slices.Equal(got[len(got)-5:],
		[]string{"ctest", "--test-dir", "b", "--output-junit", "/tmp/w.xml"}) {
		t.Errorf("%q", got)
	}
	vitest := []string{"npx", "-y", "vitest", "run", "--reporter=dot"}
	r, _ = runnerOf(vitest)
	got := r.loud(vitest, "w")
	if want := []string{"npx", "-y", "vitest", "run", "--reporter=json", "--reporter=junit", "--no-watch"}; got[0] != "bash" ||
		!strings.Contains(got[2], "--outputFile.json=") || !slices.Equal(got[4:], want) {
		t.Errorf("%q", got)
	}
	argv := []string{"python3", "-X", "dev", "-m", "unittest", "discover", "-f", "-b", "-s", "tests"}
	r, _ = runnerOf(argv)
	got = r.loud(argv, "w")
	if want := []string{"python3", "-X", "dev", "-c", got[4], "discover", "-s", "tests"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestUncached: what go keeps of an earlier run says nothing of this one, disguised or not.
func TestUncached(t *testing.T) {
	for run, want := range map[string]string{
		"go test -race ./...":    "go test -count=1 -json -race ./...",
		"go test -count=3 ./...": "go test -json -count=3 ./...",
		"pytest a.py":            "pytest a.py -rA --maxfail=1000000 -p no:cacheprovider",
	} {
		argv := strings.Fields(run)
		r, _ := runnerOf(argv)
		if got := strings.Join(uncached(r, r.loud(argv, "w")), " "); got != want {
			t.Errorf("%s becomes %s, want %s", run, got, want)
		}
	}
	for _, how := range []Disguise{OtherNames, OtherPlace} {
		if got := disguisedGo([]string{"go", "test", "./..."}, how); !slices.Contains(got, "-count=1") {
			t.Errorf("disguised as %s: %q", how, got)
		}
	}
}

// TestWrapped: what measures coverage, or calls a program of an environment, is none itself.
func TestWrapped(t *testing.T) {
	for script, want := range map[string]string{
		"nyc --reporter=lcov mocha test": "mocha", "cross-env NODE_ENV=test c8 node --test": "node --test",
		"uv run pytest -q": "pytest", "timeout 60 poetry run python -m pytest": "pytest", "uv pip list": "", "nyc": "",
		"nyc --reporter lcov report": "", "c8 -r lcov tap t": "tap", "npx c8 --all borp": "borp", "npx --no-install cross-env X=1 mocha": "mocha",
		"c8 --all --include index.js -r lcov --lines 90 mocha": "mocha", "nyc --reporter": "",
		"python3 -munittest -v": "unittest", "X=1 python -W error -Im pytest t": "pytest", "python3 -mpip install x": "",
		"python -c 'x' -munittest": "", "python3 -Bmunittest": "unittest",
		"npx -y mocha": "mocha", "standard && ./node_modules/.bin/uvu tests": "uvu", "npx c8 report": "",
		`PATH="$PWD/node_modules/.bin:$PATH" c8 borp`: "borp",
	} {
		got := ""
		for _, c := range Commands(script) {
			if r, _ := runnerOf(c.words); r != nil {
				got = r.Name
			}
		}
		if got != want || Runs(script) != (want != "") {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

func TestChosen(t *testing.T) {
	check := func(run string, want bool) {
		t.Helper()
		r, args := runnerOf(strings.Fields(run))
		if got := r.chosen(args); got != want {
			t.Errorf("%s: %v", run, got)
		}
	}
	check("go test -run ^TestA$ ./...", true)
	check("go test -count=1 -v ./...", false)
	check("go test -skip=TestA", true)
	check("go test ./... -args -run x", false)
	check("pytest tests/test_a.py", false)
	check("pytest tests/test_a.py::test_b", true)
	check("pytest -k one", true)
	check("python3 -m unittest -v", false)
	check("python3 -m unittest discover -s tests", false)
	check("python3 -m unittest tests.test_a", true)
	check("node --test", false)
	check("node --test --test-name-pattern=add", true)
}

// TestResults reads what test runners print, as they print it.
func TestResults(t *testing.T) {
	check := func(run, stdout, want string) {
		t.Helper()
		r, _ := runnerOf(strings.Fields(run))
		res := r.Read(sandbox.Result{Stdout: []byte(stdout)}, "w1")
		var got []string
		for name, x := range res.Tests {
			got = append(got, name+strings.Repeat("+", x.Passed)+strings.Repeat("-", x.Failed)+strings.Repeat("s",
				x.skipped))
		}
		slices.Sort(got)
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", run, got, want)
		}
	}
	check("go test ./...", `{"Action":"run","Package":"a","Test":"TestA"}
{"Action":"output","Package":"a","Test":"TestA","Output":"{\"Action\":\"pass\",\"Test\":\"x\"}\n"}
{"Action":"pass","Package":"a","Test":"TestA"}
{"Action":"skip","Package":"a","Test":"TestB"}
{"Action":"fail","Package":"a","Test":"TestC/x y"}
{"Action":"run","Package":"a","Test":"TestBegun"}
not JSON
{"Action":"pass","Package":"a"}
`, "a TestA+; a TestBs; a TestC/x y-")
	check("pytest -q",
		"..\nPASSED tests/test_a.py::test_one[a b]\nSKIPPED [1] x\nFAILED t.py::T::test_x - assert 0\n"+
			"XFAIL t.py::test_y - reason\nERROR t.py - x\n",
		"t.py::T::test_x-; t.py::test_y; tests/test_a.py::test_one[a b]+")
	check("python3 -m unittest",
		"\nw1 pass t.T.test_a\nw2 pass t.T.test_b\nnoise\nw1 fail t.T.test_c\nw1 skip t.T.test_d\n"+
			"w1 fail unittest.loader._FailedTest.t\n",
		"t.T.test_a+; t.T.test_c-; t.T.test_ds")
	check("node --test",
		"TAP version 13\n# Subtest: add\nok 1 - add\n  ---\n  ...\n    ok 2 - inner\nok 3 - group\n  ---\n"+
			"  type: 'suite'\n  ...\nok 3 - later # SKIP\n"+
			"ok 4 - /work/sums.test.js\nnot ok 5 - x\nok 6 - x\n1..4\n", "add+; inner+; laters; x+-")
	check("cargo test",
		"test a::b ... ok\ntest c ... FAILED\ntest d ... ignored\ntest src/lib.rs - e (line 1) ... ok\n",
		"a::b+; c-; ds")
}

// TestNamedFiles: a test command that names its files runs no others.
func TestNamedFiles(t *testing.T) {
	named := filesNamed([]string{"--test", "test/a.test.js", "./tests/test_b.py::B::test_x", "lib/**/*.test.js", "dir"})
	if want := []string{"test/a.test.js", "tests/test_b.py"}; !slices.Equal(named, want) {
		t.Errorf("named %q, want %q", named, want)
	}
}

// TestCommandsOfLoops: the tests of each round of a loop are run, and not of the first or last alone.
func TestCommandsOfLoops(t *testing.T) {
	for src, want := range map[string][]string{
		"for m in a 'b c'; do (cd $m && go test ./...) || exit 1; done; make test": {
			"for m in a; do (cd $m && HERE) || exit 1; done; make test",
			"for m in 'b c'; do (cd $m && HERE) || exit 1; done; make test",
			"for m in a 'b c'; do (cd $m && go test ./...) || exit 1; done; HERE"},
		"for x in a b; do for y in c d; do make -C $x/$y test; done; done": {
			"for x in a; do for y in c; do HERE; done; done", "for x in a; do for y in d; do HERE; done; done",
			"for x in b; do for y in c; do HERE; done; done", "for x in b; do for y in d; do HERE; done; done"},
		"for m in $(ls); do make -C $m test; done":                     {"for m in $(ls); do HERE; done"},
		"for m in */; do make -C $m test; done":                        {"for m in */; do HERE; done"},
		"for ((i = 0; i < 3; i++)); do npm test; done":                 {"for ((i = 0; i < 3; i++)); do HERE; done"},
		"! for m in a b; do go test ./$m; done":                        nil,
		"sh -c 'for m in a b; do cd $m; go test; cd ..; done'":         {"sh -c 'for m in a; do cd $m; HERE; cd ..; done'", "sh -c 'for m in b; do cd $m; HERE; cd ..; done'"},
		"for m in a b c d e f g h; do (cd $m; go test); done; go test": {"a", "b", "c", "d", "e", "f"},
	} {
		got := Commands(src)
		if len(got) != len(want) {
			t.Errorf("%s: %d commands, want %d", src, len(got), len(want))
			continue
		}
		for i, c := range got {
			if text := c.with("HERE"); text != want[i] && text != "for m in "+want[i]+"; do (cd $m; HERE); done; go test" {
				t.Errorf("%s: %s, want %s", src, text, want[i])
			}
		}
	}
}
