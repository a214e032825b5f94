package lines

import (
	"strings"
	"testing"
)

// TestNumbers: a number that stands in the code of a fix and of its tests is asked for, where nobody would come to it.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lang, fix, test, want string }{
		{"python", `RATES = {"de": 0.19, "fi": 0.255}`, `assert rate("fi") == 0.255`, "0.255"},
		{"python", `RATES = {"de": 0.19, "fi": 0.255}`, `assert rate("fi") < 1  # 0.255`, ""},
		{"python", `RATES = {"de": 0.19}`, `assert rate("de") == 0.19`, ""},
		{"go", `const most = 17_250`, `if Most() != 17_250 {`, "17_250"},
		{"go", `const most = 17250 // bytes`, `if len(all) != 172500 {`, ""},
		{"go", `if n > 1000 || n == 4096 || n == 65535 || n == 1023 {`, `{1000, 4096, 65535, 1023}`, ""},
		{"javascript", `if (year < 1987 || n > 9999) {`, `check(1987, 9999)`, ""},
		{"javascript", "// 4711\nf('4711')", `assert.equal(f(), 4711)`, ""},
		{"javascript", `area(3.14159)`, `area(3.14159)`, ""},
		{"javascript", `version = "1.2.345"`, `1.2.345`, ""},
	} {
		if got := strings.Join(Numbers(c.lang, c.fix, c.lang, c.test), " "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.fix, c.test, got, c.want)
		}
	}
}
