package loop

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

func TestEstimateBetweenExactCounts(t *testing.T) {
	h := &History{specs: 400}
	h.push(model.Message{Role: model.System, Content: strings.Repeat("a", 400)})
	if got := h.estimate(); got != 200 {
		t.Errorf("before any count: %d", got)
	}
	h.push(model.Message{Role: model.Assistant, Content: "x"})
	h.counted(model.Usage{Input: 1000, Output: 50, Reasoning: 20, Known: true})
	h.push(model.Message{Role: model.User, Content: strings.Repeat("b", 40)})
	if got := h.estimate(); got != 1000+30+10 {
		t.Errorf("after a count: %d", got)
	}
	h.counted(model.Usage{})
	if got := h.estimate(); got != 1040 {
		t.Errorf("after a reply without usage: %d", got)
	}
}

// TestSaidClosesCalls: a call that was cut off gets a result before the
// conversation goes on.
func TestSaidClosesCalls(t *testing.T) {
	said := &Conversation{}
	for _, e := range []trial.Event{
		{Kind: trial.TrialStarted, Trial: "t001", Start: &trial.Trial{}},
		{Kind: trial.ModelCalled, Called: &trial.Called{New: []model.Message{{Role: model.System, Content: "s"},
			{Role: model.User, Content: "one"}}}},
		{Kind: trial.ModelCalled, Agent: "1", Called: &trial.Called{New: []model.Message{{Role: model.User,
			Content: "a sub-agent's"}}}},
		{Kind: trial.ModelReplied,
			Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Calls: []model.Call{{ID: "7",
				Name: "bash", Arguments: `{"command":"sleep 9"}`}}}}}},
		{Kind: trial.TrialStarted, Trial: "t001", Start: &trial.Trial{}},
		{Kind: trial.ModelCalled, Called: &trial.Called{New: []model.Message{{Role: model.User, Content: "two"}}}},
	} {
		said.Recall(e)
	}
	var roles []string
	for _, m := range said.h.messages {
		roles = append(roles, string(m.Role))
	}
	if d := cmp.Diff([]string{"system", "user", "assistant", "tool", "user"}, roles); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{1, 4}, said.h.prompts); d != "" {
		t.Error(d)
	}
}
