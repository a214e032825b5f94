package mine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/plant"
	"cookoff/internal/temporary"
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

// TestKilled: what a search or a planting left that was killed, a recipe with a solution beside the project's files, is
// gone once another one begins, and that is said; what a process that lives has made stays.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("PLANTED_IN"); dir != "" {
		if _, err := temporary.File(dir, ".planted-*.recipe.md"); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	for name, begin := range map[string]func(d *door.Door) error{
		"plant": func(d *door.Door) error {
			return (&planting{tasks: 1, faults: 1, only: []string{"x"}, mining: mining{Door: d}}).run(t.Context())
		},
		"mine": func(d *door.Door) error { return (&mining{Door: d}).run(t.Context()) },
	} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "PLANTED_IN="+dir)
		if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() >= 0 {
			t.Fatalf("the process was not killed: %v: %s", err, out)
		}
		own, err := temporary.File(dir, ".planted-*.recipe.md")
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		var errs bytes.Buffer
		c := &cli.Common{Dir: dir, Out: screen.Stream{Writer: &bytes.Buffer{}}, Err: screen.Stream{Writer: &errs}}
		if err := begin(&door.Door{Common: c}); err == nil {
			t.Errorf("%s: nothing is wrong in an empty directory", name)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || names[0].Name() != filepath.Base(own.Name()) ||
			!strings.Contains(errs.String(), "removed 1 leftover of runs that were killed") {
			t.Errorf("%s: %v, %v; said %q", name, names, err, errs.String())
		}
	}
}
