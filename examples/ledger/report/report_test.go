package report

import (
	"slices"
	"strings"
	"testing"

	"example.com/ledger/journal"
	"example.com/ledger/money"
)

func TestFormat(t *testing.T) {
	check := func(a money.Amount, want string) {
		t.Helper()
		if got := Format(a); got != want {
			t.Errorf("Format(%v) = %q, want %q", a, got, want)
		}
	}
	check(money.Amount{Minor: 1250, Currency: "EUR"}, "12.50 EUR")
	check(money.Amount{Minor: -5, Currency: "USD"}, "-0.05 USD")
	check(money.Amount{Minor: 123456789, Currency: "CHF"}, "1,234,567.89 CHF")
	check(money.Amount{Minor: 18000, Currency: "JPY"}, "18,000 JPY")
	check(money.Amount{Minor: -3, Currency: "KRW"}, "-3 KRW")
	check(money.Amount{Minor: 1250, Currency: "KWD"}, "1.250 KWD")
	check(money.Amount{Minor: -1234567, Currency: "TND"}, "-1,234.567 TND")
}

func TestBalances(t *testing.T) {
	eur := func(account string, minor int64) journal.Posting {
		return journal.Posting{Account: account, Amount: money.Amount{Minor: minor, Currency: "EUR"}}
	}
	got := Balances([]journal.Entry{
		{Postings: []journal.Posting{eur("food", 500), eur("cash", -500)}},
		{Postings: []journal.Posting{eur("food", 250), eur("cash", -250)}},
		{Postings: []journal.Posting{eur("loan", 900), eur("loan", -900)}},
	})
	want := []Balance{{"cash", money.Amount{Minor: -750, Currency: "EUR"}},
		{"food", money.Amount{Minor: 750, Currency: "EUR"}}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWriteAligns(t *testing.T) {
	var b strings.Builder
	err := Write(&b, []Balance{{"cash", money.Amount{Minor: -123450, Currency: "EUR"}},
		{"food", money.Amount{Minor: 50, Currency: "EUR"}}})
	if want := "-1,234.50 EUR  cash\n     0.50 EUR  food\n"; err != nil || b.String() != want {
		t.Errorf("got %q, %v; want %q", b.String(), err, want)
	}
}
