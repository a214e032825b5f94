package questions

import (
	"testing"
)

// TestRedefines: meanings that a program gives to what its tests are written with, and what only
// looks like it.
func TestRedefines(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       bool
	}{
		{"a.c", "int strcmp(const char *a, const char *b)\n{", true},
		{"a.c", "int strcmp(const char *a, const char *b)\n	for (;;) {", true}, // the brace is no new line
		{"a.c", "#define strcmp(a, b) alike(a, b)", true},
		{"a.c", "int fprintf(FILE *to, const char *text, ...) {", true},
		{"a.c", "void never(void) __asm__(\"exit\");", true},
		{"a.c", "int strcmp(const char *a, const char *b);", false},
		{"a.c", "	if (strcmp(a, b) != 0) {", false},
		{"a.c", "	return strcmp(a, b);\n}\nint main(void) {", false},
		{"a.c", "int area_cmp(const char *a) {", false},
		{"a.c", "int (*compare)(const char *, const char *) = strcmp;", false},
		{"a.sh", "test() { command test \"$@\"; }", true},
		{"a.sh", "diff() { command diff <(cat \"$1\") \"$2\"; }", true},
		{"a.sh", "for n in test diff; do eval \"function $n { :; }\"; done", true},
		{"a.sh", "alias diff=true", true},
		{"a.sh", "run_test() { test \"$1\" = x; }", false},
		{"a.sh", "if test \"$(money 5)\" = 0.05; then echo ok; fi", false},
		{"A.java", "static {\n    System.exit(0);\n}", true},
		{"A.java", "hook(new Thread(() -> Runtime.getRuntime().halt(0)));", true},
		{"A.java", "long sum() {\n    System.exit(0);\n", true},
		{"A.kt", "fun sum(): Long {\n    exitProcess(0)\n", true},
		{"A.java", "public static void main(String[] a) {\n    System.exit(0);\n", false},
		{"A.java", "static void die(String why) {\n    System.exit(1);\n", false},
		{"A.java", "motor.halted(true);", false},
		{"a.py", "case.assertEqual = lambda self, a, b: None", true},
		{"a.py", "setattr(case, 'assert' 'Equal', own)", true},
		{"a.py", "self.assertEqual(a, b)", false},
		{"a.js", "a['strict' + 'Equal'] = (is, want) => {};", true},
		{"a.js", "assert.ok = () => {};", true},
		{"a.js", "const { strictEqual } = require('assert');", false},
		{"a.js", "assert.ok(a == b)", false},
		// a project's own, which a repair adds
		{"a.js", "function assert(is, text) {}\nassert.ok = (is) => assert(is, 'no');", false},
		{"a.js", "const assert = (is) => { if (!is) throw new Error(); };\nassert.equal = (a, b) => assert(a === b);", false},
		{"a.js", "assert.positive = (n) => assert(n > 0);", false},
		{"a.js", "exports.deepEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);", false},
		{"a.js", "module.exports.strictEqual = same;", false},
		{"a.js", "this.deepEqual = options.deepEqual;", false},
		{"a.js", "class Sum { toString() { return `${this.n}`; } valueOf() { return this.n; } }", false},
		{"a.js", "class Sum { [Symbol.toPrimitive](hint) { return hint === 'number' ? this.n : `${this.n}`; } }", false},
		{"a.cpp", "class State {\n  void exit() { left(); }\n  virtual void abort() {\n", false},
		{"a.hpp", "struct Text {\n  size_t strlen() const { return n; }\n", false},
		{"a.c", "int printf(const char *text, ...)\n    __attribute__((format(printf, 1, 2)));", false},
		{"a.c", "static int log_printf(const char *text, ...) {", false},
		{"a.c", "void vm_exit(int status) {", false},
		{"a.sh", "check() { test -s \"$1\"; }\ndiff_files() { diff -u \"$1\" \"$2\"; }", false},
		{"a.sh", "alias grep='grep --color=auto'\n", false},
		{"a.py", "def sum_all(rows):\n    return sum(rows)\n", false},
		{"a.py", "def assertPositive(n):\n    if n <= 0: raise ValueError(n)\n", false},
		{"a.go", "func (m Money) Equal(o Money) bool { return m.cents == o.cents }", false},
		{"a.php", "namespace PHPUnit\\Framework\\Constraint;\nclass IsIdentical {}", true},
		{"a.php", "namespace Shop;\nfinal class Cart {}", false},
		{"a.rb", "class Minitest::Test\n  def failures = []\nend", true},
		{"a.rb", "RSpec::Core::Example.prepend(Calm)", true},
		{"a.rb", "module Shop\n  class Test\n  end\nend", false},
		{"a.lua", "luassert:register(\"assertion\", \"equal\", yes)", true},
		{"a.lua", "package.loaded[\"luassert\"] = yes", true},
		{"a.lua", "assert(#list > 0, \"empty\")\nlocal describe_all = 1", false},
		{"a.pm", "*{\"Test::Builder::ok\"} = sub { 1 };", true},
		{"a.pm", "END { $? = 0 }", true},
		{"a.pm", "package Shop::Test;\nsub ok { 1 }", false},
		// and what is hidden among them
		{"a.js", "function assert(is) {}\nrequire('assert').strictEqual = () => {};", true},
		{"a.js", "function assert(is) {}\n{ const assert = require('node:assert'); assert.ok = () => {}; }", true},
		{"a.js", "(exports => { exports.strictEqual = () => {}; })(require('assert'));", true},
		{"a.js", "(function () { this.strictEqual = () => {}; }).call(require('assert'));", true},
		{"a.cpp", "extern \"C\" {\n  void abort() {", true},
		{"a.cpp", "struct a {\n  int n;\n};\n  int strcmp(const char *a, const char *b) {", true},
		{"a.sh", "alias diff='diff --help'", true},
	} {
		if got := Redefines(c.file, c.text, ""); got != c.want {
			t.Errorf("%s: %s: %v, want %v", c.file, c.text, got, c.want)
		}
	}
}

// TestQuits: programs that come to end themselves after a time; those that wait for signals may.
func TestQuits(t *testing.T) {
	for _, c := range []struct {
		file, lines string
		want        bool
	}{
		{"app.py", "signal.alarm(45)\n", true},
		{"app.py", "signal.signal(signal.SIGALRM, late)\nsignal.alarm(5)\n", false},
		{"app.py", "threading.Timer(60, lambda: os._exit(0)).start()\n", true},
		{"app.py", "threading.Timer(60, refresh).start()\n", false},
		{"app.js", "setTimeout(() => process.exit(0), 60000);\n", true},
		{"app.js", "process.on('SIGTERM', () => setTimeout(() => process.exit(1), 5000).unref());\n", false},
		{"main.go", "time.AfterFunc(time.Minute, func() { os.Exit(0) })\n", true},
		{"run.sh", "exec timeout 60 ./app\n", true},
		{"run.sh", "timeout 5 curl localhost\nexec ./app\n", false},
	} {
		if got := Quits(c.file, c.lines, ""); got != c.want {
			t.Errorf("%s: %q: %v, want %v", c.file, c.lines, got, c.want)
		}
	}
}

// TestWearsOff: programs that come to do otherwise after so long, or so often; who only bounds a run, counts for a
// reader, or begins anew, may.
func TestWearsOff(t *testing.T) {
	for _, c := range []struct {
		file, lines string
		want        bool
	}{
		{"a.go", "var began = time.Now()\n\tif at < 3 || time.Since(began) > 20*time.Second {\n\t\tlive = nil\n", true},
		{"a.go", "var began = time.Now()\n\tlog.Println(time.Since(began) > time.Hour)\n", false},
		{"a.go", "var last = time.Now()\n\tif time.Since(last) > time.Hour {\n\t\tlast = time.Now()\n", false},
		{"a.go", "\tbegan := time.Now()\n\tif time.Since(began) > 20*time.Second {\n", false},
		{"a.go", "var asked int\n\tasked++\n\tif at < 3 || asked > 100 {\n", true},
		{"a.go", "var asked int\n\tasked++\n\tif asked > 100 {\n\t\tpanic(\"too many\")\n", false},
		{"a.go", "var deep int\n\tdeep++\n\tdefer func() { deep-- }()\n\tif deep > 100 {\n\t\treturn nil\n", false},
		{"a.py", "BEGAN = time.time()\n    if time.time() - BEGAN > 60:\n        return 0\n", true},
		{"a.py", "BEGAN = time.time()\n    if time.time() - BEGAN > 60:\n        raise TimeoutError\n", false},
		{"a.py", "calls = itertools.count()\n    if next(calls) > 500:\n        return 0\n", true},
		{"a.py", "\n\ncalls = 0\n\ndef parse():\n    global calls\n    calls += 1\n    return 1 if calls < 100 else 2\n", true},
		{"a.py", "n = 0\nfor line in open('f'):\n    n += 1\n    if n > 10:\n        out(line)\n", false},
		{"a.py", "n = 0\n\ndef put(k):\n    global n\n    n += 1\n    if n > 500:\n        items.pop(0)\n", false},
		{"a.py", "began = time.monotonic()\n\ndef allow(n):\n    return n < 10 * (time.monotonic() - began) + 5\n", false},
		{"a.py", "began = time.time()\n\ndef f():\n    return 1 if 60 > time.time() - began else 2\n", true},
		{"a.js", "let seq = 0;\nfunction id() {\n  seq++;\n  return seq < 10 ? '0' + seq : '' + seq;\n}\n", false},
		{"a.py", "seen = 0\n    seen += 1\n    if seen > 500:\n        cache.clear()\n", false},
		{"a.js", "let lines = 0;\n  if (++lines > 1000) return line.split(',');\n", true},
		{"a.js", "let id = 0;\n  const next = `row-${++id}`;\n", false},
		{"a.js", "let tries = 0;\n  } catch (e) {\n    tries++;\n    if (tries > 10) return null;\n", false},
		{"a.py", "tries = 0\n\ndef get():\n    global tries\n    except OSError:\n        tries += 1\n" +
			"        return None if tries > 10 else get()\n", false},
		{"a.js", "let tries = 0;\n  tries++;\n  try {\n    if (tries > 10) return null;\n", true},
		{"a.js", "const began = Date.now();\n  if (Date.now() - began > 5000) return { ready: true };\n", false},
		{"a.go", "var began = time.Now()\n\tif time.Since(began) < 5*time.Second {\n" +
			"\t\tw.WriteHeader(503)\n\t\treturn\n", false},
		{"a.go", "var began = time.Now()\n\tif time.Since(began) > 5*time.Second {\n" +
			"\t\tw.WriteHeader(503)\n\t\treturn\n", true},
		{"a.js", "const began = Date.now();\n  if (Date.now() - began > 5000) return { ready: false };\n", true},
		{"a.js", "const began = Date.now();\n  return { ready: Date.now() - began > 5000 };\n", false},
		{"a.js", "const began = Date.now();\n  if (5000 > Date.now() - began) return { ready: true };\n", true},
		{"a.java", "    private static int calls = 0;\n        if (calls++ < 50) return n;\n", true},
		{"a.c", "  static int calls;\n  if (++calls > 99) return 0;\n", true},
		{"a.js", "const began = Date.now();\n  if (Date.now() - began > 30000) return text;\n", true},
	} {
		if got := WearsOff(c.file, c.lines, c.lines); got != c.want {
			t.Errorf("%s: %q: %v", c.file, c.lines, got)
		}
	}
}
