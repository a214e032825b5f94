package report

import (
	"fmt"
	"io"
	"strings"

	"example.com/ledger/money"
)

// Write prints balances, one a line: the amounts first, right-aligned.
func Write(w io.Writer, list []Balance) error {
	width := 0
	for _, b := range list {
		width = max(width, len(Format(b.Amount)))
	}
	for _, b := range list {
		if _, err := fmt.Fprintf(w, "%*s  %s\n", width, Format(b.Amount), b.Account); err != nil {
			return err
		}
	}
	return nil
}

// Format writes an amount as people read it, thousands apart: "-1,204.50 EUR".
func Format(a money.Amount) string {
	sign, minor := "", a.Minor
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s%s.%02d %s", sign, group(minor/100), minor%100, a.Currency)
}

// group puts commas between thousands.
func group(n int64) string {
	s := fmt.Sprint(n)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return strings.Join(append([]string{s}, parts...), ",")
}
