package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/contestant/acp"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/trial"
)

// benchSteps are the commands that both contestants are asked to run.
var benchSteps = []string{"ls", "cat greeting", "true", "echo hello > greeting"}

// BenchmarkAgentTrial is how much longer a trial of an agent takes than one of a model in
// our own loop that is asked for the same commands, without what the agent takes by itself:
// its start, and what it does between a reply and the next request. That is measured
// without a trial. It is to be 1.3 at most, on a machine that does nothing else; medians of
// trials in turn.
func BenchmarkAgentTrial(b *testing.B) {
	server := openaitest.NewFunc(benchReply)
	defer server.Close()
	config := fmt.Sprintf("[providers.own]\nbase_url = %q\napi_key_env = \"REAL_KEY\"\n%s", server.URL, realAgent(b))
	const trials, agent = 20, "fake: own/scripted"
	took := map[string][]time.Duration{}
	for b.Loop() {
		benchTrials(b, config, []string{"own/scripted", agent}, trials, took)
		for range trials {
			took["alone"] = append(took["alone"], benchAlone(b, server.URL)-benchWork(b, server.URL))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2].Microseconds()) / 1e3
	}
	b.ReportMetric(median("own/scripted"), "ms/model-trial")
	b.ReportMetric(median(agent), "ms/agent-trial")
	b.ReportMetric(median("alone"), "ms/agent-alone")
	b.ReportMetric((median(agent)-median("alone"))/median("own/scripted"), "ratio")
	b.ReportMetric(0, "ns/op")
}

// benchReply asks for the next command, by how many results there are.
func benchReply(_ int, r *openaitest.Request) openaitest.Step {
	done := 0
	for _, m := range r.Messages {
		if m.Role == "tool" {
			done++
		}
	}
	if done == len(benchSteps) {
		return openaitest.Text("It is mended.")
	}
	args, _ := json.Marshal(map[string]string{"command": benchSteps[done]})
	return openaitest.Calls(model.Call{ID: fmt.Sprintf("call_%d", done), Name: "bash", Arguments: string(args)})
}

// benchTrials runs n trials of each, in turn, and adds how long each took.
func benchTrials(b *testing.B, config string, names []string, n int, took map[string][]time.Duration) {
	b.Helper()
	dir, home := b.TempDir(), b.TempDir()
	text, err := os.ReadFile("../../testdata/script/recipes/tiny.recipe.md")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "recipe.md"), text, 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "cookoff.toml"), []byte(config), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("cookoff", "run", "--config", filepath.Join(home, "cookoff.toml"), "--models",
		strings.Join(names, ","), "--trials", fmt.Sprint(n), "--parallel", "1", "--no-preflight", "-q")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=",
		"REAL_KEY="+realKey)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if passed := benchTook(b, dir, took); passed != n*len(names) {
		b.Fatalf("%d of %d trials were mended", passed, n*len(names))
	}
}

// benchTook adds how long the trials of a run took that were mended, by contestant, and
// gives how many they are.
func benchTook(b *testing.B, dir string, took map[string][]time.Duration) (passed int) {
	b.Helper()
	path, err := trial.FindRun(dir, "")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	began, of := map[string]time.Time{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		var e trial.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			b.Fatal(err)
		}
		switch {
		case e.Start != nil:
			began[e.Trial], of[e.Trial] = e.At, e.Start.Model
		case e.Outcome != nil && e.Outcome.Status == trial.Pass:
			passed++
			took[of[e.Trial]] = append(took[of[e.Trial]], e.At.Sub(began[e.Trial]))
		}
	}
	return passed
}

// benchAlone is how long the agent takes without a trial, from its start to its end.
func benchAlone(b *testing.B, url string) time.Duration {
	b.Helper()
	began := time.Now()
	cmd := exec.Command("fake-agent", "normal")
	cmd.Dir = b.TempDir()
	cmd.Env = append(os.Environ(), "FAKE_BASE_URL="+url, "FAKE_MODEL=scripted", "FAKE_TOKEN="+realKey)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	c := acp.New(acp.Options{Out: out, In: in})
	if err := benchTalk(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	in.Close()
	<-c.Done()
	c.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func benchTalk(ctx context.Context, c *acp.Client) error {
	if _, err := c.Initialize(ctx); err != nil {
		return err
	}
	s, err := c.NewSession(ctx, "/work", nil)
	if err == nil {
		_, err = c.Prompt(ctx, s.ID, "Make the file say hello.")
	}
	return err
}

// benchWork is how long the same requests and commands take by themselves.
func benchWork(b *testing.B, url string) time.Duration {
	b.Helper()
	dir, began := b.TempDir(), time.Now()
	msgs := []map[string]any{{"role": "user", "content": "Make the file say hello."}}
	for n := range len(benchSteps) + 1 {
		body, _ := json.Marshal(map[string]any{"model": "scripted", "messages": msgs})
		resp, err := http.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
		if n == len(benchSteps) {
			break
		}
		cmd := exec.Command("bash", "-c", benchSteps[n])
		cmd.Dir = dir
		_ = cmd.Run() // there is no greeting at first
		msgs = append(msgs, map[string]any{"role": "tool", "tool_call_id": fmt.Sprintf("call_%d", n),
			"content": "done"})
	}
	return time.Since(began)
}
