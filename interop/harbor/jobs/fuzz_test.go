package jobs

import (
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/trial"
)

// FuzzResult: whatever the files of a job hold, it is read or refused, and what is read is
// verdicts.
func FuzzResult(f *testing.F) {
	f.Add(`{"id":"j","started_at":"2026-01-01T00:00:00","n_total_trials":6}`, `{}`,
		`{"task_name":"a","trial_name":"a__1","agent_info":{"name":"x"},"verifier_result":{"rewards":{"reward":1}}}`)
	f.Add(`{}`, `{"agent":{"name":"x"}}`,
		oneline.Of(`{"task_name":"../../a","exception_info":{"exception_type":"AgentTimeoutError"},
			"verifier_result":{"rewards":{"a":1e308,"b":-1}}}`))
	f.Add(`{"stats":{"evals":{"a__b__c":{"n_trials":-1}}}}`, ``,
		oneline.Of(`{"task_name":"\u0000",
			"agent_result":{"n_input_tokens":-5,"cost_usd":-1,"metadata":{"outcome":"pass"}},
			"started_at":"x","step_results":[{}]}`))
	f.Add(`{}`, `{}`,
		`{"task_name":"a","trial_name":"a__1","agent_info":{"name":"x"},"verifier_result":{"rewards":{"reward":1}},`+
			`"agent_result":{"n_input_tokens":-5,"n_output_tokens":1,"cost_usd":-1}}`)
	f.Fuzz(func(t *testing.T, job, config, result string) {
		seen := 0
		err := Read(dirOf(t, "result.json", job, "a/config.json", config, "a/result.json", result),
			func(e trial.Event) error {
				if o := e.Outcome; o != nil {
					seen++
					if u := o.Usage; o.Status == "" || o.Steps < 0 || u.Input < 0 || u.Output < 0 || u.Cached < 0 ||
						o.CostUSD != nil && *o.CostUSD < 0 ||
						strings.ContainsRune(o.Detail, 0) {
						t.Errorf("%+v", o)
					}
				}
				return nil
			})
		if err == nil && seen == 0 {
			t.Errorf("it was read, and held nothing")
		}
	})
}
