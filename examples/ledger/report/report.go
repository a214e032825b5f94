// Package report makes balances of a journal and prints them.
package report

import (
	"cmp"
	"slices"

	"example.com/ledger/journal"
	"example.com/ledger/money"
	"example.com/ledger/rates"
)

// Balance is what an account holds of one currency.
type Balance struct {
	Account string
	Amount  money.Amount
}

// Balances sums all postings by account and currency, sorted; what is zero is
// left out.
func Balances(entries []journal.Entry) []Balance {
	type key struct {
		account string
		cur     money.Currency
	}
	sums := map[key]int64{}
	for _, e := range entries {
		for _, p := range e.Postings {
			sums[key{p.Account, p.Amount.Currency}] += p.Amount.Minor
		}
	}
	var list []Balance
	for k, sum := range sums {
		if sum != 0 {
			list = append(list, Balance{k.account, money.Amount{Minor: sum, Currency: k.cur}})
		}
	}
	slices.SortFunc(list, func(a, b Balance) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Amount.Currency, b.Amount.Currency))
	})
	return list
}

// In gives the entries with every posting converted at the rate of its day.
func In(to money.Currency, entries []journal.Entry, table *rates.Table) ([]journal.Entry, error) {
	var out []journal.Entry
	for _, e := range entries {
		converted := e
		converted.Postings = nil
		for _, p := range e.Postings {
			a, err := table.Convert(p.Amount, to, e.Day)
			if err != nil {
				return nil, err
			}
			converted.Postings = append(converted.Postings, journal.Posting{Account: p.Account, Amount: a})
		}
		out = append(out, converted)
	}
	return out, nil
}
