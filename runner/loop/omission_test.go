package loop

import (
	"net/http"
	"testing"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/trial"
)

// TestValuesThatAreNotTaken: a value that a model does not take is left out where it is
// asked for, in a later part of the run as well; another contestant's is sent. A parameter
// that is not taken at all is left out of each.
func TestValuesThatAreNotTaken(t *testing.T) {
	check := func(body, what string, others bool) {
		t.Helper()
		var e *model.UnsupportedError
		err := (&endpoint.Endpoint{}).ByStatus(http.StatusBadRequest, nil, []byte(body))
		if e, _ = err.(*model.UnsupportedError); e == nil {
			t.Fatalf("%s: %v", body, err)
		}
		mine, other := model.Params{Temperature: new(0.2), ReasoningEffort: "xhigh"},
			model.Params{Temperature: new(1.0), ReasoningEffort: "high"}
		h := NewHabits()
		got := omission(mine, e)
		h.Learned(&trial.Failure{Model: "acme/big", What: got})
		h.at("acme/big", func(h *habit) {
			if _, sent := h.taken(mine).Without(e.What); got != what || sent {
				t.Errorf("%s: learned %q, want %q; it is still sent: %v", body, got, what, sent)
			}
			if _, sent := h.taken(other).Without(e.What); sent != others {
				t.Errorf("%s: another value is sent: %v, want %v", body, sent, others)
			}
		})
	}
	check(
		`{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model.","param":"temperature",`+
			`"code":"unsupported_value"}}`, "temperature=0.2", true)
	check(`{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'xhigh'"}}`,
		`reasoning_effort="xhigh"`, true)
	check(
		`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature",`+
			`"code":"unsupported_parameter"}}`, "temperature", false)
}
