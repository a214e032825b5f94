package report

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/trial"
)

// What it would have cost to go on is said where nobody knows it, too.
func TestGoingOnAtAnUnknownPrice(t *testing.T) {
	r := &Report{Run: trial.Run{Question: &trial.Question{Ask: "best"}},
		Models:   []Model{{Name: "lab/a", Pass: 2, Pending: 3}},
		Decision: &trial.Decision{State: "decided"}}
	said := ""
	stopped(r, func(format string, args ...any) { said += fmt.Sprintf(format, args...) })
	if !strings.HasSuffix(said, "; nobody knows what the others would have cost") {
		t.Error(said)
	}
	r.Models[0].SpentUSD, said = new(1.0), ""
	stopped(r, func(format string, args ...any) { said += fmt.Sprintf(format, args...) })
	if !strings.HasSuffix(said, "; the others would have cost about $1.50") {
		t.Error(said)
	}
}
