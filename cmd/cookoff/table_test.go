package main

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/cmd/cookoff/internal/screen"
)

// TestPricesKeepTheNamesOfModels: whoever copies a name needs all of it.
func TestPricesKeepTheNamesOfModels(t *testing.T) {
	name := "anthropic/claude-3-5-sonnet-20241022"
	prices := []priceInfo{{Model: name, Input: 3, Output: 15, Reasoning: 15, Source: "docs.anthropic.com (pricing)"}, {Model: name, Above: 200000, Source: "docs.anthropic.com (pricing)"}}
	for limit, lines := range map[int]int{80: 4, 200: 3, 0: 3} {
		var b bytes.Buffer
		if err := pricesTable(&table{to: &b, limit: limit}, prices); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Count(got, name) != 2 || strings.Count(got, "\n") != lines || !strings.Contains(got, "docs.anthropic.com (pricing)") || strings.Contains(got, "…") {
			t.Errorf("%d columns:\n%s", limit, got)
		}
	}
}

func TestATableFitsItsTerminal(t *testing.T) {
	draw := func(limit int) []string {
		var b bytes.Buffer
		w := &table{to: &b, limit: limit}
		w.row("ID", "TASK", "NOTE")
		w.row("t001", "設定が文字化けしている, and then some more of it", "fine")
		w.row("t002-with-a-long-id", "short", strings.Repeat("why ", 20)+"\x1b[2J")
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, limit := range []int{40, 60, 80, 200} {
		for _, line := range draw(limit) {
			if w := screen.Width(line); w > limit {
				t.Errorf("%d columns where there are %d: %q", w, limit, line)
			}
		}
	}
	lines := draw(80)
	if !strings.HasPrefix(lines[2], "t002-with-a-long-id  short") {
		t.Errorf("the first column is cut last: %q", lines[2])
	}
	at := func(line, part string) int { return screen.Width(line[:strings.Index(line, part)]) }
	if lines := draw(0); at(lines[0], "NOTE") != at(lines[1], "fine") || strings.Contains(lines[2], "\x1b") || strings.Contains(lines[2], "…") {
		t.Errorf("wide characters, and no limit: %q", lines)
	}
}
