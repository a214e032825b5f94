package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/contestant/agents"
	"cookoff/contestant/gateway/translate"
	"cookoff/internal/cli"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/model/wire"
	"cookoff/trial"
)

// TestRealAgents: real agents mend built-in tasks beside a model in our own loop, by a
// model that follows a script and speaks the dialect of each, through the gateway alone;
// those that speak no chat then by one that speaks nothing else. .ci/agents installs them.
func TestRealAgents(t *testing.T) {
	names := os.Getenv("COOKOFF_AGENTS")
	if names == "" {
		t.Skip("COOKOFF_AGENTS names none: .ci/agents installs some")
	}
	shipped, err := agents.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	own, others, editors := []string{"own/scripted"}, []string(nil), []string(nil)
	for name := range strings.SplitSeq(names, ",") {
		if name == "aider" { // it offers its model no tools, and runs no command unasked
			editors = append(editors, name+": own/scripted")
			continue
		}
		own = append(own, name+": own/scripted")
		if translate.Can(wire.Dialect(shipped[name].Dialect)) {
			others = append(others, name+": chat/scripted")
		}
	}
	realRun(t, own, slices.Sorted(maps.Keys(realMends)))
	if len(others) > 0 {
		realRun(t, others, []string{"git refuses*"})
	}
	if len(editors) > 0 {
		realRun(t, editors, []string{"The service*"})
	}
}

// realProviders are the scripted model, asked in every dialect and by chat alone.
const realProviders = `
[providers.own]
base_url = "URL"
api_key_env = "REAL_KEY"
dialect = ["chat", "responses", "messages", "gemini"]
[providers.chat]
base_url = "URL"
api_key_env = "REAL_KEY"
`

// realKey is what the scripted model is asked with.
const realKey = "sk-real-agents-0123456789"

// realMends are the tasks that real agents mend, by patterns of --task, and what mends each
// where it stands.
var realMends = map[string]string{
	"The app*":     `test ! -e run/app.pid || unlink run/app.pid`,
	"The service*": `test ! -e conf/svc.conf || sed -i 's/\r$//' conf/svc.conf`,
	"git refuses*": `test ! -e .git/index.lock || unlink .git/index.lock`,
}

// realRun lets models mend tasks, and looks into the record of it: all is
// mended, every request that the model got is counted, in the dialect that it came in.
func realRun(t *testing.T, models, tasks []string) {
	t.Helper()
	server := openaitest.NewFunc(mends)
	defer server.Close()
	exe, err := exec.LookPath("cookoff")
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	config := filepath.Join(home, ".config", "cookoff", "cookoff.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(realProviders, "URL", server.URL)), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "builtin:default", "--models", strings.Join(models, ","), "--parallel", "2",
		"--retries", "0", "--no-preflight", "-v"}
	for _, pattern := range tasks {
		args = append(args, "--task", pattern)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME="+os.Getenv("COOKOFF_AGENTS_DATA"),
		"REAL_KEY="+realKey)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	path, err := trial.FindRun(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), realKey) {
		t.Error("a key is in the record")
	}
	told := told{t: t, translated: strings.Contains(models[0], "chat/"), least: 2}
	if strings.HasPrefix(models[0], "aider:") {
		told.least = 1
	}
	for line := range strings.Lines(string(text)) {
		var e trial.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		told.take(e)
	}
	if told.mended != len(models)*len(tasks) {
		t.Errorf("%d of %d trials in %s", told.mended, len(models)*len(tasks), filepath.Base(path))
	}
	asked := server.Requests()
	for _, r := range asked {
		if given := fmt.Sprint(r.Header); !strings.Contains(given, realKey) || strings.Contains(given, "cookoff-") {
			t.Errorf("asked with %s", given)
		}
	}
	if n := len(asked) - told.answered; n < 0 || n > told.left {
		t.Errorf("the model got %d requests; %d are told to be answered, and %d to be left", len(asked),
			told.answered, told.left)
	}
	if err := server.Check(); err != nil {
		t.Error(err)
	}
}

// told is what a record says of a run with agents.
type told struct {
	t              *testing.T
	translated     bool // all requests are to be
	least          int  // steps of a trial
	mended         int
	answered, left int // requests
}

func (d *told) take(e trial.Event) {
	if o := e.Outcome; o != nil {
		if o.Status != trial.Pass || o.Steps < d.least || !o.Usage.Known || o.SideEffects != nil {
			d.t.Errorf("%s: %+v", e.Trial, o)
		}
		d.mended++
	}
	if e.Called != nil && e.Called.Request == 0 { // by our own loop
		d.answered++
	}
	r := e.Request
	if r == nil {
		return
	}
	switch r.Outcome {
	case trial.RequestOK:
		d.answered++
		if r.Usage.Input != 100 || r.Guessed || (r.To != "") != d.translated {
			d.t.Errorf("%s: request %+v", e.Trial, r)
		}
	case trial.RequestLeft: // agents give up requests, at their end or midway
		d.left++
		d.t.Logf("%s: given up: %+v", e.Trial, *r)
	default:
		d.t.Errorf("%s: request %+v", e.Trial, r)
	}
}

// mends answers by the script: the repair, by whatever tool runs commands, and a closing
// sentence.
func mends(n int, r *openaitest.Request) openaitest.Step {
	for _, tool := range r.Tools {
		name := tool.Function.Name
		switch name {
		case "bash", "Bash", "run_shell_command", "exec_command", "shell":
		default:
			continue
		}
		mend := strings.Join(slices.Sorted(maps.Values(realMends)), "; ")
		if slices.ContainsFunc(r.Messages, func(m openaitest.Message) bool { return m.Role == "tool" }) {
			if !strings.Contains(r.Messages[1].Content, submits) {
				return openaitest.Text("It is mended.")
			}
			mend = "echo " + submits
		}
		args := map[string]any{"command": mend}
		var schema struct{ Properties map[string]any }
		_ = json.Unmarshal(tool.Function.Parameters, &schema) // one without is our own
		for key, value := range map[string]any{"description": "mend it", "is_background": false} {
			if schema.Properties[key] != nil {
				args[key] = value
			}
		}
		if name == "exec_command" {
			args = map[string]any{"cmd": mend}
		}
		b, _ := json.Marshal(args)
		return openaitest.Calls(model.Call{ID: fmt.Sprintf("call_%d", n), Name: name, Arguments: string(b)})
	}
	if strings.Contains(r.Messages[0].Content, "*file listing*") {
		return openaitest.Text("It is mended:\n\nconf/svc.conf\n```\n" + mendedConf + "```\n")
	}
	return openaitest.Text("A title")
}

// How mini-swe-agent is told that its model is done, and the file that aider's writes.
const (
	submits    = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
	mendedConf = "# listener\nport=8443\nworkers=6\n# stamped by CI\nbuild=1042\n"
)

// TestRealAgentsOnARealModel: each agent works on a task by a real model, which is too small
// for it. What it makes of that is an outcome like any other, and every request is counted.
func TestRealAgentsOnARealModel(t *testing.T) {
	names := os.Getenv("COOKOFF_AGENTS")
	if names == "" {
		t.Skip("COOKOFF_AGENTS names none: .ci/agents installs some")
	}
	shipped, err := agents.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	url := realModel(t)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", os.Getenv("COOKOFF_AGENTS_DATA"))
	var models []string
	for name := range strings.SplitSeq(names, ",") {
		if d := wire.Dialect(shipped[name].Dialect); d == wire.Chat || translate.Can(d) {
			models = append(models, name+": local/smollm2")
		}
	}
	task := strings.ReplaceAll(realTask, "NAME", "alpha")
	text := strings.NewReplacer("FORMAT", "native", "TASKS", task, "timeout: 10m", "timeout: 1m").Replace(realRecipe)
	config := "[providers.local]\nbase_url = \"" + url + "\"\nconcurrency = 1\n"
	err = errors.Join(os.WriteFile("recipe.md", []byte(text), 0o644),
		os.WriteFile("cookoff.toml", []byte(config), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), strings.NewReader(""), &out, &errs,
		[]string{"run", "--config", "cookoff.toml", "--format", "json",
			"--parallel", "1", "--models", strings.Join(models, ",")})
	if code != cli.ExitOK {
		t.Fatalf("exit code %d\n%s", code, &errs)
	}
	var report struct {
		Trials []struct {
			Model, Status, Cause, Stop, Detail string
			Steps                              int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Trials) != len(models) {
		t.Errorf("%d trials, want %d", len(report.Trials), len(models))
	}
	for _, tr := range report.Trials {
		if t.Logf("%+v", tr); tr.Status == "void" {
			t.Errorf("%s is void: %s", tr.Model, tr.Detail)
		}
	}
}
