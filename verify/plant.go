package verify

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/sandbox"
)

// Flags under which a test runner still runs every test of a project; behind
// "=" stands any value.
const (
	unittestFlags = "discover -v --verbose -q --quiet -f --failfast -b --buffer"
	pytestFlags   = "-q -qq -v -vv -x -s -ra -rA --tb= --color= --no-header"
	nodeFlags     = "--test-reporter= --test-concurrency="
)

// only reports whether every argument is one of the flags.
func only(args []string, flags string) bool {
	allowed := strings.Fields(flags)
	for _, a := range args {
		if flag, _, has := strings.Cut(a, "="); has {
			a = flag + "="
		}
		if !slices.Contains(allowed, a) {
			return false
		}
	}
	return true
}

// word is a name that the contestant's code can't know.
func word() string { return "c" + strings.ToLower(rand.Text()[:10]) }

// goTestName makes a test's name, of a word, that the flags of a go test select.
func goTestName(w string, args []string) (string, bool) {
	name := "TestC" + w
	for i, a := range args {
		flag, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") {
			continue
		}
		if a == "-args" {
			break
		}
		if !has && i+1 < len(args) {
			value = args[i+1]
		}
		switch strings.TrimPrefix(flag, "test.") {
		case "c", "list", "n", "exec", "fuzz", "skip":
			return "", false
		case "run":
			top, _, _ := strings.Cut(value, "/")
			re, err := regexp.Compile(top)
			if err != nil || top == "" {
				return "", false
			}
			if !re.MatchString(name) {
				name = literalStart(top) + strings.TrimPrefix(name, "Test")
			}
			if !re.MatchString(name) || !strings.HasPrefix(name, "Test") {
				return "", false
			}
		}
	}
	return name, true
}

// literalStart is the text that what the first alternative of expr matches
// starts with.
func literalStart(expr string) string {
	expr, _, _ = strings.Cut(expr, "|")
	re, err := regexp.Compile(strings.TrimPrefix(strings.TrimPrefix(expr, "("), "^"))
	if err != nil {
		return ""
	}
	prefix, _ := re.LiteralPrefix()
	return prefix
}

// plantGo writes a failing test into every package of the project.
func plantGo(ctx context.Context, fsys sandbox.FS, name string) (bool, error) {
	files, _, err := fsys.Find(ctx, sandbox.FindQuery{Glob: "**/*.go", Max: 20_000})
	if err != nil {
		return false, refused(err)
	}
	chosen := map[string]string{} // directory -> the file whose package the test joins
	var order []string
	for _, f := range files {
		dir := path.Dir(f)
		if skipped(dir) {
			continue
		}
		if chosen[dir] == "" {
			order = append(order, dir)
		}
		if chosen[dir] == "" || strings.HasSuffix(f, "_test.go") && !strings.HasSuffix(chosen[dir], "_test.go") {
			chosen[dir] = f
		}
	}
	planted := false
	for _, dir := range order[:min(len(order), maxControlled)] {
		ch, err := fsys.Read(ctx, chosen[dir], 0, maxSource)
		if err != nil {
			if err = refused(err); err != nil {
				return false, err
			}
			continue
		}
		pkg := packageName(string(ch.Data))
		if pkg == "" {
			continue
		}
		text := fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(t *testing.T) { t.Fatal(\"must fail\") }\n", pkg, name)
		if err := fsys.Write(ctx, path.Join(dir, strings.ToLower(name)+"_test.go"), []byte(text)); err != nil {
			return false, refused(err)
		}
		planted = true
	}
	return planted, nil
}

// pythonTests must all fail. They are of several kinds, since a module can
// replace what its tests assert with.
const pythonTests = `import unittest


class TestW(unittest.TestCase):
    def test_W_fail(self):
        self.fail("must fail")

    def test_W_equal(self):
        self.assertEqual(1, 2)

    def test_W_true(self):
        self.assertTrue(False)

    def test_W_false(self):
        self.assertFalse(True)

    def test_W_in(self):
        self.assertIn(1, [])

    def test_W_raises(self):
        with self.assertRaises(ValueError):
            pass

    def test_W_assert(self):
        assert 1 == 2
`

// nodeTests stand at the end of a copy of a test file, a module of either kind.
const nodeTests = `
;import("node:test").then(({ test }) => import("node:assert").then(({ default: assert }) => {
  test("W throw", () => { throw new Error("must fail") });
  test("W equal", () => assert.equal(1, 2));
  test("W strictEqual", () => assert.strictEqual(1, 2));
  test("W deepEqual", () => assert.deepEqual([1], [2]));
  test("W deepStrictEqual", () => assert.deepStrictEqual([1], [2]));
  test("W ok", () => assert.ok(false));
  test("W assert", () => assert(false));
  test("W throws", () => assert.throws(() => {}));
}));
`

// plantPython writes failing tests beside the first test file of every
// directory, under a name of the same kind.
func plantPython(ctx context.Context, fsys sandbox.FS, w string) (bool, error) {
	files, err := testFiles(ctx, fsys, "**/*.py", regexp.MustCompile(`^test.*\.py$|_test\.py$`))
	if err != nil {
		return false, err
	}
	planted, done := false, map[string]bool{}
	for _, f := range files {
		dir, base := path.Split(f)
		if done[dir] {
			continue
		}
		done[dir] = true
		text := strings.ReplaceAll(pythonTests, "W", w)
		if err := fsys.Write(ctx, dir+beside(base, w), []byte(text)); err != nil {
			return false, refused(err)
		}
		planted = true
	}
	return planted, nil
}

// plantNode copies every test file with failing tests at its end: each runs in
// a process of its own, and imports what it tests.
func plantNode(ctx context.Context, fsys sandbox.FS, w string) (bool, error) {
	files, err := testFiles(ctx, fsys, "**/*.{js,cjs,mjs}", regexp.MustCompile(`^test-|[-._]test\.[cm]?js$`))
	if err != nil {
		return false, err
	}
	planted := false
	for _, f := range files {
		ch, err := fsys.Read(ctx, f, 0, maxSource)
		if err != nil {
			if err = refused(err); err != nil {
				return false, err
			}
			continue
		}
		if ch.Size > maxSource {
			continue
		}
		dir, base := path.Split(f)
		text := string(ch.Data) + strings.ReplaceAll(nodeTests, `"W `, `"`+w+" ")
		if err := fsys.Write(ctx, dir+beside(base, w), []byte(text)); err != nil {
			return false, refused(err)
		}
		planted = true
	}
	return planted, nil
}

// beside makes a test file's name of another's: test_a.py becomes
// test_w_a.py, a.test.js becomes w-a.test.js.
func beside(base, w string) string {
	if rest, ok := strings.CutPrefix(base, "test"); ok {
		if sep := rest[:1]; sep == "-" || sep == "_" {
			return "test" + sep + w + sep + rest[1:]
		}
		return "test_" + w + "_" + base
	}
	return w + "_" + base
}

// testFiles are the project's files that a name tells as tests, at most
// maxControlled.
func testFiles(ctx context.Context, fsys sandbox.FS, glob string, is *regexp.Regexp) ([]string, error) {
	files, _, err := fsys.Find(ctx, sandbox.FindQuery{Glob: glob, Max: 20_000})
	if err != nil {
		return nil, refused(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return skipped(path.Dir(f)) || !is.MatchString(path.Base(f)) })
	return files[:min(len(files), maxControlled)], nil
}

// skipped knows the directories that test runners leave out.
func skipped(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "vendor" || part == "testdata" || part == "node_modules" || part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// packageName finds a Go file's package clause; "" where there is none.
func packageName(src string) string {
	comment := false
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if comment {
			_, rest, ended := strings.Cut(line, "*/")
			if !ended {
				continue
			}
			comment, line = false, strings.TrimSpace(rest)
		}
		if strings.HasPrefix(line, "/*") {
			_, _, ended := strings.Cut(line, "*/")
			comment = !ended
			continue
		}
		if name, ok := strings.CutPrefix(line, "package "); ok {
			name, _, _ = strings.Cut(name, "//")
			name, _, _ = strings.Cut(name, ";")
			return strings.TrimSpace(name)
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			return ""
		}
	}
	return ""
}
