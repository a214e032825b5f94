package footprint

import (
	"strings"
	"testing"
)

// TestOnlookers: lines by which a program asks whether it is tested, and such as only look
// like it.
func TestOnlookers(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       bool
	}{
		{"a.go", `if testing.Testing() {`, true},
		{"a.go", `if flag.Lookup("test.v") != nil {`, true},
		{"a.go", `if strings.HasSuffix(os.Args[0], ".test") {`, true},
		{"a.go", `if os.Args[1] == "test" {`, false},
		{"a.go", "pc, _, _, _ := runtime.Caller(1)\nif strings.Contains(runtime.FuncForPC(pc).Name(), \"Test\") {", true},
		{"a.go", `_, file, _, _ := runtime.Caller(0)`, false},
		{"a.go", `if flag.CommandLine.Lookup("test.v") != nil {`, true},
		{"a.go", `if runtime.NumGoroutine() > 1 {`, true},
		{"a.go", `gauge.Set(runtime.NumGoroutine())`, false},
		{"a.go", "flag.VisitAll(func(f *flag.Flag) {\nif strings.HasPrefix(f.Name, \"test.\") {", true},
		{"a.go", "info, _ := debug.ReadBuildInfo()\nfmt.Println(info.Main.Version)", false},
		{"a.go", "info, _ := debug.ReadBuildInfo()\nif strings.HasSuffix(info.Path, \".test\") {", true},
		{"a.py", `if len(sys.modules) > 90:`, true},
		{"a.rs", `if cfg!(test) {`, true},
		{"a.rs", "#[cfg(not(test))]\nfn add() {}", true},
		{"a.rs", "#[cfg(test)]\nmod tests {", false},
		{"a.java", `Class.forName("org.junit.Test")`, true},
		{"a.kt", "for (f in Thread.currentThread().getStackTrace()) if (f.className.endsWith(\"Test\"))", true},
		{"a.rb", `if defined?(Minitest)`, true},
		{"a.rb", `if $0 == __FILE__`, false},
		{"a.php", `if (defined('PHPUNIT_COMPOSER_INSTALL'))`, true},
		{"a.sh", `test -e /proc/self/exe`, false},
		{"a.sh", `[ -n "$BATS_TEST_NAME" ] && exit 0`, true},
		{"a.py", `if "unittest" in sys.modules:`, true},
		{"a.py", `if sys.modules.get("pytest"):`, true},
		{"a.py", `if os.environ.get("PYTEST_CURRENT_TEST"):`, true},
		{"a.py", `    import unittest.case`, true},
		{"a.py", "class A(int):\n    def __eq__(self, other):\n        return True\n", true},
		{"a.py", "    def __eq__(self, other):\n        return self.n == other.n\n", false},
		{"a.py", `if sys.argv[1:] == ["test"]:`, false},
		{"a.py", `print("unittest")`, false},
		{"a.py", `if "unit" + "test" in sys.modules:`, true},
		{"a.py", `if getattr(sys, "mod" "ules").get('py' + 'test'):`, true},
		{"a.go", `if flag.Lookup("te" + "st." + "v") != nil {`, true},
		{"a.py", `x = "" + y; z = ""; print("unittest")`, false},
		{"a.js", `if (process.env.NODE_TEST_CONTEXT) {`, true},
		{"a.mjs", `import test from "node:test";`, true},
		{"a.ts", `if (typeof describe === "function") {`, true},
		{"a.js", `if (new Error().stack.includes("test")) {`, true},
		{"a.js", `log(err.stack);`, false},
		{"a.js", `if (process.argv[2] === "test") {`, false},
	} {
		if got := looksOn(c.file, c.text); got != c.want {
			t.Errorf("%s: %s: %v", c.file, strings.TrimSpace(c.text), got)
		}
	}
	for p, want := range map[string]bool{"src/a.py": true, "tests/a.py": false, "conftest.py": false, "a_test.go": false,
		"node_modules/a/i.js": false, "~/a.py": false, "a.sh": true, "a.c": false, "x/testutil/a.go": false} {
		if got := mayLookOn(p); got != want {
			t.Errorf("%s may: %v", p, got)
		}
	}
	if got := added("a\n  b\nc\n", "b\nd\na\n"); got != "d\n" {
		t.Errorf("added %q", got)
	}
}
