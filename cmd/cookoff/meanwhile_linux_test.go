package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/trial"
)

// TestChangedMeanwhile: what is edited while a run goes on has nothing to do with it, and
// its report says so.
func TestChangedMeanwhile(t *testing.T) {
	c := newChaos(t)
	want, _ := c.whole()
	d := c.at("edited")
	p := filepath.Join(d.root, "p")
	write(t, filepath.Join(p, "gone"), "1")
	write(t, filepath.Join(p, "kept"), "1")
	d.provider.mu.Lock()
	d.provider.onAsked = func(n int) {
		if n == 1 {
			write(t, filepath.Join(p, "recipe.md"), strings.ReplaceAll(chaosRecipe, "hello", "goodbye"))
			write(t, filepath.Join(p, "added"), "1")
			write(t, filepath.Join(p, ".kept.swp"), "an editor's")
			if err := os.Remove(filepath.Join(p, "gone")); err != nil {
				t.Error(err)
			}
		}
	}
	d.provider.mu.Unlock()
	cmd, out := d.start("", "cookoff-nowait", "run", "--parallel", "1")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const said = "3 files changed on the disk while the run went on (recipe.md, added (new), gone (gone)); " +
		"all trials went by what was there when it began"
	if !strings.Contains(out.String(), said) {
		t.Errorf("it said:\n%s", out)
	}
	if got := d.ending(); want.bill != got.bill {
		t.Errorf("$%v were spent, and $%v without changes", got.bill, want.bill)
	}
}

// TestPriceChanged: a run goes on at a new price of a model: what was paid stays what it
// was, what comes costs what it costs, and the report says so.
func TestPriceChanged(t *testing.T) {
	c := newChaos(t)
	d := c.at("repriced")
	_, events := c.whole()
	d.cut("SIGKILL", events/2, "run", "--parallel", "1")
	journal := func() []byte {
		t.Helper()
		path, err := trial.FindRun(filepath.Join(d.root, "p"), "")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := journal()
	write(t, filepath.Join(d.home, "config", "cookoff", "cookoff.toml"), chaosConfig+
		"[prices.\"openai/gpt-4o\"]\ninput = 1000.0\noutput = 1000.0\n[prices.\"openai/gpt-4o-mini\"]\n"+
		"input = 1000.0\noutput = 1000.0\n")
	const said = "the price of openai/gpt-4o was changed since the run began: what it had cost by then is " +
		"counted as it was"
	if out := d.goOn(); !strings.Contains(out, said) {
		t.Errorf("it said:\n%s", out)
	}
	after := journal()
	if !bytes.HasPrefix(after, before[:bytes.LastIndexByte(before, '\n')+1]) {
		t.Error("what was recorded before is another record now")
	}
	paid := costs(t, before)
	all := costs(t, after)
	if _, spent, _ := d.report(); math.Abs(spent-all) > 1e-9 || all < 100*paid {
		t.Errorf("$%v were spent by the report, $%v by the record, $%v of it before", spent, all, paid)
	}
}

// costs adds up what the replies of a journal have cost.
func costs(t *testing.T, journal []byte) (usd float64) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(journal))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e trial.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == trial.ModelReplied && e.Replied.CostUSD != nil {
			usd += *e.Replied.CostUSD
		}
	}
	return usd
}
