package rates

import (
	"strings"
	"testing"
	"time"

	"example.com/ledger/money"
)

const table = `
2026-06-01 EUR USD 1.10
2026-06-01 EUR JPY 162.35
2026-06-01 KWD EUR 3
2026-06-15 EUR USD 1.20
`

func day(n int) time.Time { return time.Date(2026, 6, n, 0, 0, 0, 0, time.UTC) }

func TestConvert(t *testing.T) {
	rates, err := Read(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	check := func(in money.Amount, on int, want money.Amount) {
		t.Helper()
		got, err := rates.Convert(in, want.Currency, day(on))
		if err != nil || got != want {
			t.Errorf("%v on June %d: %v, %v; want %v", in, on, got, err, want)
		}
	}
	check(money.Amount{Minor: 1000, Currency: "EUR"}, 2, money.Amount{Minor: 1100, Currency: "USD"})
	check(money.Amount{Minor: 1000, Currency: "EUR"}, 20, money.Amount{Minor: 1200, Currency: "USD"})
	check(money.Amount{Minor: -1100, Currency: "USD"}, 2, money.Amount{Minor: -1000, Currency: "EUR"})
	check(money.Amount{Minor: 77, Currency: "EUR"}, 2, money.Amount{Minor: 77, Currency: "EUR"})
	check(money.Amount{Minor: 1000, Currency: "EUR"}, 2, money.Amount{Minor: 1624, Currency: "JPY"})
	check(money.Amount{Minor: 16235, Currency: "JPY"}, 2, money.Amount{Minor: 10000, Currency: "EUR"})
	check(money.Amount{Minor: 1500, Currency: "KWD"}, 2, money.Amount{Minor: 450, Currency: "EUR"})
	check(money.Amount{Minor: -450, Currency: "EUR"}, 2, money.Amount{Minor: -1500, Currency: "KWD"})
}

func TestConvertWithoutRate(t *testing.T) {
	rates, err := Read(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rates.Convert(money.Amount{Minor: 1, Currency: "EUR"}, "SEK", day(2)); err == nil {
		t.Error("no rate to kronor: want an error")
	}
	if _, err := rates.Convert(money.Amount{Minor: 1, Currency: "EUR"}, "USD", day(1).AddDate(0, -1, 0)); err == nil {
		t.Error("no rate in May: want an error")
	}
}

func TestReadRefuses(t *testing.T) {
	for _, in := range []string{"2026-06-01 EUR USD", "June EUR USD 1", "2026-06-01 EUR XXX 1", "2026-06-01 EUR USD 0",
		"2026-06-02 EUR USD 1\n2026-06-01 EUR USD 1"} {
		if _, err := Read(strings.NewReader(in)); err == nil {
			t.Errorf("Read(%q): want an error", in)
		}
	}
}
