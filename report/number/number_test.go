package number

import (
	"math"
	"testing"
)

func TestTextForPeople(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(Percent(1), "100%")
	check(Percent(0.999), "99%")
	check(Percent(0.001), "1%")
	check(Percent(0), "0%")
	check(Percent(math.NaN()), "-")
	check(Seconds(0.0034), "3ms")
	check(Seconds(9.87), "9.87s")
	check(Seconds(59), "59.0s")
	check(Seconds(61.2), "1m01s")
	check(Seconds(59.97), "1m00s")
	check(Seconds(9.997), "10.0s")
	check(Seconds(7200), "2.0h")
	check(Money(nil), "-")
	check(Money(new(0.0)), "$0")
	check(Money(new(0.0000123)), "$0.000012")
	check(Money(new(0.05)), "$0.05")
	check(Money(new(12.345)), "$12.35")
	check(Tokens(9999), "9999")
	check(Tokens(12345), "12.3k")
	check(Tokens(999_949), "999.9k")
	check(Tokens(999_950), "1.0M")
	check(P(0.0004), "p<.001")
	check(P(0.0042), "p=.004")
	check(P(0.996), "p=1")
}
