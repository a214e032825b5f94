package model

import (
	"math"
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	p, err := LoadPrices([]byte(`
[prices."ollama/qwen"]
input = 0.0
cached = 0.0
output = 0.0
[prices."acme/thinker"]
input = 1
output = 2.0
reasoning = 4.0
also = ["acme/thinker-2"]
[prices."openai/gpt-4o-mini"]
input = 1000000
cached = 1
output = 0
`))
	if err != nil {
		t.Fatal(err)
	}
	check := func(id string, u Usage, want float64) {
		t.Helper()
		if got, ok := p.Cost(id, u); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s %+v costs %v %v, want %v", id, u, got, ok, want)
		}
	}
	unknown := func(id string, u Usage) {
		t.Helper()
		if got, ok := p.Cost(id, u); ok || got != 0 {
			t.Errorf("%s %+v costs %v %v, want unknown", id, u, got, ok)
		}
	}
	million := Usage{Input: 1e6, Output: 1e6, Known: true}
	check("openai/gpt-4o", million, 12.5)
	check("openai/gpt-4o-2024-08-06", million, 12.5)
	check("openai/gpt-5", Usage{Input: 1e6, Cached: 8e5, Output: 1e6, Reasoning: 9e5, Known: true},
		0.2*1.25+0.8*0.125+10)
	check("ollama/qwen", million, 0)
	check("acme/thinker-2", Usage{Input: 1e6, Output: 1e6, Reasoning: 5e5, Known: true}, 1+1+2)
	check("openai/gpt-4o-mini", Usage{Input: 1, Known: true}, 1)
	check("baseline/oracle", Usage{Known: true}, 0)
	check("baseline/noop", Usage{}, 0)
	unknown("openai/gpt-4o", Usage{Input: 5, Output: 5})
	check("openai/gpt-4o-2024-05-13", million, 20) // another price
	unknown("openai/gpt-4o-2024-01-01", million)
	unknown("gpt-4o", million)
	unknown("acme/thinker", Usage{Input: 5, Cached: 1, Known: true})
	if p.Date() != "2026-11-12 and the user's own" {
		t.Errorf("date %q", p.Date())
	}
}

func TestBadPrices(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := LoadPrices([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	check("[prices.\"a/b\"]\ninput = 1\nouput = 2", "unknown key prices.\"a/b\".ouput")
	check("[prices.\"a/b\"]\ninput = 1", `the price of "a/b" lacks output`)
	check("[prices.\"a/b\"]\ninput = -1\noutput = 2", "holds -1")
	check("[prices.\"a/b\"]\ninput = nan\noutput = 2", "holds NaN")
	check("[prices.\"a/b\"]\ninput = inf\noutput = 2", "holds +Inf")
	check("[prices.\"a/b\"]\ninput = 1\noutput = 2\nalso = [\"c\", \"c\"]", `"c" is given twice`)
	check("[prices.\"a/b\"]\ninput = \"1\"\noutput = 2", "parsing prices")
	check("[prices", "parsing prices")
}

// TestBuiltinPrices: every price of the table can be used as it is meant.
// TestPricesOfManyModels: the user's own price of a model, that of their longest
// glob, the built-in one.
func TestPricesOfManyModels(t *testing.T) {
	p, err := LoadPrices([]byte("[prices.\"lab/*\"]\ninput = 1\noutput = 1\n[prices.\"lab/big-*\"]\ninput = 2\n" +
		"output = 2\n[prices.\"lab/big-x\"]\ninput = 3\noutput = 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	u := Usage{Input: 1e6, Known: true}
	for id, want := range map[string]float64{"lab/a": 1, "lab/big-a": 2, "lab/big-x": 3} {
		if got, ok := p.Cost(id, u); !ok || got != want {
			t.Errorf("%s costs %v, %v, not %v", id, got, ok, want)
		}
	}
	for _, id := range []string{"lab/a/b", "other/a"} {
		if _, ok := p.Cost(id, u); ok {
			t.Errorf("%s has a price", id)
		}
	}
	if _, err := LoadPrices([]byte("[prices.\"lab/[\"]\ninput = 1\noutput = 1\n")); err == nil {
		t.Error("a glob that matches nothing is taken")
	}
}

func TestBuiltinPrices(t *testing.T) {
	p, err := LoadPrices(nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Date() != "2026-11-12" {
		t.Errorf("date %q", p.Date())
	}
	for id, price := range p.of {
		if price.Input <= 0 || price.Output < price.Input || price.Cached != nil && *price.Cached >= price.Input {
			t.Errorf("%s: %+v is no likely price", id, price)
		}
		if provider, name, ok := strings.Cut(id, "/"); !ok || provider == "" || name == "" {
			t.Errorf("%q is no provider/model", id)
		}
	}
}

// A request above the limit of a tier costs the tier's price as a whole.
func TestTiers(t *testing.T) {
	p, err := LoadPrices([]byte("[prices.\"a/b\"]\ninput = 1\noutput = 2\ncached = 0.5\n" +
		"tiers = [{above = 100, input = 2, output = 4, cached = 1}, {above = 1000, input = 4, output = 8}]"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(u Usage, want float64) {
		t.Helper()
		u.Known = true
		if usd, ok := p.Cost("a/b", u); !ok || math.Abs(usd*1e6-want) > 1e-9 {
			t.Errorf("%+v costs %v, %v; want %v", u, usd*1e6, ok, want)
		}
	}
	check(Usage{Input: 100, Output: 10}, 120)
	check(Usage{Input: 101, Output: 10}, 242)
	check(Usage{Input: 101, Cached: 101}, 101)
	check(Usage{Input: 2000, Output: 1}, 8008)
	if _, ok := p.Cost("a/b", Usage{Input: 2000, Cached: 1, Known: true}); ok {
		t.Error("the third tier has no known price of cached tokens")
	}
	for _, tiers := range []string{"{above = 0, input = 2, output = 4}", "{above = 9, input = 0.5, output = 4}",
		"{above = 9, input = nan, output = 4}", "{above = 9, input = inf, output = 4}",
		"{above = 9, input = 2, output = 4}, {above = 9, input = 2, output = 4}"} {
		if _, err := LoadPrices([]byte("[prices.\"a/b\"]\ninput = 1\noutput = 2\ntiers = [" + tiers +
			"]")); err == nil ||
			!strings.Contains(err.Error(), "tier") {
			t.Errorf("%s: %v", tiers, err)
		}
	}
}
