package report

import (
	"cookoff/internal/ui/text"
	"cookoff/report/number"
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
	check(number.Percent(1), "100%")
	check(number.Percent(0.999), "99%")
	check(number.Percent(0.001), "1%")
	check(number.Percent(0), "0%")
	check(number.Percent(math.NaN()), "-")
	check(number.Seconds(0.0034), "3ms")
	check(number.Seconds(9.87), "9.87s")
	check(number.Seconds(59), "59.0s")
	check(number.Seconds(61.2), "1m01s")
	check(number.Seconds(59.97), "1m00s")
	check(number.Seconds(9.997), "10.0s")
	check(number.Seconds(7200), "2.0h")
	check(number.Money(nil), "-")
	check(number.Money(new(0.0)), "$0")
	check(number.Money(new(0.0000123)), "$0.000012")
	check(number.Money(new(0.05)), "$0.05")
	check(number.Money(new(12.345)), "$12.35")
	check(number.Tokens(9999), "9999")
	check(number.Tokens(12345), "12.3k")
	check(number.Tokens(999_949), "999.9k")
	check(number.Tokens(999_950), "1.0M")
	check(number.P(0.0004), "p<.001")
	check(number.P(0.0042), "p=.004")
	check(number.P(0.996), "p=1")
	check(baseName("openai/gpt-5"), "gpt-5")
	check(baseName("plain"), "plain")
	check(baseName("odd/"), "odd/")
}

func TestShortenKeepsBothEnds(t *testing.T) {
	check := func(in string, max int, want string) {
		t.Helper()
		got := text.Middle(in, max)
		if got != want || text.Width(got) > max {
			t.Errorf("%q to %d columns: %q (%d)", in, max, got, text.Width(got))
		}
	}
	check("short", 5, "short")
	check("openai/gpt-5-mini", 9, "open…mini")
	check("openai/gpt-5-mini", 1, "…")
	check("漢字漢字", 6, "漢…字")
	check("x", 0, "")
	if s := text.Middle(strings.Repeat("漢", 50), 11); text.Width(s) > 11 {
		t.Error(s)
	}
}

func TestCutEnd(t *testing.T) {
	for _, c := range [][2]string{{"bin/deploy lost", "bin/deplo…"}, {"漢字漢字漢字", "漢字漢字…"}, {"one two three", "one two t…"},
		{"four two three", "four two…"}, {"short", "short"}} {
		if got := text.Cut(c[0], 10); got != c[1] {
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
		v := text.Visible(s)
		if n = min(max(n, 0), 200); text.Width(text.Middle(v, n)) > n || text.Width(text.Cut(v, n)) > n {
			t.Errorf("%q, %q: wider than %d", text.Middle(v, n), text.Cut(v, n), n)
		}
	})
}
