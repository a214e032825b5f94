// Package journal reads double-entry bookkeeping from a plain text file:
//
//	2026-06-01 Grocer
//	  expenses:food   12.50 EUR
//	  assets:cash    -12.50 EUR
//
// Blank lines and lines that start with # say nothing.
package journal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/ledger/money"
)

// Entry is what happened on one day.
type Entry struct {
	Day      time.Time
	Text     string
	Postings []Posting
	Line     int // of its first line, from 1
}

// Posting moves an amount into an account, or out of it when negative.
type Posting struct {
	Account string
	Amount  money.Amount
}

// Read reads a journal. Every entry must balance: its postings sum to zero in
// each currency.
func Read(r io.Reader) ([]Entry, error) {
	var entries []Entry
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		line := scan.Text()
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#':
		case line[0] != ' ' && line[0] != '\t':
			e, err := header(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			e.Line = n
			entries = append(entries, e)
		case entries == nil:
			return nil, fmt.Errorf("line %d: posting before the first entry", n)
		default:
			p, err := posting(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			last := &entries[len(entries)-1]
			last.Postings = append(last.Postings, p)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := e.balanced(); err != nil {
			return nil, fmt.Errorf("line %d: %w", e.Line, err)
		}
	}
	return entries, nil
}

func header(text string) (Entry, error) {
	day, rest, _ := strings.Cut(text, " ")
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return Entry{}, fmt.Errorf("want a day such as 2026-06-01, found %q", day)
	}
	return Entry{Day: d, Text: strings.TrimSpace(rest)}, nil
}

func posting(text string) (Posting, error) {
	account, amount, ok := strings.Cut(text, " ")
	if !ok {
		return Posting{}, fmt.Errorf("want ACCOUNT AMOUNT, found %q", text)
	}
	a, err := money.Parse(amount)
	if err != nil {
		return Posting{}, err
	}
	return Posting{account, a}, nil
}

func (e Entry) balanced() error {
	sums := map[money.Currency]int64{}
	for _, p := range e.Postings {
		sums[p.Amount.Currency] += p.Amount.Minor
	}
	for cur, sum := range sums {
		if sum != 0 {
			return fmt.Errorf("%q does not balance in %s", e.Text, cur)
		}
	}
	return nil
}
