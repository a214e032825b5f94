// Package rates holds exchange rates by day.
package rates

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"example.com/ledger/money"
)

// Table holds the rates known. The zero Table holds none.
type Table struct {
	rates map[pair][]rate // by day
}

type pair struct{ from, to money.Currency }

type rate struct {
	day   time.Time
	value *big.Rat // so many of to for one of from
}

// Read reads lines such as "2026-06-01 EUR JPY 162.35": from that day on, one
// euro is worth 162.35 yen. Days must not go back.
func Read(r io.Reader) (*Table, error) {
	t := &Table{rates: map[pair][]rate{}}
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		text := strings.TrimSpace(scan.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := t.add(strings.Fields(text)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return t, scan.Err()
}

func (t *Table) add(f []string) error {
	if len(f) != 4 {
		return fmt.Errorf("want DAY FROM TO RATE")
	}
	day, err := time.Parse(time.DateOnly, f[0])
	if err != nil {
		return fmt.Errorf("want a day such as 2026-06-01, found %q", f[0])
	}
	from, err := money.ParseCurrency(f[1])
	if err != nil {
		return err
	}
	to, err := money.ParseCurrency(f[2])
	if err != nil {
		return err
	}
	value, ok := new(big.Rat).SetString(f[3])
	if !ok || value.Sign() <= 0 {
		return fmt.Errorf("%q is no rate", f[3])
	}
	p := pair{from, to}
	if known := t.rates[p]; len(known) > 0 && day.Before(known[len(known)-1].day) {
		return fmt.Errorf("%s is before the last day of %s to %s", f[0], from, to)
	}
	t.rates[p] = append(t.rates[p], rate{day, value})
	return nil
}

// find gives the newest rate that was known on a day, looking at the pair the
// other way round as well.
func (t *Table) find(from, to money.Currency, day time.Time) (*big.Rat, error) {
	if from == to {
		return big.NewRat(1, 1), nil
	}
	if r := newest(t.rates[pair{from, to}], day); r != nil {
		return r, nil
	}
	if r := newest(t.rates[pair{to, from}], day); r != nil {
		return new(big.Rat).Inv(r), nil
	}
	return nil, fmt.Errorf("no rate from %s to %s on %s", from, to, day.Format(time.DateOnly))
}

func newest(known []rate, day time.Time) *big.Rat {
	for i := len(known) - 1; i >= 0; i-- {
		if !known[i].day.After(day) {
			return known[i].value
		}
	}
	return nil
}
