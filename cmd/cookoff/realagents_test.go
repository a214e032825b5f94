package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/trial"
)

// TestRealAgents: real agents mend built-in tasks, by a model that follows a script,
// through the gateway alone; .ci/agents installs them.
func TestRealAgents(t *testing.T) {
	names, data := os.Getenv("COOKOFF_AGENTS"), os.Getenv("COOKOFF_AGENTS_DATA")
	if names == "" {
		t.Skip("COOKOFF_AGENTS names none: .ci/agents installs some")
	}
	server := openaitest.NewFunc(mends)
	defer server.Close()
	exe, err := exec.LookPath("cookoff")
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for name := range strings.SplitSeq(names, ",") {
		models = append(models, name+": openai/scripted")
	}
	dir := t.TempDir()
	args := []string{"run", "builtin:default", "--models", strings.Join(models, ","), "--parallel", "2", "--retries", "0",
		"--no-preflight", "-v", "--task", realTasks}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+data, "OPENAI_BASE_URL="+server.URL,
		"OPENAI_API_KEY=sk-real-agents-0123456789")
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
	if strings.Contains(string(text), "sk-real-agents") {
		t.Error("a key is in the record")
	}
	mended := 0
	for line := range strings.Lines(string(text)) {
		var e trial.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if o := e.Outcome; o != nil {
			if o.Status != trial.Pass || o.Steps < 2 || !o.Usage.Known || o.SideEffects != nil {
				t.Errorf("%s: %+v", e.Trial, o)
			}
			mended++
		}
		if r := e.Request; r != nil && r.Outcome != trial.RequestOK &&
			r.Outcome != trial.RequestLeft { // agents give up requests, at their end or midway
			t.Errorf("%s: request %+v", e.Trial, e.Request)
		}
	}
	if mended != len(models)*twoTasks {
		t.Errorf("%d of %d trials in %s", mended, len(models)*twoTasks, filepath.Base(path))
	}
}

// realTasks are the built-in tasks that real agents mend, twoTasks of them, and
// realMend mends each.
const (
	realTasks = "The [sa]*"
	twoTasks  = 2
	realMend  = `if [ -f conf/svc.conf ]; then sed -i 's/\r$//' conf/svc.conf; else unlink run/app.pid; fi`
)

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
		for _, m := range r.Messages {
			if m.Role == "tool" {
				return openaitest.Text("It is mended.")
			}
		}
		args := map[string]any{"command": realMend, "description": "mend it"}
		switch name {
		case "exec_command":
			args = map[string]any{"cmd": realMend}
		case "run_shell_command":
			args["is_background"] = false
		}
		b, _ := json.Marshal(args)
		return openaitest.Calls(model.Call{ID: fmt.Sprintf("call_%d", n), Name: name, Arguments: string(b)})
	}
	return openaitest.Text("A title")
}
