package contract_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"cookoff/internal/contract"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"

	"go.yaml.in/yaml/v3"
)

func opening(t testing.TB) contract.Opening {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return func(ctx context.Context, task recipe.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.Open(ctx, sandbox.Spec{State: st, Profile: p, Path: task.Path})
	}
}

// try loads one repair and tries its only contract.
func try(t *testing.T, open contract.Opening, text string) contract.Outcome {
	t.Helper()
	return tryHow(t, open, text, false)
}

func tryHow(t *testing.T, open contract.Opening, text string, native bool) contract.Outcome {
	t.Helper()
	lib, err := repair.Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, "lib")
	if err != nil {
		t.Fatal(err)
	}
	all, err := contract.Of(lib.Repairs())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d contracts", len(all))
	}
	all[0].Native = native
	bench, err := contract.NewBench(t.Context(), open, all)
	if err != nil {
		t.Fatal(err)
	}
	o, err := all[0].Run(t.Context(), bench)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// adversarial are contracts that a harness which pastes its phases into one
// script is fooled by.
type adversarial struct {
	Name, Setup, Command string
	Before               string `json:"before_check"`
	After                string `json:"after_check"`
	Idempotent           bool
	Desired              string `json:"desired_verdict"`
	Protect              []string
}

func (c adversarial) yaml(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"id": "r", "probe": "p", "fixes": []any{map[string]any{
		"id": "a", "class": "safe", "command": c.Command, "test": map[string]any{
			"setup": c.Setup, "before": map[string]any{"check": c.Before},
			"after":   map[string]any{"check": c.After, "idempotent": c.Idempotent},
			"protect": append([]string{}, c.Protect...)},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAdversarialContracts: each phase is a process of its own, so that what
// the phases do to a shell fools nobody.
func TestAdversarialContracts(t *testing.T) {
	open := opening(t)
	check := func(want string, c adversarial) {
		t.Helper()
		if o := try(t, open, c.yaml(t)); o.Verdict() != want || (o.Cause == "") != (want == "pass") {
			t.Errorf("%s: %s (%s; %s), want %s", c.Command, o.Verdict(), o.Detail, o.Cause, want)
		}
	}
	touch := adversarial{Setup: "echo keep > keep", Before: "! test -f f", Command: "touch f", After: "test -f f"}
	with := func(edit func(*adversarial)) adversarial {
		c := touch
		edit(&c)
		return c
	}
	check("pass", touch)
	check("fail:setup", with(func(c *adversarial) { c.Setup = "(exit 2)" }))
	check("fail:precondition", with(func(c *adversarial) { c.Setup = "touch f" }))
	check("fail:precondition", with(func(c *adversarial) { c.Setup, c.Before = "touch f", "test ! -f f || true" }))
	check("fail:fix", with(func(c *adversarial) { c.Command = "false && touch f" }))
	check("fail:fix", with(func(c *adversarial) { c.Before, c.Command, c.After = "exit 0", "false", "false" }))
	check("fail:after", with(func(c *adversarial) {
		c.Command = "FOO=1; true"
		c.Before, c.After = `test -z "$FOO"`, `test "$FOO" = 1`
	}))
	check("fail:after", with(func(c *adversarial) { c.Command, c.Before, c.After = "true \\", "true", "false" }))
	check("fail:after", with(func(c *adversarial) { c.Command, c.After = "echo x >> f", `test "$(wc -l < f)" -eq 2` }))
	check("fail:idempotence", with(func(c *adversarial) { c.Command = "echo x >> f" }))
	check("fail:collateral",
		with(func(c *adversarial) { c.Command, c.Protect = "rm -f keep; touch f", []string{"keep"} }))
}

// TestOriginalHarnessCases: the cases that the original's harness was observed
// with end as they should have, but for what is named here.
func TestOriginalHarnessCases(t *testing.T) {
	dir := os.Getenv("COOKOFF_FACTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "facts")
	}
	f, err := os.Open(filepath.Join(dir, "envdoctor-harness-cases.jsonl"))
	if err != nil {
		t.Skipf("the facts of the original system are not here: %v", err)
	}
	defer f.Close()
	open := opening(t)
	words := map[string]string{"error:setup": "fail:setup", "fail": "fail:fix",
		"fail (state not persistent)": "fail:after"}
	named := map[string]string{
		"fix fails on left of && (set -e blind)": "fail:precondition", // its after is true: told before the fix is run
		"setup contains exit 0 -> nothing runs":  "fail:precondition", // exit ends setup alone
	}
	// the case itself says nowhere that keep is to stay
	protects := map[string]string{"collateral damage unnoticed": "keep"}
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); cases++ {
		var c adversarial
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		want := c.Desired
		if w, ok := words[want]; ok {
			want = w
		}
		if w, ok := named[c.Name]; ok {
			want = w
		}
		if p, ok := protects[c.Name]; ok {
			c.Protect = []string{p}
		}
		if o := try(t, open, c.yaml(t)); o.Verdict() != want {
			t.Errorf("%s: %s (%s), want %s", c.Name, o.Verdict(), o.Detail, want)
		}
	}
	if cases < 10 {
		t.Errorf("only %d cases", cases)
	}
}

// TestSkips: what can't be tried here is skipped for a reason with a name.
func TestSkips(t *testing.T) {
	open := opening(t)
	native := false
	check := func(want, fix string) {
		t.Helper()
		o := tryHow(t, open, "id: r\nprobe: p\nfixes:\n- {id: a, "+fix+"}\n", native)
		if o.Verdict() != want {
			t.Errorf("%s: %s (%s), want %s", fix, o.Verdict(), o.Detail, want)
		}
		if ran := o.Status != contract.Skip; native && ran != (o.Native == "x:1") {
			t.Errorf("%s: it says that it ran without image %q", fix, o.Native)
		}
	}
	const test = "before: {check: '! test -f f'}, after: {check: test -f f}"
	check("skip:no test", "class: safe, command: touch f")
	check("skip:privileged", "class: privileged, command: sudo touch f, test: {"+test+"}")
	check("skip:needs image x:1, no container backend", "class: safe, command: touch f, test: {image: 'x:1', "+test+"}")
	native = true
	check("pass", "class: safe, command: touch f, test: {image: 'x:1', "+test+"}")
	check("fail:fix", "class: safe, command: 'false', test: {image: 'x:1', "+test+"}")
	check("skip:privileged", "class: privileged, command: sudo touch f, test: {image: 'x:1', "+test+"}")
	native = false
	check("skip:needs nosuch, which is not here",
		"class: safe, command: touch f, when: {has_tool: nosuch}, test: {"+test+"}")
	check("skip:needs os darwin, and this is linux",
		"class: safe, command: touch f, when: {os: darwin}, test: {"+test+"}")
	check("pass",
		"class: safe, command: mk f, when: {has_tool: mk}, test: {path: [bin], setup: 'mkdir bin; printf "+
			"\"#!/bin/sh\\ntouch \\$1\\n\" > bin/mk; chmod 755 bin/mk', "+test+"}")
	check("pass", "class: safe, command: 'touch f # python3 has no say here', test: {"+test+"}")
	check("fail:shortcut wrong",
		"class: safe, command: echo good > f, test: {shortcuts: [{id: wrong, command: touch f, why: empty}], "+test+"}")
}
