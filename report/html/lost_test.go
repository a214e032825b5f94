package html

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cookoff/trial"
)

// What cookoff why found is marked in the transcript: the losing move, and after which
// call a check held last. Both, and how sure that is, stand in the facts of its trial.
func TestTheLosingMoveIsMarked(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, trial.JournalFile)
	if err := os.WriteFile(journal, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := func(command string) json.RawMessage {
		text, _ := json.Marshal(map[string]string{"command": command})
		return text
	}
	loss := trial.Loss{Calls: 3, Move: &trial.Move{Step: 2, Tool: "bash", Args: args("rm -f \"my backup\"\necho")},
		Once: []trial.Once{{Check: "guard", After: &trial.Move{Step: 1, Tool: "bash", Args: args("ls")}},
			{Check: "after"}}, Differs: "line 1"}
	if err := (trial.Losses{Recipe: "sha256:1", Trials: map[string]trial.Loss{"t001": loss}}).Add(journal); err != nil {
		t.Fatal(err)
	}
	said := NewTranscripts()
	done := said.In(journal)
	for i, command := range []string{"ls", "cat x", "rm -f \"my backup\"\necho", "ls"} {
		id := string(rune('a' + i))
		step := min(i+1, 3)
		if i > 0 {
			step = i // two calls in the second step
		}
		_ = said.Emit(trial.Event{Kind: trial.ToolCalled, Trial: "t001", Attempt: 1, Step: step,
			Tool: &trial.Tool{CallID: id, Name: "bash", Args: args(command)}})
		_ = said.Emit(trial.Event{Kind: trial.ToolReturned, Trial: "t001", Attempt: 1, Step: step,
			Returned: &trial.Returned{CallID: id, Name: "bash"}})
	}
	_ = said.Emit(trial.Event{Kind: trial.TrialFinished, Trial: "t001", Attempt: 1,
		Outcome: &trial.Outcome{Status: trial.Fail}})
	done()
	a := said.trials["t001"][1]
	for i, e := range a.entries {
		want := "0ms"
		switch i {
		case 0:
			want += " · guard held last after it"
		case 2:
			want += " · the losing move"
		}
		if e.Facts != want || e.Bad != (i == 2) {
			t.Errorf("call %d: %q", i, e.Facts)
		}
	}
	want := [][2]string{{"losing move", "step 2, bash"}, {"held last", "guard: after step 1, bash"},
		{"held last", "after: at the start"}, {"confidence", "not reproducible: line 1"}}
	if !slices.Equal(a.loss, want) {
		t.Errorf("%q", a.loss)
	}
	if (trial.Loss{Calls: 1}).Confidence() != "deterministic on re-execution" {
		t.Error("calls that came out as they did")
	}
}
