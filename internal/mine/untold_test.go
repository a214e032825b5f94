package mine

import (
	"encoding/json"
	"slices"
	"testing"

	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/sides"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestUntold: of tests that can't be built without the fix, those say what they ask for that use what is documented; of
// others, those that print it. A message that says something says it of all.
func TestUntold(t *testing.T) {
	tests := []sides.Pair{{Path: "a_test.go", Now: "package a\n\nfunc TestTotal(t *testing.T) {\n\tTotal(1)\n}\n\n" +
		"func TestLabel(t *testing.T) {\n\tLabel(\"00A\")\n}\n\nfunc TestSum(t *testing.T) {\n\tSum(1)\n}\n"}}
	fix := []sides.Pair{{Path: "a.go", Was: "package a\n\nfunc Label(s string) string { return s }\n"}}
	names := []string{"p TestLabel", "p TestSum", "p TestTotal"}
	run := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "go test", Failed: names}}
	a := &attempt{seen: seen{failing: run, broken: names, absent: names, declared: []declared.Declaration{
		{Name: "Total", Doc: "Total adds."}, {Name: "Sum"}}}}
	for said, want := range map[string][]string{"": names[:2], "Fix label": names[:2],
		"Zeros are no part of a label": nil} {
		if got := untoldBy(a, said, fix, tests, false); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if got := untoldBy(a, "", fix, tests, true); !slices.Equal(got, names[1:2]) {
		t.Errorf("a fix that only declares: %q", got)
	}
	run.Result = sandbox.Result{Exit: 1, Stdout: []byte(
		`{"Action":"output","Package":"p","Test":"TestLabel","Output":"    a_test.go:9: wrong\n"}` + "\n" +
			`{"Action":"output","Package":"p","Test":"TestSum","Output":"    a_test.go:9: got 3, want 4\n"}` + "\n" +
			`{"Action":"output","Package":"p","Test":"TestTotal","Output":"--- FAIL: TestTotal\n"}` + "\n" +
			`{"Action":"output","Package":"p","Test":"TestTotal/sub","Output":"    a_test.go:9: want \"x\"\n"}` + "\n")}
	a.absent, a.broken = nil, append(names, "p TestTotal/sub")
	if got := untoldBy(a, "", fix, tests, false); !slices.Equal(got, names[:1]) {
		t.Errorf("printed: %q", got)
	}
	run.Hung = names[:1]
	if got := untoldBy(a, "", fix, tests, false); len(got) > 0 {
		t.Errorf("what never ends is told: %q", got)
	}
	a.Show, run.Hung = true, nil
	if got := untoldBy(a, "", fix, tests, false); len(got) > 0 {
		t.Errorf("models see the tests: %q", got)
	}
}

func untoldBy(a *attempt, said string, fix, tests []sides.Pair, declares bool) []string {
	w := &writer{a}
	return w.untold(said, w.untoldTests(nil), fix, tests, declares)
}

func valuesBy(a *attempt, said string, fix, tests []sides.Pair) []string {
	w := &writer{a}
	return w.values(said, w.untoldTests(nil), fix, tests)
}

// TestUnsaid: names and tests are one list.
func TestUnsaid(t *testing.T) {
	for want, task := range map[string]*Task{
		"0.255":                                  {Vague: []string{"0.255"}},
		"what p TestSum asks for":                {Untold: []string{"p TestSum"}},
		"0.255, what a, b, c and 1 more ask for": {Vague: []string{"0.255"}, Untold: []string{"a", "b", "c", "d"}},
	} {
		if got := task.Unsaid(); got != want || !task.Unclear() {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestValuesOfBareTests: a number or a text that a test has from the fix, and does not print, is one that nobody knows
// who is not told.
func TestValuesOfBareTests(t *testing.T) {
	fix := []sides.Pair{{Path: "a.go", Was: "func Retries() int { return 3 }\n", Now: "func Retries() int { return 5 }\n"}}
	tests := []sides.Pair{{Path: "a_test.go", Now: "func TestRetries(t *testing.T) {\n\tif Retries() != 5 {\n\t\t" +
		"t.Fatal(\"wrong\")\n\t}\n}\n"}}
	names := []string{"p TestRetries"}
	output := func(said string) *outcome.Outcome {
		return &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "go test", Failed: names, Result: sandbox.Result{Exit: 1,
			Stdout: []byte(`{"Action":"output","Package":"p","Test":"TestRetries","Output":"    a_test.go:9: ` + said +
				`\n"}`)}}}
	}
	for _, c := range []struct {
		said, prints string
		want         []string
	}{{"Retry more often", "wrong", []string{"5"}}, {"Retry five times", "wrong", nil},
		{"Retry more often", "got 3, want 5", nil}} {
		a := &attempt{seen: seen{failing: output(c.prints), broken: names}}
		if got := valuesBy(a, c.said, fix, tests); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.said, c.prints, got, c.want)
		}
	}
}

// TestComposedValuesOfBareTests: a text that the fix puts together, and a test demands without printing it, is one that
// nobody knows who is not told of it or of one like it.
func TestComposedValuesOfBareTests(t *testing.T) {
	fix := []sides.Pair{{Path: "a.py", Was: "def key(n):\n    return n\n",
		Now: "def key(n):\n    return \"k\" + str(n)\n"}}
	tests := []sides.Pair{{Path: "test_a.py", Now: "def test_key():\n    ok = key(3) == \"k3\"\n    assert ok\n"}}
	names := []string{"test_a.py::test_key"}
	run := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "pytest", Failed: names, Result: sandbox.Result{Exit: 1,
		Stdout: []byte("____ test_key ____\nE       assert False\n")}}}
	for said, want := range map[string][]string{"Give each entry a stable key": {"k3"}, "Keys are k1, k2 and so on": nil,
		"Keys are k<number>": nil} {
		w := &writer{&attempt{seen: seen{failing: run, broken: names}}}
		if got := w.composites(said, w.untoldTests(nil), fix, tests); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
		w.absent = names
		if got := w.composites(said, w.untoldTests(nil), fix, tests); !slices.Equal(got, want) {
			t.Errorf("%s, of what can't be built: %q, want %q", said, got, want)
		}
	}
}

// TestComposedValuesOfCrashes: a test that crashes prints a number, but not what it would have asked for behind that.
func TestComposedValuesOfCrashes(t *testing.T) {
	fix := []sides.Pair{{Path: "kind.go", Was: "func (k Kind) String() string { return names[k] }\n",
		Now: "func (k Kind) String() string {\n\treturn fmt.Sprintf(\"Kind(%d)\", int(k))\n}\n"}}
	tests := []sides.Pair{{Path: "kind_test.go", Now: "func TestKind(t *testing.T) {\n" +
		"\tif got := Kind(7).String(); got != \"Kind(7)\" {\n\t\tt.Fatalf(\"got %q, want %q\", got, \"Kind(7)\")\n\t}\n}\n"}}
	names := []string{"p TestKind"}
	const panics = "panic: runtime error: index out of range [7] with length 3 [recovered]"
	const differs = `    kind_test.go:3: got "", want "Kind(7)"`
	for _, c := range []struct {
		said, prints string
		want         []string
	}{{"Name kinds that have no name", panics, []string{"Kind(7)"}}, {"Name them Kind(N)", panics, nil},
		{"Name kinds that have no name", differs, nil}} {
		line, _ := json.Marshal(map[string]string{"Action": "output", "Package": "p", "Test": "TestKind",
			"Output": c.prints + "\n"})
		run := &outcome.Outcome{Outcome: &testrun.Outcome{Runner: "go test", Failed: names,
			Result: sandbox.Result{Exit: 1, Stdout: line}}}
		w := &writer{&attempt{seen: seen{failing: run, broken: names}}}
		if got := w.composites(c.said+"\n"+c.prints, w.unshown(nil), fix, tests); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.said, c.prints, got, c.want)
		}
	}
}
