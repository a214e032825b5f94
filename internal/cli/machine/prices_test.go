package machine

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
)

// TestPricesKeepTheNamesOfModels: whoever copies a name needs all of it.
func TestPricesKeepTheNamesOfModels(t *testing.T) {
	name := "anthropic/claude-3-5-sonnet-20241022"
	prices := []priceInfo{{Model: name, Input: 3, Output: 15, Reasoning: 15, Source: "docs.anthropic.com (pricing)"},
		{Model: name, Above: 200000, Source: "docs.anthropic.com (pricing)"}}
	for limit, lines := range map[int]int{80: 4, 200: 3, 0: 3} {
		var b bytes.Buffer
		if err := pricesTable(&table.Table{To: &b, Limit: limit}, prices); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Count(got, name) != 2 || strings.Count(got, "\n") != lines ||
			!strings.Contains(got, "docs.anthropic.com (pricing)") || strings.Contains(got, "…") {
			t.Errorf("%d columns:\n%s", limit, got)
		}
	}
}

// A command needs nothing but its flags and what all commands share.
func TestACommandAlone(t *testing.T) {
	var out, errs bytes.Buffer
	none := func(string) string { return "" }
	c := &cli.Common{Out: screen.Stream{Writer: &out}, Err: screen.Stream{Writer: &errs},
		Dir: t.TempDir(), Getenv: none}
	if err := (&pricesFlags{format: "json"}).run(c, "openai/gpt-5"); err != nil || !strings.Contains(out.String(),
		`"openai/gpt-5"`) {
		t.Errorf("prices: %v, %.80q", err, &out)
	}
	out.Reset()
	if err := (&modelsFlags{format: "table"}).run(t.Context(), c); err != nil || !strings.HasPrefix(out.String(),
		"PROVIDER") {
		t.Errorf("models: %v, %.80q", err, &out)
	}
	if err := (&modelsFlags{format: "table", pings: []string{"nobody/x"}}).run(t.Context(), c); err == nil {
		t.Error("a provider that is none is asked")
	}
}
