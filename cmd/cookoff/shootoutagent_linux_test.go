package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/trial"
)

// TestShootoutAgentAsks: what an agent asks leave for is put to whoever sits before the
// screen, with the answers that the agent offers: allowed it is done, denied it is not, and both
// are in the record.
func TestShootoutAgentAsks(t *testing.T) {
	h := newHall(t)
	config := realAgent(t)
	if err := os.MkdirAll(filepath.Join(h.home, ".config", "cookoff"), 0o755); err != nil {
		t.Fatal(err)
	}
	config = strings.ReplaceAll(config, `"normal"`, `"permission"`)
	file := filepath.Join(h.home, ".config", "cookoff", "cookoff.toml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	h.begin(120, 40, "--models", "'fake: openai/fast'")
	h.see("Type a task.")
	h.press("'print your name", "Enter")
	h.see("fake: openai/fast asks for leave to use its tool execute:", "sed -i", "n deny", "2 Yes, and don't ask again")
	h.press("n")
	h.see("All done.", "hook approval: deny")
	h.press("i", "'print it", "Enter")
	h.see("asks for leave to use its tool execute:")
	h.press("3")
	h.see("task 2", "All done.")
	h.press("d")
	h.see(`+     println("fast")`)
	h.press("q", "Escape", "C-c", "C-c")
	h.see("exit=0")
	all := ""
	if err := filepath.WalkDir(filepath.Join(h.dir, ".cookoff"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" {
			text, err := os.ReadFile(path)
			all += string(text)
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"decision":"deny","reason":"its tool execute: sed -i`,
		`"decision":"allow","reason":"\"Yes\": its tool execute: sed -i`, `"kind":"` + string(trial.HookDecided) + `"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in the records", want)
		}
	}
}
