package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox/native"
)

// TestWatchRunsAgain: a comparison is run again when its recipe is changed, what is
// wrong with the recipe in between is said, and Ctrl-C ends it.
func TestWatchRunsAgain(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	exe, err := exec.LookPath("cookoff")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	dir := t.TempDir()
	recipe := func(models string) {
		t.Helper()
		text := "# Watched\n\nversion: 1\n\n## Models\n\n- " + models +
			"\n\n## Tasks\n\n### the answer\n\nWrite it.\n\n```sh after\ngrep -qx 42 answer\n```\n"
		if err := os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recipe("baseline/noop")
	cmd := exec.CommandContext(ctx, exe, "run", "--watch", "-o", "report.json")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "CI=")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	until := func(want string) {
		t.Helper()
		var said []string
		for lines.Scan() {
			if said = append(said, lines.Text()); strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("it never said %q:\n%s", want, strings.Join(said, "\n"))
	}
	until("for changes; Ctrl-C ends")
	recipe("baseline/nope")
	until("changed: recipe.md; it is run again")
	until(`baseline/nope`)
	until("for changes; Ctrl-C ends")
	recipe("baseline/oracle\n- baseline/noop")
	until("changed: recipe.md; it is run again")
	until("for changes; Ctrl-C ends")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		continue // until it has ended
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
	if runs, _ := filepath.Glob(filepath.Join(dir, ".cookoff", "runs", "*", "journal.jsonl")); len(runs) != 2 {
		t.Errorf("%d runs", len(runs))
	}
}
