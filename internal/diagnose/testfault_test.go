package diagnose

import "testing"

func TestTestFault(t *testing.T) {
	check := func(output, want, hint string) {
		t.Helper()
		if got, other := TestFault("go test ./...", output); got != want || other != hint {
			t.Errorf("%q: %q and %q, want %q and %q", output, got, other, want, hint)
		}
	}
	off := "mend it first, or leave vet out: --test-command 'go test -vet=off ./...'"
	check("FAIL\n# example.com/a\n# [example.com/a]\n./flag_test.go:12:3: fmt.Println arg list ends with "+
		"redundant newline\n", "flag_test.go", off)
	check("# [example.com/a]\n./a.go:2:3: unreachable code\npkg/b_test.go:12:3: self-assignment of x to x",
		"pkg/b_test.go", off)
	check("# [example.com/a]\n./a.go:2:3: unreachable code\n", "", "")
	check("# [example.com/a]\n./a_test.go:9:3: Errorf format %s has arg Total() of wrong type int\n", "", "")
	check("# example.com/a [example.com/a.test]\n./a_test.go:5:2: undefined: Total\n", "", "")
	check("# [example.com/a]\nvet: ./a_test.go:5:2: undefined: Total\n", "", "")
	check("a_test.go:7:1: expected declaration, found foo\n", "a_test.go", "mend it first")
	check("a.go:7:1: expected declaration, found foo\n", "", "")
	check("E     File \"/work/tests/test_a.py\", line 2\nE       def f(:\nE             ^\nE   "+
		"SyntaxError: invalid syntax\n",
		"tests/test_a.py", "mend it first")
	check("  File \"/work/shop/a.py\", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax\n", "", "")
	check("/work/test/a.test.js:3\n  it('a' => {\n         ^^\n\nSyntaxError: Unexpected token '=>'\n    at wrap\n",
		"test/a.test.js", "mend it first")
	check("/work/test/a.test.js:1\nimport a from '../a.js'\n^^^^^^\n\nSyntaxError: Cannot use import "+
		"statement outside a module\n",
		"", "")
	check("file:///work/test/a.test.js:1\nimport {b} from '../a.js'\n        ^\nSyntaxError: "+
		"The requested module '../a.js' does not provide an export named 'b'\n", "", "")
}

func TestRunnerFault(t *testing.T) {
	check := func(want bool, lines ...string) {
		t.Helper()
		output := "collected 3 items\n"
		for _, l := range lines {
			output += "INTERNALERROR> " + l + "\n"
		}
		if got := RunnerFault(output); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
	check(false)
	check(true, `  File "/work/.venv/lib/python3.11/site-packages/_pytest/main.py", line 1, in wrap`, "    warnings.warn(",
		"pytest.PytestUnknownMarkWarning: Unknown pytest.mark.no_cover")
	check(true, `  File "/work/tests/conftest.py", line 3, in pytest_configure`, "ZeroDivisionError")
	check(false, `  File "/work/tests/conftest.py", line 3, in pytest_configure`,
		`  File "/work/shop/total.py", line 9, in total`, "ZeroDivisionError")
}
