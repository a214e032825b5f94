package mine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/plant"
	"cookoff/internal/ui/screen"
	"cookoff/recipe"
)

// TestInterrupted: planting that was interrupted says what it wrote, and takes nothing from what an earlier
// command wrote.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "planted.recipe.md")
	finish := func(seed int64, titles ...string) (said, written string) {
		var errs bytes.Buffer
		c := &cli.Common{Dir: dir, Out: screen.Stream{Writer: &bytes.Buffer{}}, Err: screen.Stream{Writer: &errs}}
		p := &planting{seed: seed, tasks: 9,
			mining: mining{top: dir, flags: flags{output: file}, Door: &door.Door{Common: c}}}
		r := &recipe.Recipe{Models: []string{"baseline/noop"}}
		var list []plant.Task
		for _, title := range titles {
			task := recipe.Task{Title: title, Prompt: "It is wrong.", After: []recipe.Check{{Script: "false"}}}
			r.Tasks, list = append(r.Tasks, task), append(list, plant.Task{Recipe: task})
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		var code *cli.Failure
		err := p.finish(ctx, r, "Faults", list, plant.Tried{})
		if !errors.As(err, &code) || code.Code != cli.ExitInterrupted {
			t.Error(err)
		}
		text, _ := os.ReadFile(file)
		return errs.String(), string(text)
	}
	for _, c := range []struct {
		seed        int64
		titles      []string
		said, holds string
	}{
		{3, nil, "stopped before a fault became a task: nothing was written", ""},
		{3, []string{"A", "B"}, "wrote planted.recipe.md with 2 tasks of 9\n  hint: the same command with --seed 3 ", "### B"},
		{4, []string{"C"}, "stopped: planted.recipe.md stays as an earlier command wrote it", "### B"},
		{4, nil, "stopped: planted.recipe.md stays", "### B"},
		{3, []string{"A", "B", "D"}, "with 3 tasks of 9", "### D"},
	} {
		said, written := finish(c.seed, c.titles...)
		if !strings.Contains(said, c.said) || !strings.Contains(written, c.holds) {
			t.Errorf("%v: said %q, wrote %q", c.titles, said, written)
		}
	}
}
