package planted

import (
	"fmt"
	"path"
	"strings"

	"cookoff/internal/pattern"
)

var goTest = pattern.New(`(?m)^func (Test[A-Z0-9_]\w*|Test)\((\w+) \*testing\.T\) *\{`)

// Go says how tests are found in a file of Go, what makes one of them print or fail,
// and how planted tests are added.
func Go() *Language {
	return &Language{
		glob: "**/*_test.go", is: pattern.New(`^[^._].*_test\.go$`), kinds: 1,
		tests: func(text string) (list []testAt) {
			for _, m := range goTest.FindAllStringSubmatchIndex(text, -1) {
				if t := (testAt{name: text[m[2]:m[3]], at: m[1], param: text[m[4]:m[5]]}); t.param != "_" &&
					t.name != "TestMain" {
					list = append(list, t)
				}
			}
			return list
		},
		says: func(t testAt, v value, fails bool) string {
			end := ""
			if fails {
				end = fmt.Sprintf("; %s.FailNow()", t.param)
			}
			return fmt.Sprintf(" { a, b := uint64(%d), uint64(%d); %s.Log(a * b)%s };", v.a, v.b, t.param, end)
		},
		added: addedGo,
		named: func(name, word string) string {
			if name == "" {
				return "TestBasic"
			}
			return name + strings.ToUpper(word[:1]) + word[1:]
		},
		file: func(base, word string) string { return strings.TrimSuffix(base, "_test.go") + "_" + word + "_test.go" },
	}
}

var importsTesting = pattern.New(`(?m)^(?:import\s+|\s+)"testing"\s*$`)

func addedGo(text string, add []Addition, alone bool) (string, bool) {
	pkg := packageName(text)
	if pkg == "" || !importsTesting.MatchString(text) {
		return "", false
	}
	var b strings.Builder
	if alone {
		fmt.Fprintf(&b, "package %s\n\nimport \"testing\"\n", pkg)
	}
	for _, a := range add {
		end := ""
		if a.kind > 0 {
			end = "\n\tif a != 0 {\n\t\tt.Fatalf(\"got %d\", b)\n\t}"
		}
		fmt.Fprintf(&b, "\nfunc %s(t *testing.T) {\n\ta, b := uint64(%d), uint64(%d)\n\tt.Log(a * b)%s\n}\n", a.Name,
			a.a, a.b, end)
	}
	return b.String(), true
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

// pythonTest is a test whose body stands on lines of its own and does not start
// with a string, which would be what it is shown as.
var pythonTest = pattern.New(
	`(?m)^[ \t]*(?:async )?def (test\w*)\([^()]*\)[^:#\n]*:[ \t]*\n((?:[ \t]*\n)*)([ \t]+)([^\s"'rRbBuUfF#]|[rRbBuUfF][^"'])`)

// failing are the ways in which planted tests fail: a module can replace what
// its tests assert with.
var failingUnittest = []string{
	"self.fail()", "self.assertEqual(a % 97, a % 97 + 1 + b % 7)", "self.assertTrue(a == 1)",
	"self.assertFalse(a == a)", "self.assertIn(a % 97, [97 + b % 7])",
	"with self.assertRaises(ValueError):\n            pass", "assert a == 1",
}

var failingPytest = []string{"assert a == 1", "assert not a", "raise ValueError(a)", "assert a in []"}

// pythonSource says how tests are found in a Python file, what makes one of them print or
// fail, and how planted tests are added.
func pythonSource() *Language {
	return &Language{
		glob: "**/*.py", is: pattern.New(`^test.*\.py$|_test\.py$`),
		tests: func(text string) (list []testAt) {
			for _, m := range pythonTest.FindAllStringSubmatchIndex(text, -1) {
				list = append(list, testAt{name: text[m[2]:m[3]], at: m[6], indent: text[m[6]:m[7]]})
			}
			return list
		},
		says: func(t testAt, v value, fails bool) string {
			line := fmt.Sprintf("%sprint(%d * %d %% 2**64)", t.indent, v.a, v.b)
			if fails {
				line += "; assert 1 == 2"
			}
			return line + "\n"
		},
		named: func(name, word string) string {
			if name == "" {
				return "test_basic"
			}
			return name + "_" + word
		},
		file: func(base, word string) string {
			if rest, ok := strings.CutPrefix(base, "test_"); ok {
				return "test_" + word + "_" + rest
			}
			if strings.HasSuffix(base, "_test.py") {
				return word + "_" + base
			}
			return "test_" + word + "_" + strings.TrimSuffix(strings.TrimPrefix(base, "test"), ".py") + ".py"
		},
	}
}

// Unittest is Python with classes of unittest.
func Unittest() *Language {
	s := pythonSource()
	s.kinds = len(failingUnittest)
	s.added = func(text string, add []Addition, _ bool) (string, bool) {
		var b strings.Builder
		class := "Test" + camel(add[0].Name)
		for strings.Contains(text, "class "+class) {
			class += "More"
		}
		fmt.Fprintf(&b, "\n\nimport unittest\n\n\nclass %s(unittest.TestCase):\n", class)
		for _, a := range add {
			fmt.Fprintf(&b, "    def %s(self):\n        a, b = %d, %d\n        print(a * b %% 2**64)\n",
				a.Name, a.a, a.b)
			if a.kind > 0 {
				fmt.Fprintf(&b, "        %s\n", failingUnittest[a.kind-1])
			}
			b.WriteByte('\n')
		}
		return b.String(), true
	}
	return s
}

func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimPrefix(name, "test"), "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// Pytest is Python with functions that pytest finds.
func Pytest() *Language {
	s := pythonSource()
	s.kinds = len(failingPytest)
	s.added = func(_ string, add []Addition, _ bool) (string, bool) {
		var b strings.Builder
		for _, a := range add {
			fmt.Fprintf(&b, "\n\ndef %s():\n    a, b = %d, %d\n    print(a * b %% 2**64)\n", a.Name, a.a, a.b)
			if a.kind > 0 {
				fmt.Fprintf(&b, "    %s\n", failingPytest[a.kind-1])
			}
		}
		return b.String(), true
	}
	return s
}

var (
	nodeTitle  = pattern.New(`(?m)^\s*(?:test|it)\(\s*(?:'([^'\\\n]+)'|"([^"\\\n]+)")`)
	nodeImport = pattern.New(
		`(?m)^(?:import\b.*\bfrom\b.*|import\s+["'].*|(?:const|let|var)\b.*=\s*require\([^)]*\).*)$`)
)

// failingNode are the ways in which planted tests of Node fail. A is less than B:
// small numbers, as tests have them, and others each time.
var failingNode = []string{
	`throw new Error("no")`, "assert.equal(A, B)", "assert.strictEqual(A, B)", "assert.deepEqual([A], [B])",
	"assert.deepStrictEqual([A], [B])", "assert.ok(A > B)", "assert(A > B)", "assert.throws(() => {})",
}

// Node says how tests of node:test are found in a file and how planted tests are
// added to it.
func Node() *Language {
	return &Language{
		glob: "**/*.{js,cjs,mjs}", is: pattern.New(`^test\.[cm]?js$|^test-.*\.[cm]?js$|[-._]test\.[cm]?js$`),
		kinds: len(failingNode), twice: true,
		tests: func(text string) (list []testAt) {
			for _, m := range nodeTitle.FindAllStringSubmatch(text, -1) {
				list = append(list, testAt{name: m[1] + m[2]})
			}
			return list
		},
		added: func(text string, add []Addition, alone bool) (string, bool) {
			var b strings.Builder
			if alone {
				b.WriteString(strings.Join(nodeImport.FindAllString(text, -1), "\n"))
			}
			b.WriteString("\n" +
				";import(\"node:test\").then(({ test }) => import(\"node:assert\").then(({ default: assert }) => {\n")
			for _, a := range add {
				fails := ""
				if a.kind > 0 {
					n := a.a % 97
					fails = strings.NewReplacer("A", fmt.Sprint(n), "B",
						fmt.Sprint(n+1+a.b%7)).Replace(failingNode[a.kind-1])
				}
				fmt.Fprintf(&b, "  test(%q, () => { console.log(String(BigInt.asUintN(64, %dn * %dn))); %s });\n",
					a.Name, a.a, a.b, fails)
			}
			b.WriteString("}));\n")
			return b.String(), true
		},
		named: func(name, word string) string {
			if name == "" {
				return "works"
			}
			return name + " " + word
		},
		file: func(base, word string) string {
			ext := path.Ext(base)
			if strings.HasPrefix(base, "test") {
				return "test-" + word + ext
			}
			return word + "-" + base
		},
	}
}
