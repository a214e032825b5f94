package trial

import (
	"strings"
	"testing"

	"cookoff/model"
)

// BenchmarkJournalStep writes what one step of a trial leaves in the journal: with the
// syncs that a request and its reply wait for, and without.
func BenchmarkJournalStep(b *testing.B) {
	text := strings.Repeat("a line of a tool's output\n", 80)
	step := []Event{
		{Kind: ModelCalled, Called: &Called{New: []model.Message{{Role: model.User, Content: text}}}},
		{Kind: ModelReplied, Replied: &Replied{Reply: model.Reply{Message: model.Message{Content: "next"}}}},
		{Kind: ToolCalled, Tool: &Tool{CallID: "1", Name: "bash"}},
		{Kind: ToolReturned, Returned: &Returned{CallID: "1", Name: "bash", Text: text}},
	}
	for name, ahead := range map[string]bool{"written": false, "written ahead": true} {
		b.Run(name, func(b *testing.B) {
			j, err := CreateJournal(b.TempDir(), "r1", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			for b.Loop() {
				for _, e := range step {
					if err := j.Emit(e); err != nil {
						b.Fatal(err)
					}
					if ahead && (e.Kind == ModelCalled || e.Kind == ModelReplied) {
						if err := j.Sync(); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}
