package testrun

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestPrinted: what programs print that nobody knows, in forms that many have in common.
func TestPrinted(t *testing.T) {
	for text, want := range map[string]map[string][3]int{
		"PASS: tests/none\nFAIL: tests/two\r\nSKIP: net\n====\nTestsuite summary for x\n# TOTAL: 3\n# PASS:  1\n": {
			"tests/none": {1, 0, 0}, "tests/two": {0, 1, 0}, "net": {0, 0, 1}},
		"FAIL: one case\n\n\t\t=== Summary ===\n\n# of expected passes\t\t3\n": {"one case": {0, 1, 0}},
		"PASS: one\nFAIL: two\n": {}, // no sum: a program of one's own says so
		"testTwo\nASSERT:expected:<3> but was:<2>\nshunit2:ERROR testTwo() returned non-zero return code.\n" +
			"testOne\nloud\n\nRan 2 tests.\n\nFAILED (failures=2)\n": {"testTwo": {0, 1, 0}, "testOne": {1, 0, 0}},
		"\x1b[1;31mtestTwo\x1b[0m\nRan \x1b[1;36m1\x1b[0m test.\n\nOK\n": {"testTwo": {1, 0, 0}},
		"1..1\nok 1 - a\n":    {"a": {1, 0, 0}},
		"testTwo\nall done\n": {},
	} {
		if got := became(readPrinted(sandbox.Result{Stdout: []byte(text)}, "")); !maps.Equal(got, want) {
			t.Errorf("%q:\n got %v\nwant %v", text, got, want)
		}
	}
	got := became(readTestsAlone(sandbox.Result{Stdout: []byte("not ok 1 - TypeError [ERR_X]: Unknown file\n" +
		"not ok 2 - test/a.test.ts exited with a non-zero exit code: 1\nok 3 - sums\nnot ok 4 - suite spec/a_spec.lua\n")}, ""))
	if !maps.Equal(got, map[string][3]int{"sums": {1, 0, 0}}) {
		t.Errorf("errors outside of tests count: %v", got)
	}
}

// TestTold: commands that run tests, of Go by gotestsum and of runners that write a record when they are told to.
func TestTold(t *testing.T) {
	for command, want := range map[string]string{
		"gotestsum": "go test -json ./...",
		"gotestsum --format testname --junitfile=x.xml -- -race ./a": "go test -json -race ./a",
		"gotestsum -f dots --packages ./a":                           "go test -json ./a",
		"gotestsum --watch":                                          "",
		"bats --pretty test":                                         "bats test --tap",
		"busted -o utfTerminal":                                      "busted --output=TAP",
		"java -jar lib/junit-platform-console-standalone.jar -cp out": "java -jar " +
			"lib/junit-platform-console-standalone.jar -cp out --reports-dir /tmp/W.d",
		"java -cp a:b org.junit.platform.console.ConsoleLauncher execute --fail-fast": "java -cp a:b " +
			"org.junit.platform.console.ConsoleLauncher execute --reports-dir /tmp/W.d",
		"java -jar app.jar":                      "",
		"java -jar junit-console.jar engines":    "",
		"phpunit --stop-on-failure tests":        "phpunit tests --log-junit /tmp/W.xml",
		"php -d memory_limit=1G vendor/bin/pest": "php -d memory_limit=1G vendor/bin/pest --log-junit /tmp/W.xml",
		"php artisan serve":                      "",
		"vendor/bin/phpunit --log-junit own.xml": "vendor/bin/phpunit --log-junit own.xml",
		"meson test -C build":                    "meson test -C build",
		"meson setup build":                      "",
		"rspec --fail-fast spec":                 "rspec spec",
		"rake test":                              "rake test",
		"rake -T":                                "",
		"rake install":                           "",
		"ruby -Itest test/a_test.rb":             "ruby -Itest test/a_test.rb",
		"ruby app.rb":                            "",
		"rails test":                             "rails test",
		"rails server":                           "",
	} {
		argv := unglued(strings.Fields(command))
		got := ""
		if r, _ := runnerOf(argv); r != nil {
			loud := r.loud(argv, "W")
			if len(loud) > 3 && loud[1] == "-c" { // a script that is given the command
				loud = loud[4:]
			}
			got = strings.Join(loud, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestUnrecorded: what is printed is whole again without the record's lines.
func TestUnrecorded(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\nWORDS x\n": "a\nWORDS x\n", "\nWORD begin a\n.\nWORD end a\n.\n": "..\n", "a\nWORD torn": "a",
		"\nWORD pass a\n\nWORD pass b\nok\n": "ok\n",
	} {
		if got := string(unrecorded([]byte(text), "WORD")); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestRubyNames: the tests of frameworks of Ruby name themselves, where they are installed.
func TestRubyNames(t *testing.T) {
	const head = "class X; end\n"
	for lib, c := range map[string]struct{ file, text string }{
		"minitest": {"test_a.rb", "require 'minitest/autorun'\nclass A < Minitest::Test\n" +
			"  def test_ok = assert(true)\n  def test_bad = assert(false)\n  def test_idle = skip\nend\n"},
		"test/unit": {"test_a.rb", "require 'test/unit'\nclass A < Test::Unit::TestCase\n" +
			"  def test_ok; assert(true); end\n  def test_bad; assert(false); end\nend\n"},
		"rspec": {"a_spec.rb", "RSpec.describe 'A#test' do\n  it('_ok') {}\n  it('_bad') { expect(1).to eq(2) }\n" +
			"  xit('_idle') {}\nend\n"},
	} {
		t.Run(lib, func(t *testing.T) {
			if err := exec.CommandContext(t.Context(), "ruby", "-e", "require '"+lib+"'").Run(); err != nil {
				t.Skipf("no %s on this machine: %v", lib, err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(head+c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			script := "ruby " + c.file
			if lib == "rspec" {
				script = "rspec " + c.file
			}
			out, err := ByName(context.Background(), here{dir: dir}, sandbox.Cmd{Script: script})
			if err != nil || out.Runner != Ruby {
				t.Fatalf("%+v, %v", out, err)
			}
			plain := func(names []string) string { return strings.ReplaceAll(strings.Join(names, " "), " _", "_") }
			if plain(out.Passed) != "A#test_ok" || plain(out.Failed) != "A#test_bad" || slices.Contains(out.Unfinished, "A") {
				t.Errorf("passed %q, failed %q", out.Passed, out.Failed)
			}
			if strings.Contains(string(out.Stdout), " begin ") {
				t.Errorf("the record stands in what was printed:\n%s", out.Stdout)
			}
		})
	}
}
