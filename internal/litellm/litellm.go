// Package litellm reads the price file that LiteLLM publishes,
// model_prices_and_context_window.json.
package litellm

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model"
)

// chatModes are the kinds of models that a comparison can ask.
var chatModes = []string{"chat", "responses"}

// Read gives the prices of the models that can be asked to chat, for a million
// tokens, by provider/model. What the file says of writing to a cache, of batches
// and of sound and pictures has no place in a price here. A model without a price
// of input and output, and one that gets cheaper as requests get longer, is left
// out. The error is one of the file's form.
func Read(text []byte) (map[string]model.Price, error) {
	var file map[string]map[string]any
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("this is no price file of LiteLLM: %w", err)
	}
	out := map[string]model.Price{}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		e := entry(file[name])
		provider, _ := e["litellm_provider"].(string)
		mode, _ := e["mode"].(string)
		if name == "sample_spec" || provider == "" || !slices.Contains(chatModes, mode) {
			continue
		}
		price, ok := e.price()
		if !ok {
			continue
		}
		id := provider + "/" + strings.TrimPrefix(name, provider+"/")
		if _, err := (&model.Prices{}).With(map[string]model.Price{id: price}); err == nil {
			out[id] = price
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("this is no price file of LiteLLM: no model in it has a price")
	}
	return out, nil
}

// entry is what the file says of one model.
type entry map[string]any

// perMillion is a price that stands in the file for one token.
func (e entry) perMillion(key string) *float64 {
	x, is := e[key].(float64)
	if !is || x < 0 {
		return nil
	}
	return new(math.Round(1e12*x) / 1e6)
}

// above is the end of a key for longer requests.
var above = pattern.New(`^input_cost_per_token_above_(\d+)k_tokens$`)

// price gives what a model costs, in USD per million tokens, with the higher prices of long
// requests; ok is false where input or output has no price.
func (e entry) price() (p model.Price, ok bool) {
	in, out := e.perMillion("input_cost_per_token"), e.perMillion("output_cost_per_token")
	if in == nil || out == nil {
		return p, false
	}
	p = model.Price{Input: *in, Output: *out, Cached: e.perMillion("cache_read_input_token_cost"),
		Reasoning:    e.perMillion("output_cost_per_reasoning_token"),
		CacheWrite:   e.perMillion("cache_creation_input_token_cost"),
		CacheWrite1h: e.perMillion("cache_creation_input_token_cost_above_1hr")}
	for key := range e {
		m := above.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		end := "_above_" + m[1] + "k_tokens"
		in, out := e.perMillion(key), e.perMillion("output_cost_per_token"+end)
		if err != nil || in == nil || out == nil {
			return p, false
		}
		p.Tiers = append(p.Tiers, model.Tier{Above: 1000 * n, Input: *in, Output: *out,
			Cached: e.perMillion("cache_read_input_token_cost" + end), Reasoning: p.Reasoning,
			CacheWrite:   e.perMillion("cache_creation_input_token_cost" + end),
			CacheWrite1h: e.perMillion("cache_creation_input_token_cost_above_1hr" + end)})
	}
	slices.SortFunc(p.Tiers, func(a, b model.Tier) int { return a.Above - b.Above })
	return p, true
}

// Batches gives what a million tokens cost in batches, which cookoff never asks for, by
// provider/model.
func Batches(text []byte) map[string]Batch {
	var file map[string]map[string]any
	_ = json.Unmarshal(text, &file) // Read says what is wrong
	out := map[string]Batch{}
	for name, e := range file {
		provider, _ := e["litellm_provider"].(string)
		in, to := entry(e).perMillion("input_cost_per_token_batches"), entry(e).
			perMillion("output_cost_per_token_batches")
		if provider != "" && in != nil && to != nil {
			out[provider+"/"+strings.TrimPrefix(name, provider+"/")] = Batch{*in, *to}
		}
	}
	return out
}

// Batch is what a million tokens cost in a batch, in USD.
type Batch struct{ Input, Output float64 }

// Write writes prices as a cookoff.toml has them; what batches cost is a comment.
func Write(w io.Writer, prices map[string]model.Price, batches map[string]Batch) error {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(prices)) {
		p := prices[id]
		fmt.Fprintf(&b, "\n[prices.%s]\ninput = %s\n", strconv.Quote(id), number(p.Input))
		maybe(&b, "cached = %s\n", p.Cached)
		maybe(&b, "cache_write = %s\n", p.CacheWrite)
		maybe(&b, "cache_write_1h = %s\n", p.CacheWrite1h)
		fmt.Fprintf(&b, "output = %s\n", number(p.Output))
		maybe(&b, "reasoning = %s\n", p.Reasoning)
		if p.Date != "" {
			fmt.Fprintf(&b, "date = %q\n", p.Date)
		}
		if batch, ok := batches[id]; ok {
			fmt.Fprintf(&b, "# in batches, which cookoff doesn't use: input = %s, output = %s\n", number(batch.Input),
				number(batch.Output))
		}
		if len(p.Tiers) == 0 {
			continue
		}
		var tiers []string
		for _, t := range p.Tiers {
			var one strings.Builder
			fmt.Fprintf(&one, "{ above = %d, input = %s, ", t.Above, number(t.Input))
			maybe(&one, "cached = %s, ", t.Cached)
			maybe(&one, "cache_write = %s, ", t.CacheWrite)
			maybe(&one, "cache_write_1h = %s, ", t.CacheWrite1h)
			maybe(&one, "reasoning = %s, ", t.Reasoning)
			fmt.Fprintf(&one, "output = %s }", number(t.Output))
			tiers = append(tiers, one.String())
		}
		fmt.Fprintf(&b, "tiers = [%s]\n", strings.Join(tiers, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func maybe(b *strings.Builder, format string, x *float64) {
	if x != nil {
		fmt.Fprintf(b, format, number(*x))
	}
}

// number writes a float as TOML has it.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
