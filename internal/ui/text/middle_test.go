package text

import (
	"strings"
	"testing"
)

func TestShortenKeepsBothEnds(t *testing.T) {
	check := func(in string, max int, want string) {
		t.Helper()
		got := Middle(in, max)
		if got != want || Width(got) > max {
			t.Errorf("%q to %d columns: %q (%d)", in, max, got, Width(got))
		}
	}
	check("short", 5, "short")
	check("openai/gpt-5-mini", 9, "open…mini")
	check("openai/gpt-5-mini", 1, "…")
	check("漢字漢字", 6, "漢…字")
	check("x", 0, "")
	if s := Middle(strings.Repeat("漢", 50), 11); Width(s) > 11 {
		t.Error(s)
	}
}

// Whatever a name holds, it fits.
func FuzzShorten(f *testing.F) {
	for _, s := range []string{"\x1b[2J", "a\rb\bc", "zero\u200bwidth\ufeff", "bad\xff\xfeutf8",
		strings.Repeat("漢字", 100), "e\u0301\u0301\u0301", ""} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		v := Visible(s)
		if n = min(max(n, 0), 200); Width(Middle(v, n)) > n || Width(Cut(v, n)) > n {
			t.Errorf("%q, %q: wider than %d", Middle(v, n), Cut(v, n), n)
		}
	})
}
