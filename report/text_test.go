package report

import (
	"math"
	"strings"
	"testing"
)

func TestTextForPeople(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(percent(1), "100%")
	check(percent(0.999), "99%")
	check(percent(0.001), "1%")
	check(percent(0), "0%")
	check(percent(math.NaN()), "-")
	check(seconds(0.0034), "3ms")
	check(seconds(9.87), "9.87s")
	check(seconds(59), "59.0s")
	check(seconds(61.2), "1m01s")
	check(seconds(59.97), "1m00s")
	check(seconds(9.997), "10.0s")
	check(seconds(7200), "2.0h")
	check(money(nil), "-")
	check(money(new(0.0)), "$0")
	check(money(new(0.0000123)), "$0.000012")
	check(money(new(0.05)), "$0.05")
	check(money(new(12.345)), "$12.35")
	check(tokens(9999), "9999")
	check(tokens(12345), "12.3k")
	check(tokens(999_949), "999.9k")
	check(tokens(999_950), "1.0M")
	check(pValue(0.0004), "p<.001")
	check(pValue(0.0042), "p=.004")
	check(pValue(0.996), "p=1")
	check(baseName("openai/gpt-5"), "gpt-5")
	check(baseName("plain"), "plain")
	check(baseName("odd/"), "odd/")
}

func TestShortenKeepsBothEnds(t *testing.T) {
	check := func(in string, max int, want string) {
		t.Helper()
		got := shorten(in, max)
		if got != want || width(got) > max {
			t.Errorf("%q to %d columns: %q (%d)", in, max, got, width(got))
		}
	}
	check("short", 5, "short")
	check("openai/gpt-5-mini", 9, "open…mini")
	check("openai/gpt-5-mini", 1, "…")
	check("漢字漢字", 6, "漢…字")
	check("x", 0, "")
	if s := shorten(strings.Repeat("漢", 50), 11); width(s) > 11 {
		t.Error(s)
	}
}

func TestCutEnd(t *testing.T) {
	for _, c := range [][2]string{{"bin/deploy lost", "bin/deplo…"}, {"漢字漢字漢字", "漢字漢字…"}, {"one two three", "one two t…"},
		{"four two three", "four two…"}, {"short", "short"}} {
		if got := cutEnd(c[0], 10); got != c[1] {
			t.Errorf("%q: %q", c[0], got)
		}
	}
}

// Whatever a name holds, it fits.
func FuzzShorten(f *testing.F) {
	for _, s := range hostile() {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		v := visible(s)
		if n = min(max(n, 0), 200); width(shorten(v, n)) > n || width(cutEnd(v, n)) > n {
			t.Errorf("%q, %q: wider than %d", shorten(v, n), cutEnd(v, n), n)
		}
	})
}
