package jobs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/oneline"
	"cookoff/interop/interoptest"
	"cookoff/report"
	"cookoff/trial"
)

// verdicts are what became of each trial.
func verdicts(r *report.Report) map[string]string {
	out := map[string]string{}
	for _, t := range r.Trials {
		o := t.Outcome
		out[fmt.Sprint(t.Model, " ", t.Task, " ", t.N)] = fmt.Sprint(o.Status, " ", o.Cause, " ", o.Stop,
			" ", o.Detail, " ", o.Steps, " ", o.Usage.Input, o.Usage.Output, o.Usage.Cached)
	}
	return out
}

// What is written is read again as it was.
func TestRoundTrip(t *testing.T) {
	for _, journal := range []string{"../../testdata/talk.jsonl", "../../../testdata/journals/mixed.jsonl"} {
		was, dir := interoptest.Run(t, journal), t.TempDir()
		w := NewWriter(dir, "job", "1", was)
		interoptest.Trials(t, journal, was, w.Trial)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		is, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(verdicts(was), verdicts(is)); diff != "" {
			t.Errorf("%s:\n%s", journal, diff)
		}
		if is.Run.Digest != was.Run.Digest || is.Run.Recipe != was.Run.Recipe {
			t.Errorf("the recipe was %s %s, and is %s %s", was.Run.Recipe, was.Run.Digest, is.Run.Recipe, is.Run.Digest)
		}
	}
}

func read(dir string) (*report.Report, error) {
	b := report.New()
	err := Read(dir, b.Emit)
	return b.Report(), err
}

// job writes files, NAME and content in turn, and gives their directory.
func dirOf(t testing.TB, files ...string) string {
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOthersJobs(t *testing.T) {
	one := oneline.Of(`{"task_name":"%s","trial_name":"%[1]s__1",
		"agent_info":{"name":"terminus-2","model_info":{"name":"gpt","provider":"openai"}},%s}`)
	dir := dirOf(t, "result.json", `{"id":"j","started_at":"2026-01-01T00:00:00","n_total_trials":6}`,
		"a__1/result.json", fmt.Sprintf(one, "a",
			oneline.Of(`"verifier_result":{"rewards":{"reward":1.0}},
				"verifier_environment_mode":"shared","agent_result":{"n_input_tokens":15,
					"n_cache_tokens":11,"n_output_tokens":9,"cost_usd":null}`)),
		"b__1/result.json", fmt.Sprintf(one, "b", `"verifier_result":{"rewards":{"reward":0.5}}`),
		"c__1/result.json", fmt.Sprintf(one, "c",
			oneline.Of(`"verifier_result":null,"exception_info":{
				"exception_type":"EnvironmentStartError","exception_message":"no docker\nhere"}`)),
		"d__1/result.json", fmt.Sprintf(one, "d",
			`"verifier_result":{"rewards":{"reward":0}},"exception_info":{"exception_type":"AgentTimeoutError"}`),
		"e__1/config.json", `{"task":{"path":"x/e"},"agent":{"name":"terminus-2","model_name":"openai/gpt"}}`,
		"notes/read.me", "x")
	r, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Models[0]
	if m.Name != "terminus-2/openai/gpt" || m.Pass != 1 || m.Fail != 2 || m.Void != 1 || m.Pending != 1 ||
		m.SpentUSD != nil || r.State != report.Unended ||
		m.Causes[trial.CauseSandbox] != 1 || m.Causes[trial.CauseLimit] != 1 {
		t.Errorf("%+v", m)
	}
	all := strings.Join(r.Run.Warnings, "\n")
	for _, want := range []string{"written its own reward: 3", "which count as not fixed: 1",
		"where Harbor counts 0: 1", "does not tell steps"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
}

// Tasks of two datasets that are called the same are two; a trial that is under way is of
// the task that others of it name.
func TestSameNames(t *testing.T) {
	one := oneline.Of(`{"task_name":"%s","trial_name":"%s","source":"%s",
		"config":{"task":{"path":"%s"}},"agent_info":{"name":"x"},
		"verifier_result":{"rewards":{"reward":%d}}}`)
	r, err := read(dirOf(t, "result.json", `{"id":"j"}`,
		"a__1/result.json", fmt.Sprintf(one, "fix", "a__1", "tb", "tb/fix", 1),
		"a__2/result.json", fmt.Sprintf(one, "fix", "a__2", "swe", "swe/fix", 0),
		"b__1/result.json", fmt.Sprintf(one, "org/other", "b__1", "tb", "tb/other", 1),
		"b__2/config.json", `{"task":{"path":"tb/other","source":"tb"},"agent":{"name":"x"}}`,
		"c__1/result.json", fmt.Sprintf(one, "loose", "c__1", "", "one/loose", 1),
		"c__2/result.json", fmt.Sprintf(one, "loose", "c__2", "", "two/loose", 1)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, x := range r.Trials {
		got[x.Task]++
	}
	if len(r.Run.Tasks) != 5 {
		t.Errorf("the tasks are %q", r.Run.Tasks)
	}
	want := map[string]int{"tb/fix": 1, "swe/fix": 1, "org/other": 1, "one/loose": 1, "two/loose": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is meant to harm is refused, and no link is followed.
func TestHostileJobs(t *testing.T) {
	good := `{"task_name":"a","trial_name":"a__1","agent_info":{"name":"x"},"verifier_result":{"rewards":{"reward":1}}}`
	secret := dirOf(t, "result.json", good)
	large := dirOf(t, "result.json", "{}", "a/result.json", "")
	if err := os.Truncate(filepath.Join(large, "a/result.json"), 1<<30); err != nil { // a hole: it takes no room
		t.Fatal(err)
	}
	linked := dirOf(t, "result.json", "{}", "a/config.json", "{}")
	link(t, filepath.Join(secret, "result.json"), filepath.Join(linked, "a/result.json"))
	linkedDir := dirOf(t, "result.json", "{}")
	link(t, secret, filepath.Join(linkedDir, "a"))
	for want, dir := range map[string]string{
		"a/result.json has 1024 MiB":       large,
		"a/result.json is no regular file": linked,
		"it holds no trials":               linkedDir,
		"it is one trial":                  secret,
		"cannot unmarshal": dirOf(t, "result.json", "{}", "a/result.json",
			`{"verifier_result":{"rewards":{"reward":"1"}}}`),
		"invalid character 'N'": dirOf(t, "result.json", "{}", "a/result.json",
			`{"verifier_result":{"rewards":{"reward":NaN}}}`),
	} {
		if _, err := read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func link(t *testing.T, to, at string) {
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
