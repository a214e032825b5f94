package machine

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/model"
)

// pricesInfo is the result of "prices"; keys of its JSON are only added. Amounts
// are USD for a million tokens.
type pricesInfo struct {
	Date   string      `json:"date"` // of the built-in ones
	Prices []priceInfo `json:"prices"`
}

type priceInfo struct {
	Model  string   `json:"model"`
	Above  int      `json:"above"` // for requests with more tokens of input
	Input  float64  `json:"input"`
	Cached *float64 `json:"cached"` // null: unknown
	// Of tokens written to a cache, for five minutes and for an hour.
	CacheWrite   *float64 `json:"cache_write,omitempty"` // absent: unknown
	CacheWrite1h *float64 `json:"cache_write_1h,omitempty"`
	Output       float64  `json:"output"`
	Reasoning    float64  `json:"reasoning"`
	Source       string   `json:"source"`
}

func newPrices(c *cli.Common) *cobra.Command {
	var f pricesFlags
	cmd := &cobra.Command{
		Use:        "prices [MODEL]",
		SuggestFor: []string{"costs"},
		Short:      "Print what models cost, as far as it is known",
		Long: `Prints what a million tokens of each model cost, in USD: the list prices that
this program knows, and those of your own cookoff.toml over them. A model that is
not listed has an unknown cost, which is never counted as none.

MODEL is provider/model, or a glob such as 'openai/*'.`,
		Example: `  cookoff prices
  cookoff prices 'openai/gpt-5*'
  cookoff prices --format json`,
		Args: cli.Positional(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			return f.run(c, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.AddCommand(newPricesImport(c))
	return cmd
}

// pricesFlags are the flags of "prices".
type pricesFlags struct {
	format string // table or json
}

// run prints the prices of the models that glob names, "" being all.
func (f *pricesFlags) run(c *cli.Common, glob string) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	if _, err := path.Match(glob, ""); err != nil {
		return cli.Usage("%q is no glob: %v", glob, err)
	}
	cfg, err := c.LoadConfig()
	if err != nil {
		return err
	}
	info := pricesInfo{Date: cfg.Prices().Date(), Prices: []priceInfo{}}
	for _, l := range cfg.Prices().List() {
		if fits, _ := path.Match(glob, l.Model); fits || glob == "" {
			if l.Source == "" {
				l.Source = cfg.Path
			}
			info.Prices = append(info.Prices, tiers(l)...)
		}
	}
	if len(info.Prices) == 0 && !strings.Contains(glob, "/") {
		return cli.Usage("%q names no model\n"+
			"  hint: write provider/model: cookoff prices '*/%s' looks at every provider",
			glob, text.Line(glob))
	}
	if len(info.Prices) == 0 {
		return cli.Usage("the price of %q is not known\n  hint: [prices.%q] in cookoff.toml sets it", glob, glob)
	}
	if f.format == "json" {
		return c.PrintJSON(info)
	}
	if err := pricesTable(table.New(c.Out), info.Prices); err != nil {
		return cli.Written(err)
	}
	c.Say("USD for a million tokens, in requests of more than ABOVE; table of %s", info.Date)
	return nil
}

// pricesTable prints a row a price. Where sources have no room beside it they
// stand below, once each: the name of a model is of use only whole.
func pricesTable(w *table.Table, prices []priceInfo) error {
	fill := func(sources bool) {
		w.Rows = nil
		for i, cells := range priceRows(prices) {
			switch {
			case sources && i == 0:
				cells = append(cells, "SOURCE")
			case sources:
				cells = append(cells, prices[i-1].Source)
			}
			w.Row(cells...)
		}
	}
	fill(true)
	if w.Limit == 0 || w.Width() <= w.Limit {
		return w.Flush()
	}
	fill(false)
	if err := w.Flush(); err != nil {
		return err
	}
	told := map[string]bool{}
	for _, p := range prices {
		provider, _, _ := strings.Cut(p.Model, "/")
		if line := text.Line(provider + ": " + p.Source); !told[line] {
			told[line] = true
			if _, err := fmt.Fprintf(w.To, "%s\n", text.Cut(line, w.Limit)); err != nil {
				return err
			}
		}
	}
	return nil
}

func priceRows(prices []priceInfo) [][]string {
	rows := [][]string{{"MODEL", "ABOVE", "INPUT", "CACHED", "OUTPUT", "REASONING"}}
	for _, p := range prices {
		cached, above := "-", "0"
		if p.Cached != nil {
			cached = usd(*p.Cached)
		}
		if p.Above > 0 {
			above = strconv.Itoa(p.Above)
		}
		rows = append(rows, []string{p.Model, above, usd(p.Input), cached, usd(p.Output), usd(p.Reasoning)})
	}
	return rows
}

// tiers gives a line for each length of request that has a price of its own.
func tiers(l model.Listed) []priceInfo {
	p := l.Price
	all := append([]model.Tier{{Input: p.Input, Output: p.Output, Cached: p.Cached, Reasoning: p.Reasoning,
		CacheWrite: p.CacheWrite, CacheWrite1h: p.CacheWrite1h}}, p.Tiers...)
	var out []priceInfo
	for _, t := range all {
		info := priceInfo{Model: l.Model, Above: t.Above, Input: t.Input, Cached: t.Cached, Output: t.Output,
			Reasoning: t.Output, Source: l.Source,
			CacheWrite: t.CacheWrite, CacheWrite1h: t.CacheWrite1h}
		if t.Reasoning != nil {
			info.Reasoning = *t.Reasoning
		}
		out = append(out, info)
	}
	return out
}

func usd(x float64) string { return fmt.Sprintf("$%s", strconv.FormatFloat(x, 'f', -1, 64)) }
