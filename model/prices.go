package model

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed prices.toml
var builtinPrices []byte

// Price is what a million tokens of a model cost, in USD.
type Price struct {
	Input     float64  `toml:"input"`
	Output    float64  `toml:"output"`
	Cached    *float64 `toml:"cached"`    // nil: not known, and so is the cost of a reply that read from a cache
	Reasoning *float64 `toml:"reasoning"` // nil: as Output
	Also      []string `toml:"also"`      // other ids of the same price
}

// Prices knows what models cost. It never changes.
type Prices struct {
	date string
	of   map[string]Price
}

type priceFile struct {
	Date   string           `toml:"date"`
	Prices map[string]Price `toml:"prices"`
}

// LoadPrices gives the built-in prices with those of user, a TOML document of
// the same form, over them; nil is none. Errors say which key is wrong.
func LoadPrices(user []byte) (*Prices, error) {
	builtin, err := readPrices(builtinPrices)
	if err != nil {
		return nil, fmt.Errorf("parsing the built-in prices: %w", err)
	}
	p, err := (&Prices{date: builtin.Date}).With(builtin.Prices)
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
		err = errors.Join(err, fmt.Errorf("unknown key %s: a price has input, cached, output, reasoning, also", key))
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
	all := &Prices{date: p.date, of: map[string]Price{}}
	maps.Copy(all.of, p.of)
	if len(own) > 0 && len(p.of) > 0 {
		all.date = strings.TrimSuffix(p.date, ownSuffix) + ownSuffix
	}
	named := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(own)) {
		price := own[id]
		amounts := []float64{price.Input, price.Output}
		for _, maybe := range []*float64{price.Cached, price.Reasoning} {
			if maybe != nil {
				amounts = append(amounts, *maybe)
			}
		}
		for _, a := range amounts {
			if !(a >= 0) || math.IsInf(a, 1) {
				return nil, fmt.Errorf("the price of %q holds %v, want a number of USD from 0", id, a)
			}
		}
		for _, id := range append([]string{id}, price.Also...) {
			if named[id] {
				return nil, fmt.Errorf("the price of %q is given twice", id)
			}
			named[id] = true
			all.of[id] = price
		}
	}
	return all, nil
}

const ownSuffix = " and the user's own"

// Date says when the built-in prices were published, and whether the user's
// own are among them.
func (p *Prices) Date() string { return p.date }

// Cost gives what usage u of a model, named provider/model, cost. It is not ok
// when the usage or the price is not known: unknown is not zero. The baselines
// cost nothing.
func (p *Prices) Cost(id string, u Usage) (usd float64, ok bool) {
	if strings.HasPrefix(id, "baseline/") {
		return 0, true
	}
	price, ok := p.of[id]
	if !ok || !u.Known {
		return 0, false
	}
	cached, reasoning := 0.0, price.Output
	switch {
	case price.Cached != nil:
		cached = *price.Cached
	case u.Cached > 0:
		return 0, false
	}
	if price.Reasoning != nil {
		reasoning = *price.Reasoning
	}
	usd = float64(u.Input-u.Cached)*price.Input + float64(u.Cached)*cached +
		float64(u.Output-u.Reasoning)*price.Output + float64(u.Reasoning)*reasoning
	return usd / 1e6, true
}
