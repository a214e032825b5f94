package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/sandbox/native"
)

// realRecipe is what a very small model is asked: little to read, little to
// say. What it gets wrong must end as an outcome like any other.
const realRecipe = `# Real
version: 1

## Models
- local/smollm2
- baseline/oracle

## System Prompt
You repair things with commands. Be brief.

## Tool Guidance
Call the tool bash to do what is asked.

## Tools
- bash

## Model Parameters
- max_tokens: 40
- temperature: 0
- seed: 1

## Constraints
- max_steps: 3
- timeout: 10m

## Model Profiles
### local/*
- tool_format: FORMAT

## Tasks
TASKS`

const realTask = "### NAME\nRun this command with bash: touch NAME\n\n```sh before\n! test -e NAME\n```\n" +
	"```sh after\ntest -e NAME\n```\n```sh solution\ntouch NAME\n```\n\n"

// realModel starts a real llama.cpp and gives its base URL.
func realModel(t *testing.T) string {
	t.Helper()
	modules, weights := os.Getenv("COOKOFF_NODE_MODULES"), os.Getenv("COOKOFF_GGUF")
	if _, err := os.Stat(filepath.Join(modules, "node-llama-cpp")); modules == "" || err != nil {
		t.Skip("no real model: COOKOFF_NODE_MODULES names no node_modules with node-llama-cpp in it")
	}
	if _, err := os.Stat(weights); weights == "" || err != nil {
		t.Skip("no real model: COOKOFF_GGUF names no file with the weights of a model")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no real model: %v", err)
	}
	server, err := filepath.Abs("../../testdata/llama/server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, server, modules, weights)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the model's server did not start: %v", err)
	}
	return strings.TrimSpace(url)
}

// realAgent is a small agent for cookoff.toml, which asks its model for as little.
func realAgent(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("fake-agent")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fake-agent"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
[agents.fake]
package = %q
program = "fake-agent"
args = ["normal"]
protocol = "acp"
dialect = "chat"
env = { FAKE_BASE_URL = "{gateway}/v1", FAKE_MODEL = "{model}", FAKE_TOKEN = "{token}", FAKE_MAX_TOKENS = "40" }
`, dir)
}

// TestRealModel completes a comparison with a real model: with tools as its server takes
// them, with tools in the prompt, and as the model of an agent.
func TestRealModel(t *testing.T) {
	url := realModel(t)
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("cookoff.toml", "[providers.local]\nbase_url = \""+url+"\"\nconcurrency = 1\n"+realAgent(t))
	task := strings.ReplaceAll(realTask, "NAME", "alpha") // one: its model takes minutes for each
	for name, in := range map[string]struct{ format, model string }{
		"native":         {"native", "local/smollm2"},
		"text_in_prompt": {"text_in_prompt", "local/smollm2"},
		"agent":          {"native", "fake: local/smollm2"}, // it asks the same model, in its own way
	} {
		t.Run(name, func(t *testing.T) {
			write("recipe.md", strings.NewReplacer("FORMAT", in.format, "TASKS", task, "- local/smollm2",
				"- "+in.model).Replace(realRecipe))
			var out, errs bytes.Buffer
			code := run(t.Context(), strings.NewReader(""), io.Writer(&out), &errs,
				[]string{"run", "--config", "cookoff.toml", "--format", "json", "--parallel", "1"})
			if code != cli.ExitOK {
				t.Fatalf("exit code %d\n%s", code, &errs)
			}
			var report struct {
				Trials []struct {
					Model, Task, Status, Cause, Stop string
					Steps                            int
				}
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, tr := range report.Trials {
				if tr.Model != in.model {
					continue
				}
				n++
				t.Logf("%s: %s %s, stop %s, %d steps", tr.Task, tr.Status, tr.Cause, tr.Stop, tr.Steps)
				clean := slices.Contains([]string{"done", "max_steps", "malformed", "loop"}, tr.Stop)
				if tr.Status == "void" || tr.Steps == 0 || !clean {
					t.Errorf("%s ends as %s %s, stop %s, after %d steps", tr.Task, tr.Status, tr.Cause,
						tr.Stop, tr.Steps)
				}
			}
			if n != 1 {
				t.Errorf("%d trials, want 1", n)
			}
		})
	}
}
