package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cookoff/model/openai/openaitest"
	"cookoff/sandbox/sandboxtest"
)

// greedy is answered by one model with a command that takes all memory there is, and by
// the other with one that mends the task.
func greedy(_ int, r *openaitest.Request) openaitest.Step {
	switch {
	case r.Messages[len(r.Messages)-1].Role == "tool":
		return openaitest.Reply(says("Done.", 200))
	case r.Model == "gpt-4o-mini":
		return openaitest.Reply(calls("bash", `{"command":"tail /dev/zero; echo code $?"}`, 101))
	}
	return openaitest.Reply(calls("bash", `{"command":"echo hello > greeting"}`, 102))
}

// TestStarved: the kernel ends processes of a contestant that takes more memory than the
// machine has. The run goes on, its rival is judged, and nothing is left.
func TestStarved(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out a run")
	}
	c := newChaos(t)
	group := sandboxtest.NewMemoryGroup(t, 300<<20)
	d := c.at("starved")
	d.provider.Server = openaitest.NewFunc(greedy)
	d.provider.List(openaitest.Models("gpt-4o", "gpt-4o-mini"))
	defer d.provider.Close()
	recipe := strings.Replace(tiny(t), "- baseline/noop\n- baseline/oracle", "- openai/gpt-4o\n- openai/gpt-4o-mini", 1)
	write(t, filepath.Join(d.root, "p", "recipe.md"), recipe)
	cmd, out := d.start("", "sh", "-c", group.Shell("exec cookoff-nowait run --parallel 2 --trials 3 --keep none"))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := group.Ended(t); n != 3 {
		t.Errorf("the kernel ended %d processes, want that of each of three trials", n)
	}
	said := out.String()
	for _, want := range []string{`gpt-4o +3/3 .* 0\n`, `gpt-4o-mini +0/3 .* 0\n`} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("no %q:\n%s", want, said)
		}
	}
	d.nothingLives()
}
