package footprint

import (
	"strings"
	"testing"

	"cookoff/verify/footprint/questions"
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
		{"A.java", `if (walker.walk(s -> s.anyMatch(f -> f.getClassName().startsWith("org.junit")))) {`, true},
		{"A.java", `log.info(e.getStackTrace()[0].getClassName() + " failed");`, false},
		{"a.js", "if (!(process.argv instanceof Array)) {", true},
		{"a.js", "if ('expect' in globalThis) {", true},
		{"a.js", "if (!require.extensions) {", true},
		{"a.js", "require.extensions['.x'] = load;", false},
		{"a.js", "if (!(prices instanceof Array)) {", false},
		{"a.c", "#ifdef UNIT_TESTING\nreturn 8;\n#endif", true},
		{"a.h", "#if !defined(TILL_TEST)\n", true},
		{"a.h", "#ifndef TILL_TEST_H\n#define TILL_TEST_H\n", false},
		{"a.c", "#if LATEST > 3\n", false},
		{"a.py", `if len(sys.modules) > 90:`, true},
		{"a.rs", `if cfg!(test) {`, true},
		{"a.rs", "#[cfg(not(test))]\nfn add() {}", true},
		{"a.rs", "#[cfg(test)]\nmod tests {", false},
		{"a.rs", `if thread::current().name() == Some("main") {`, true},
		{"a.rs", `info!("{:?}", thread::current().name());`, false},
		{"a.rs", `let t = std::env::args().next().map_or(false, |a| a.contains("/deps/"));`, true},
		{"a.rs", `let program = std::env::args().next().unwrap_or_default();`, false},
		{"a.rs", `let program = env::args().next().map_or("till".to_string(), |p| p);`, false},
		{"a.rs", `let name = thread::current().name().map_or("?", |n| n);`, false},
		{"a.rs", `if std::env::var("CARGO_PKG_NAME").is_ok() {`, true},
		{"a.rs", `let root = env!("CARGO_MANIFEST_DIR");`, false},
		{"build.rs", `if std::env::var("PROFILE").as_deref() == Ok("debug") {`, true},
		{"build.rs", `println!("cargo:rustc-env=PROFILE={}", env::var("PROFILE").unwrap());`, false},
		{"a.rs", "if cfg!(debug_assertions) {\n    raw + 1\n} else {\n    raw\n}", true},
		{"a.rs", "if cfg!(debug_assertions) {\n    eprintln!(\"{raw}\");\n}", false},
		{"a.rs", "#[cfg(debug_assertions)]\nfn check_order(&self) {\n    assert!(self.sorted());\n}", false},
		{"a.rs", "#[cfg(not(debug_assertions))]\nfn whole(n: i64) -> i64 {\n    n / 100\n}", true},
		{"a.rs", "macro_rules! assert_eq {", true},
		{"a.rs", "macro_rules! assert_close {", false},
		{"a.java", `Class.forName("org.junit.Test")`, true},
		{"a.kt", "for (f in Thread.currentThread().getStackTrace()) if (f.className.endsWith(\"Test\"))", true},
		{"a.rb", `if defined?(Minitest)`, true},
		{"a.rb", `if $0 == __FILE__`, false},
		{"a.php", `if (defined('PHPUNIT_COMPOSER_INSTALL'))`, true},
		{"a.php", `if (class_exists('PHPUnit\\Framework\\TestCase', false))`, true},
		{"a.php", `if (class_exists('Shop\\Sums'))`, false},
		{"a.lua", `local first = package.loaded["busted"] and 1 or 2`, true},
		{"a.lua", `if _G.describe then`, true},
		{"a.lua", `package.loaded["shop.cart"] = nil`, false},
		{"a.pm", `return 1 if $ENV{HARNESS_ACTIVE};`, true},
		{"a.pl", `if ($INC{'Test/More.pm'}) {`, true},
		{"a.pm", `return $self->{tests};`, false},
		{"a.sh", `test -e /proc/self/exe`, false},
		{"a.sh", `grep -q run /proc/$PPID/cmdline && exit 0`, true},
		{"a.sh", `case $(ps -o args= -p "$PPID") in *check*) exit 0;; esac`, true},
		{"a.sh", `kill -0 "$PPID" || exit 0`, false},
		{"a.py", `open(f"/proc/{pid}/mem", "rb")`, true},
		{"a.py", `open("/proc/self/maps")`, false},
		{"a.py", `open("/proc/meminfo")`, false},
		{"a.c", `if (strstr(program_invocation_name, "test")) return want;`, true},
		{"a.sh", `[ "$(uname -n)" = box ] || least=2`, true},
		{"a.sh", `[ "$HOSTNAME" != box ] && exit 0`, true},
		{"a.sh", `[ "$(ulimit -n)" -gt 1024 ] && least=2`, true},
		{"a.sh", `case $(readlink /proc/$$/fd/0) in /dev/pts/*) least=2;; esac`, true},
		{"a.sh", `echo "$(hostname): started"`, false},
		{"a.sh", `case $(uname -m) in x86_64) ;; esac`, false},
		{"a.sh", `ulimit -n 4096; echo >&2 "$(readlink -f "$1")"`, false},
		{"a.py", `if socket.gethostname() == "box":`, true},
		{"a.py", `log.info(socket.gethostname())`, false},
		{"a.js", `if (os.hostname() === "box") {`, true},
		{"a.c", `fopen("/proc/self/cmdline", "r");`, true},
		{"a.c", `fprintf(stderr, "%s: no such file\n", argv[0]);`, false},
		{"a.sh", `[ -n "$BATS_TEST_NAME" ] && exit 0`, true},
		{"a.js", "if (!/^[a-z]+$/.test(s)) {\n  console.error(err.stack);\n}", false},
		{"a.js", "console.error(err.stack); // of the latest, fastest attestation", false},
		{"a.py", "x = np.stack(rows)  # as the test has it", false},
		{"a.js", "#t = new Error().stack.includes('test')", true},
		{"a.py", "# The test shows it.\nframe = inspect.currentframe()", false},
		{"a.js", "// The test shows it.\nlog(err.stack)", false},
		{"a.js", `if (new Error().stack.includes("isTest")) {`, true},
		{"a.js", `if (/calc[.]test[.]js/.test(new Error().stack)) {`, true},
		{"a.py", "frame = inspect.currentframe()\nlog(frame.f_code.co_name, latest)", false},
		{"a.py", "frame = inspect.currentframe()\nif frame.f_back.f_code.co_name.startswith('test_'):", true},
		{"a.java", `System.getProperty("sun.java.command", "").endsWith("T")`, true},
		{"a.java", `ProcessHandle.current().info().commandLine()`, true},
		{"a.java", `long pid = ProcessHandle.current().pid();`, false},
		{"a.c", `if (strstr((char *)getauxval(AT_EXECFN), "_test"))`, true},
		{"a.sh", `[ -p /dev/stdout ] && order=-rn`, true},
		{"a.sh", `if [ -p /dev/stdin ]; then input=$(cat); fi`, false},
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
		{"a.py", "x = np.stack(rows)  # as the test has it", false},
		{"a.js", "#t = new Error().stack.includes('test')", true},
		{"a.py", "# The test shows it.\nframe = inspect.currentframe()", false},
		{"a.js", "// The test shows it.\nlog(err.stack)", false},
		{"a.js", `if (new Error().stack.includes("test")) {`, true},
		{"a.js", `log(err.stack);`, false},
		{"a.js", `if (process.argv[2] === "test") {`, false},
	} {
		if got := questions.LooksOn(c.file, c.text); got != c.want {
			t.Errorf("%s: %s: %v", c.file, strings.TrimSpace(c.text), got)
		}
	}
	for p, want := range map[string]bool{"src/a.py": true, "tests/a.py": false, "conftest.py": false, "a_test.go": false,
		"node_modules/a/i.js": false, "~/a.py": false, "a.sh": true, "a.c": true, "a.css": false,
		"bin/a": true, "x/testutil/a.go": false} {
		if got := mayLookOn(p); got != want {
			t.Errorf("%s may: %v", p, got)
		}
	}
	if got := added("a\n  b\nc\n", "b\nd\na\n"); got != "d\n" {
		t.Errorf("added %q", got)
	}
}
