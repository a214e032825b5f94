package money

import "testing"

func TestParse(t *testing.T) {
	check := func(in string, want Amount) {
		t.Helper()
		got, err := Parse(in)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	check("12.50 EUR", Amount{1250, "EUR"})
	check("-0.05 USD", Amount{-5, "USD"})
	check("7 CHF", Amount{700, "CHF"})
	check(" 1.5  GBP ", Amount{150, "GBP"})
	check("1200 JPY", Amount{1200, "JPY"})
	check("-3 KRW", Amount{-3, "KRW"})
	check("1.250 KWD", Amount{1250, "KWD"})
	check("2.5 OMR", Amount{2500, "OMR"})
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{"", "12.50", "12.50 XXX", "x EUR", "1.234 EUR", "--1 EUR", "1.-5 EUR", ".5 EUR",
		"12.5 JPY", "1.2345 KWD"} {
		if got, err := Parse(in); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", in, got)
		}
	}
}

func TestAdd(t *testing.T) {
	got, err := Amount{1250, "EUR"}.Add(Amount{-50, "EUR"})
	if err != nil || got != (Amount{1200, "EUR"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := (Amount{1, "EUR"}).Add(Amount{1, "JPY"}); err == nil {
		t.Error("adding yen to euros: want an error")
	}
}
