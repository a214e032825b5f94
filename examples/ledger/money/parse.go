package money

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads an amount such as "-1204.50 EUR".
func Parse(s string) (Amount, error) {
	number, code, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok {
		return Amount{}, fmt.Errorf("amount %q: want NUMBER CURRENCY", s)
	}
	cur, err := ParseCurrency(strings.TrimSpace(code))
	if err != nil {
		return Amount{}, fmt.Errorf("amount %q: %w", s, err)
	}
	minor, err := parseMinor(number)
	if err != nil {
		return Amount{}, fmt.Errorf("amount %q: %w", s, err)
	}
	return Amount{minor, cur}, nil
}

// parseMinor reads a decimal number as a count of smallest units.
func parseMinor(number string) (int64, error) {
	digits, negative := strings.CutPrefix(number, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	if len(frac) > 2 {
		return 0, fmt.Errorf("more than 2 decimal places")
	}
	for len(frac) < 2 {
		frac += "0"
	}
	if whole == "" || strings.ContainsAny(whole+frac, "+-") {
		return 0, fmt.Errorf("not a number")
	}
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("not a number")
	}
	if negative {
		n = -n
	}
	return n, nil
}
