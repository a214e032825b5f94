package lines

import (
	"strings"
	"testing"
)

// TestValues: what stands in the code of a fix and of its test alike, and was not there before.
func TestValues(t *testing.T) {
	for _, c := range []struct{ lang, fix, gone, test, want string }{
		{"go", `func Retries() int { return 5 }`, `func Retries() int { return 3 }`, `if Retries() != 5 {`, "5"},
		{"go", `return kind + "#"`, `return kind`, `Label("x") != "x" + "#"`, "#"},
		{"go", `return name + "_", 1`, `return name, 1`, `Label("_a") != 1`, ""},
		{"python", `len(name) > 3 and x`, `len(name) > 3`, `is_member("a") == 3`, ""},
		{"python", `return "", 2`, `return None`, `assert f("") == 2`, ""},
		{"shell", `retries() { echo 5; }`, `retries() { echo 3; }`, `is "$(retries)" 5`, "5"},
		{"shell", `unit() { echo km; }`, `unit() { echo m; }`, `check unit test "$(unit)" = km`, "km"},
		{"shell", `ban() { test "$1" != Zoe; }`, `ban() { true; }`, `check test ! ban Anna`, ""},
		{"shell", `ban() { test "$1" != Zoe; }`, `ban() { true; }`, `check zoe not member Zoe`, "Zoe"},
		{"javascript", `timeout = 2.5 // 7`, ``, `ok(timeout === 2.5, 7)`, "2.5"},
	} {
		if got := strings.Join(Values(c.lang, c.fix, c.gone, c.lang, c.test), " "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.fix, c.test, got, c.want)
		}
	}
}

func TestSays(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{"Three tries are too few: five", "5", true}, {"Five tries", "5", true}, {"try 5 times", "5", true},
		{"up to 5.", "5", true}, {"try more often", "5", false}, {"try 15 times", "5", false},
		{"the sign is #", "#", true}, {"a sign", "#", false},
	} {
		if got := Says(c.text, c.value); got != c.want {
			t.Errorf("%q, %q: %v", c.text, c.value, got)
		}
	}
}
