package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	cmd, out := d.start("", "cookoff-nowait", "run", "--parallel", "1")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const said = "3 files changed on the disk while the run went on (recipe.md, added (new), gone (gone)); " +
		"all trials went by what was there when it began"
	if !strings.Contains(out.String(), said) {
		t.Errorf("it said:\n%s", out)
	}
	got := d.ending()
	if !strings.Contains(got.table, said) {
		t.Errorf("the report is\n%s", got.table)
	}
	if want.bill != got.bill {
		t.Errorf("$%v were spent, and $%v without changes", got.bill, want.bill)
	}
}
