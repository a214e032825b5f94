package model

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/bmatcuk/doublestar/v4"
)

//go:embed prices.toml
var builtinPrices []byte

// Price is what a million tokens of a model cost, in USD.
type Price struct {
	Input     float64  `toml:"input"`
	Output    float64  `toml:"output"`
	Cached    *float64 `toml:"cached"`    // nil: not known, and so is the cost of a reply that read from a cache
	Reasoning *float64 `toml:"reasoning"` // nil: as Output
	// CacheWrite and CacheWrite1h are of tokens that are written to a cache, to
	// stay there for five minutes or an hour. nil: as Cached.
	CacheWrite   *float64 `toml:"cache_write"`
	CacheWrite1h *float64 `toml:"cache_write_1h"`
	Tiers        []Tier   `toml:"tiers"` // of longer requests, shortest first
	Also         []string `toml:"also"`  // other ids of the same price
	Date         string   `toml:"date"`  // day on which it was published, as 2026-11-12; "": not said
}

// Tier is what the tokens of a request with more than Above tokens of input
// cost, all of them.
type Tier struct {
	Above     int      `toml:"above"`
	Input     float64  `toml:"input"`
	Output    float64  `toml:"output"`
	Cached    *float64 `toml:"cached"`    // as in Price
	Reasoning *float64 `toml:"reasoning"` // as in Price

	CacheWrite   *float64 `toml:"cache_write"`    // as in Price
	CacheWrite1h *float64 `toml:"cache_write_1h"` // as in Price
}

// at gives the price for a request with so many tokens of input.
func (p Price) at(input int) Price {
	for _, t := range p.Tiers {
		if input > t.Above {
			p.Input, p.Output, p.Cached, p.Reasoning = t.Input, t.Output, t.Cached, t.Reasoning
			p.CacheWrite, p.CacheWrite1h = t.CacheWrite, t.CacheWrite1h
		}
	}
	return p
}

// Listed is the price of one model and where it comes from.
type Listed struct {
	Model  string // provider/model
	Price  Price
	Source string // where it was published, "" for the user's own
}

// List gives all prices, by model.
func (p *Prices) List() []Listed {
	var out []Listed
	for _, id := range slices.Sorted(maps.Keys(p.of)) {
		provider, _, _ := strings.Cut(id, "/")
		l := Listed{Model: id, Price: p.of[id], Source: p.sources[provider]}
		if p.own[id] {
			l.Source = ""
		}
		out = append(out, l)
	}
	return out
}

// Prices knows what models cost. It never changes.
type Prices struct {
	date    string
	of      map[string]Price
	own     map[string]bool   // the user's
	sources map[string]string // of the built-in ones, by provider
}

type priceFile struct {
	Date    string            `toml:"date"`
	Sources map[string]string `toml:"sources"`
	Prices  map[string]Price  `toml:"prices"`
}

// LoadPrices gives the built-in prices with those of user, a TOML document of
// the same form, over them; nil is none. Errors say which key is wrong.
func LoadPrices(user []byte) (*Prices, error) {
	builtin, err := readPrices(builtinPrices)
	if err != nil {
		return nil, fmt.Errorf("parsing the built-in prices: %w", err)
	}
	p, err := (&Prices{date: builtin.Date, sources: builtin.Sources}).With(builtin.Prices)
	if err != nil || user == nil {
		return p, err
	}
	own, err := readPrices(user)
	if err != nil {
		return nil, fmt.Errorf("parsing prices: %w", err)
	}
	return p.With(own.Prices)
}

func readPrices(text []byte) (f priceFile, err error) {
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return f, err
	}
	for _, key := range meta.Undecoded() {
		err = errors.Join(err, fmt.Errorf("unknown key %s: "+
			"a price has input, cached, cache_write, cache_write_1h, output, reasoning, tiers, also, date", key))
	}
	for _, id := range slices.Sorted(maps.Keys(f.Prices)) {
		for _, key := range []string{"input", "output"} {
			if !meta.IsDefined("prices", id, key) {
				err = errors.Join(err, fmt.Errorf("the price of %q lacks %s", id, key))
			}
		}
	}
	return f, err
}

// With gives the same prices with others over them, by provider/model.
func (p *Prices) With(own map[string]Price) (*Prices, error) {
	all := &Prices{date: p.date, of: map[string]Price{}, own: map[string]bool{}, sources: p.sources}
	maps.Copy(all.of, p.of)
	maps.Copy(all.own, p.own)
	if len(own) > 0 && len(p.of) > 0 {
		all.date = strings.TrimSuffix(p.date, ownSuffix) + ownSuffix
	}
	named := map[string]bool{}
	for id := range own {
		if !doublestar.ValidatePattern(id) {
			return nil, fmt.Errorf("the price of %q: it is no glob over provider/model", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(own)) {
		price := own[id]
		amounts := []float64{price.Input, price.Output}
		for _, maybe := range []*float64{price.Cached, price.Reasoning, price.CacheWrite, price.CacheWrite1h} {
			if maybe != nil {
				amounts = append(amounts, *maybe)
			}
		}
		for _, a := range amounts {
			if !(a >= 0) || math.IsInf(a, 1) {
				return nil, fmt.Errorf("the price of %q holds %v, want a number of USD from 0", id, a)
			}
		}
		if _, err := time.Parse(time.DateOnly, price.Date); price.Date != "" && err != nil {
			return nil, fmt.Errorf("the price of %q: date %q is no day as 2026-11-12", id, price.Date)
		}
		if err := price.checkTiers(id); err != nil {
			return nil, err
		}
		for _, id := range append([]string{id}, price.Also...) {
			if named[id] {
				return nil, fmt.Errorf("the price of %q is given twice", id)
			}
			named[id] = true
			all.of[id], all.own[id] = price, len(p.of) > 0
		}
	}
	return all, nil
}

// checkTiers refuses tiers out of order, and ones cheaper than what is shorter:
// what a request costs at most would not be known from its length.
func (p Price) checkTiers(id string) error {
	for i, t := range p.Tiers {
		last, above := p.at(t.Above), 0
		if i > 0 {
			above = p.Tiers[i-1].Above
		}
		dear := func(a, b *float64) bool { return a == nil || b == nil || *a >= *b }
		if t.Above <= above || math.IsInf(t.Input, 1) || math.IsInf(t.Output, 1) || !(t.Input >= last.Input) ||
			!(t.Output >= last.Output) ||
			!dear(t.Cached, last.Cached) || !dear(t.Reasoning, last.Reasoning) ||
			!dear(t.CacheWrite, last.CacheWrite) ||
			!dear(t.CacheWrite1h, last.CacheWrite1h) {
			return fmt.Errorf("the price of %q: tier %d must begin above %d tokens and cost no less than the "+
				"one before", id,
				i+1, above)
		}
	}
	return nil
}

const ownSuffix = " and the user's own"

// Date says when the built-in prices were published, and whether the user's
// own are among them.
func (p *Prices) Date() string { return p.date }

// DateFor is Date, and the day of the oldest of the user's own prices for some models, where
// these say it.
func (p *Prices) DateFor(ids []string) string {
	oldest := ""
	for _, id := range ids {
		price, ok := p.find(id)
		if ok && price.Date != "" && (oldest == "" || price.Date < oldest) {
			oldest = price.Date
		}
	}
	if oldest == "" {
		return p.date
	}
	return p.date + OwnOf + oldest
}

// OwnOf stands before the day of the user's own prices.
const OwnOf = " of "

// find gives the price of a model: the user's own for it, that of the user's
// longest glob that matches it, or the built-in one.
func (p *Prices) find(id string) (price Price, ok bool) {
	if price, ok = p.of[id]; ok && p.own[id] {
		return price, true
	}
	longest := ""
	for glob := range p.own {
		if match, _ := doublestar.Match(glob, id); match && strings.ContainsAny(glob, "*?[{") &&
			(len(glob) > len(longest) ||
				len(glob) == len(longest) && glob < longest) {
			longest, price, ok = glob, p.of[glob], true
		}
	}
	return price, ok
}

// Cost gives what usage u of a model, named provider/model, cost. It is not ok
// when the usage or the price is not known: unknown is not zero. The baselines
// cost nothing.
func (p *Prices) Cost(id string, u Usage) (usd float64, ok bool) {
	if strings.HasPrefix(id, "baseline/") {
		return 0, true
	}
	price, ok := p.find(id)
	if !ok || !u.Known {
		return 0, false
	}
	price = price.at(u.Input)
	reasoning := price.Output
	if price.Reasoning != nil {
		reasoning = *price.Reasoning
	}
	usd = float64(u.Input-u.Cached-u.CacheWrite5m-u.CacheWrite1h) * price.Input
	for _, part := range []struct {
		tokens int
		price  *float64
	}{{u.Cached, price.Cached}, {u.CacheWrite5m, price.CacheWrite}, {u.CacheWrite1h, price.CacheWrite1h}} {
		switch {
		case part.tokens == 0:
		case part.price == nil:
			return 0, false
		default:
			usd += float64(part.tokens) * *part.price
		}
	}
	usd += float64(u.Output-u.Reasoning)*price.Output + float64(u.Reasoning)*reasoning
	return usd / 1e6, true
}
