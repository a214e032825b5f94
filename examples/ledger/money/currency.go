// Package money holds amounts of money as whole numbers of the currency's
// smallest unit, so that sums are exact.
package money

import "fmt"

// Currency is an ISO 4217 code such as "EUR".
type Currency string

// digits are the decimal places of each currency's smallest unit, from
// ISO 4217: a euro has 100 cents, a dinar 1000 fils, a yen nothing smaller.
var digits = map[Currency]int{
	"BHD": 3, "CHF": 2, "CLF": 4, "CLP": 0, "DKK": 2, "EUR": 2, "GBP": 2, "ISK": 0,
	"JPY": 0, "KRW": 0, "KWD": 3, "NOK": 2, "OMR": 3, "SEK": 2, "TND": 3, "USD": 2,
}

// ParseCurrency checks that a code is one we know.
func ParseCurrency(code string) (Currency, error) {
	c := Currency(code)
	if _, ok := digits[c]; !ok {
		return "", fmt.Errorf("unknown currency %q", code)
	}
	return c, nil
}

// Digits gives the decimal places of the currency.
func (c Currency) Digits() int { return digits[c] }

// Amount is an amount of money. The zero Amount is nothing of no currency.
type Amount struct {
	Minor    int64 // in the smallest unit of the currency
	Currency Currency
}

// Add sums two amounts of one currency.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("adding %s to %s", b.Currency, a.Currency)
	}
	return Amount{a.Minor + b.Minor, a.Currency}, nil
}

// Neg gives the opposite amount.
func (a Amount) Neg() Amount { return Amount{-a.Minor, a.Currency} }
