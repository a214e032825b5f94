package report

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/trial"
)

func TestEveryCounterIsAddedUp(t *testing.T) {
	var one, two trial.Counters
	text := oneline.Of(`{"tool_calls":1,"malformed":2,"refused_classes":3,"denied":4,"tool_errors":5,
		"repeated":6,"retries":7,"lost":11,"reminders":8,"compactions":9,"output_cut":10}`)
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(one)
	if err != nil || string(back) != text {
		t.Fatalf("this test lacks a counter: %s, %v", back, err)
	}
	two = addCounters(one, one)
	want := trial.Counters{ToolCalls: 2, Malformed: 4, RefusedClasses: 6, Denied: 8, ToolErrors: 10, Repeated: 12,
		Retries: 14, Lost: 22, Reminders: 16, Compactions: 18, OutputCut: 20}
	if d := cmp.Diff(want, two); d != "" {
		t.Error(d)
	}
}

func TestWhoServedASubAgentIsNotWhoServedTheModel(t *testing.T) {
	a := &attempt{served: map[string]int{}, helpers: map[string]bool{}}
	reply := func(agent, served string) {
		a.reply(trial.Event{Agent: agent, Replied: &trial.Replied{Reply: model.Reply{Served: served}}})
	}
	reply("", "big")
	reply("1", "small")
	if d := cmp.Diff(map[string]int{"big": 1}, a.served); d != "" {
		t.Error(d)
	}
}
