// Package machines_test has the tests of runs on machines: sandboxes that are lost, disks that are
// full, networks, servers of tools, and time that stood still.
package machines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
	"cookoff/trial"
)

// fragileBackend opens worlds that a command can end, on a machine that may be
// broken itself.
type fragileBackend struct {
	runnertest.Backend
	machine *atomic.Bool // broken: no world holds
}

func (b fragileBackend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if b.machine.Load() {
		return nil, fmt.Errorf("opening: %w", sandbox.ErrUnavailable)
	}
	sb, err := b.Backend.Open(ctx, spec)
	return fragileWorld{sb, b.machine}, err
}

type fragileWorld struct {
	sandbox.Sandbox
	machine *atomic.Bool
}

func (w fragileWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "the machine breaks") {
		w.machine.Store(true)
	}
	switch {
	case strings.Contains(c.Script, "memory is short"):
		return sandbox.Result{}, fmt.Errorf("%w: %w", sandbox.ErrUnavailable, sandbox.ErrShort)
	case strings.Contains(c.Script, "the guest ends") || w.machine.Load():
		return sandbox.Result{}, sandbox.Unavailable("exec", errors.New("the guest is gone"))
	}
	return w.Sandbox.Exec(ctx, c)
}

// commander is a model that runs one command, and is done.
type commander string

func (c commander) Generate(_ context.Context, req *model.Request) (*model.Reply, error) {
	for _, m := range req.Messages {
		if len(m.Calls) > 0 {
			return &model.Reply{Message: model.Message{Content: "done"}}, nil
		}
	}
	return runnertest.Call("1", "bash", fmt.Sprintf(`{"command":%q}`, string(c))), nil
}

// fragile runs a recipe with two models, three trials each, on that backend, and
// gives how the trials of each ended.
func fragile(t *testing.T, first, second string) (ended map[string]string, err error) {
	t.Helper()
	b := runnertest.New(t, map[string]model.Chat{"test/model": commander(first), "test/other": commander(second)})
	b.Env.Backend, b.Env.Parallel, b.Env.Retries = fragileBackend{machine: &atomic.Bool{}}, 1, 4
	text := strings.Replace(runnertest.Recipe("## Comparison\n- trials: 3\n"), "- test/model",
		"- test/model\n- test/other",
		1)
	err = b.Runner(text).RunAll(t.Context(), "run", b.Log, nil)
	ended, models := map[string]string{}, map[string]string{}
	for _, e := range b.Log.Events {
		switch e.Kind {
		case trial.TrialStarted:
			models[e.Trial] = e.Start.Model
		case trial.TrialFinished:
			ended[models[e.Trial]] += strings.TrimSpace(fmt.Sprintf("%s %s", e.Outcome.Status, e.Outcome.Cause)) + ", "
			if e.Outcome.Cause == trial.CauseBrokeSandbox && !strings.Contains(e.Outcome.Detail,
				"after 1 tool calls, and an empty one on this machine holds: exec: the guest is gone") {
				t.Errorf("the detail says %q", e.Outcome.Detail)
			}
		}
	}
	return ended, err
}

// TestLost: who takes its own sandbox down fails, and its rivals are judged; who
// loses it to the machine does not, and three of those end the run.
func TestLost(t *testing.T) {
	check := func(name, first, second, wantFirst, wantSecond, wantErr string) {
		t.Helper()
		ended, err := fragile(t, first, second)
		if ended["test/model"] != wantFirst || ended["test/other"] != wantSecond {
			t.Errorf("%s: the trials ended %q", name, ended)
		}
		if (err != nil) != (wantErr != "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: the run ended with %v", name, err)
		}
	}
	const broke, short, machine = "fail broke_sandbox, ", "void sandbox, ", "void sandbox, "
	check("a contestant", "the guest ends", "touch done", strings.Repeat(broke, 3), strings.Repeat("pass, ", 3), "")
	check("both", "the guest ends", "the guest ends", strings.Repeat(broke, 3), strings.Repeat(broke, 3), "")
	check("memory", "memory is short", "touch done", strings.Repeat(short, 15), strings.Repeat("pass, ", 3), "")
	check("the machine", "touch done", "the machine breaks", "pass, "+strings.Repeat(machine, 5),
		strings.Repeat(machine, 6), "3 trials in a row lost their sandbox")
}
