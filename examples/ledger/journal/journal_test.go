package journal

import (
	"strings"
	"testing"

	"example.com/ledger/money"
)

func TestRead(t *testing.T) {
	entries, err := Read(strings.NewReader(`# June
2026-06-01 Grocer
  expenses:food   12.50 EUR
  assets:cash    -12.50 EUR

2026-06-02 Hotel in Kyoto
  expenses:travel   18000 JPY
  assets:card      -18000 JPY
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[1].Line != 6 || entries[1].Text != "Hotel in Kyoto" {
		t.Fatalf("got %+v", entries)
	}
	want := Posting{"expenses:travel", money.Amount{Minor: 18000, Currency: "JPY"}}
	if got := entries[1].Postings[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		_, err := Read(strings.NewReader(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %q", in, err, want)
		}
	}
	check("  assets:cash 1 EUR\n", "line 1: posting before the first entry")
	check("June 1\n", "want a day")
	check("2026-06-01 x\n  assets:cash\n", "line 2: want ACCOUNT AMOUNT")
	check("2026-06-01 x\n  a 1 EUR\n  b -2 EUR\n", `line 1: "x" does not balance in EUR`)
	check("2026-06-01 x\n  a 1.5 JPY\n  b -1.5 JPY\n", "line 2: amount")
}
