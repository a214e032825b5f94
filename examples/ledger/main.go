// Ledger prints the balances of a journal:
//
//	ledger [-in CURRENCY -rates FILE] JOURNAL
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/ledger/journal"
	"example.com/ledger/money"
	"example.com/ledger/rates"
	"example.com/ledger/report"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("ledger", flag.ContinueOnError)
	in := flags.String("in", "", "convert everything to this `CURRENCY`")
	table := flags.String("rates", "", "`FILE` with exchange rates")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("want one journal, found %d", flags.NArg())
	}
	entries, err := readFile(flags.Arg(0), journal.Read)
	if err != nil {
		return err
	}
	if *in != "" {
		if entries, err = convert(*in, *table, entries); err != nil {
			return err
		}
	}
	return report.Write(out, report.Balances(entries))
}

func convert(code, table string, entries []journal.Entry) ([]journal.Entry, error) {
	to, err := money.ParseCurrency(code)
	if err != nil {
		return nil, err
	}
	known, err := readFile(table, rates.Read)
	if err != nil {
		return nil, err
	}
	return report.In(to, entries, known)
}

// readFile reads a file, and names it where it is wrong.
func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(name)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}
