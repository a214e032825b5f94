package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/text"
)

func TestATableFitsItsTerminal(t *testing.T) {
	draw := func(limit int) []string {
		var b bytes.Buffer
		w := &Table{To: &b, Limit: limit}
		w.Row("ID", "TASK", "NOTE")
		w.Row("t001", "設定が文字化けしている, and then some more of it", "fine")
		w.Row("t002-with-a-long-id", "short", strings.Repeat("why ", 20)+"\x1b[2J")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, limit := range []int{40, 60, 80, 200} {
		for _, line := range draw(limit) {
			if w := text.Width(line); w > limit {
				t.Errorf("%d columns where there are %d: %q", w, limit, line)
			}
		}
	}
	lines := draw(80)
	if !strings.HasPrefix(lines[2], "t002-with-a-long-id  short") {
		t.Errorf("the first column is cut last: %q", lines[2])
	}
	at := func(line, part string) int { return text.Width(line[:strings.Index(line, part)]) }
	if lines := draw(0); at(lines[0], "NOTE") != at(lines[1], "fine") || strings.Contains(lines[2], "\x1b") ||
		strings.Contains(lines[2], "…") {
		t.Errorf("wide characters, and no limit: %q", lines)
	}
}

// TestRunsShowWhenAndWhoInANarrowTerminal: no column that tells runs apart is
// cut, and what has no room beside them stands below.
func TestRunsShowWhenAndWhoInANarrowTerminal(t *testing.T) {
	draw := func(limit int) string {
		var b bytes.Buffer
		w := &Table{To: &b, Limit: limit, Keep: 2, Below: true}
		w.Row("RUN", "STARTED", "RECIPE", "FIXED")
		w.Row("20261121-163802-509ac8", "2026-11-21 16:38", strings.Repeat("r", 40),
			"openai/gpt-5 10/14, anthropic/claude-opus-4 12/14, baseline/noop 0/14")
		w.Row("20261121-170000-aaaaaa", "2026-11-21 17:00", "r", "")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := "RUN                     STARTED           RECIPE\n" +
		"20261121-163802-509ac8  2026-11-21 16:38  " + strings.Repeat("r", 17) + "…\n" +
		"  openai/gpt-5 10/14, anthropic/claude-opus-4 12/14,\n  baseline/noop 0/14\n" +
		"20261121-170000-aaaaaa  2026-11-21 17:00  r\n"
	if d := cmp.Diff(want, draw(60)); d != "" {
		t.Error(d)
	}
	want = "RUN                     STARTED\n" +
		"20261121-163802-509ac8  2026-11-21 16:38\n  " + strings.Repeat("r", 38) + "\n" +
		"  rr, openai/gpt-5 10/14,\n  anthropic/claude-opus-4 12/14,\n  baseline/noop 0/14\n" +
		"20261121-170000-aaaaaa  2026-11-21 17:00\n  r\n"
	if d := cmp.Diff(want, draw(40)); d != "" {
		t.Error(d)
	}
	for line := range strings.SplitSeq(draw(36), "\n") {
		if strings.HasPrefix(line, "2") && !strings.HasPrefix(line, "20261121-163802-509ac8") &&
			!strings.HasPrefix(line, "20261121-170000-aaaaaa") {
			t.Errorf("the name of a run is cut: %q", line)
		}
		if w := text.Width(line); w > 36 {
			t.Errorf("%d columns where there are 36: %q", w, line)
		}
	}
	if got := draw(0); strings.Count(got, "\n") != 3 || !strings.Contains(got, "FIXED") {
		t.Errorf("with room enough:\n%s", got)
	}
}
