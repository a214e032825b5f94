package conversation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// hooked is the stub backend in whose worlds hook commands are words: "deny
// WHY", "deny-once WHY", "break", or what the hook prints.
type hooked struct {
	runnertest.Backend
	asked []map[string]any // the events, as the commands read them
	once  bool
}

func (h *hooked) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	stub, err := h.Backend.Open(ctx, spec)
	return &hookedWorld{stub.(*runnertest.World), h}, err
}

type hookedWorld struct {
	*runnertest.World
	h *hooked
}

func (w *hookedWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if !bytes.HasPrefix(c.Stdin, []byte("{")) { // no event
		return w.World.Exec(ctx, c)
	}
	var e map[string]any
	if err := json.Unmarshal(c.Stdin, &e); err != nil {
		return sandbox.Result{}, err
	}
	w.h.asked = append(w.h.asked, e)
	verb, why, _ := strings.Cut(c.Script, " ")
	switch {
	case verb == "deny", verb == "deny-once" && !w.h.once:
		w.h.once = true
		return sandbox.Result{Exit: 2, Stderr: []byte(why)}, nil
	case verb == "deny-once":
		return sandbox.Result{}, nil
	case verb == "break":
		return sandbox.Result{Exit: 7}, nil
	}
	return sandbox.Result{Stdout: []byte(c.Script)}, nil
}

// withHook runs a recipe with one hook.
func withHook(t *testing.T, event, command, sections string, steps ...any) (*runnertest.Bench, *hooked,
	*runnertest.Chat, trial.Outcome) {
	t.Helper()
	b, c := runnertest.Quick(t, steps...)
	h := &hooked{}
	b.Env.Backend = h
	out := b.One(runnertest.Recipe("## Hooks\n### h\nevent: " + event + "\ncommand: '" + command + "'\ninject_output: " +
		fmt.Sprint(event != "session_end") + "\n\n" + sections))
	return b, h, c, out
}

// decided gives what hooks decided, one line each.
func decided(b *runnertest.Bench) (out []string) {
	for _, e := range b.Log.Events {
		if e.Hook != nil {
			out = append(out, strings.TrimSpace(e.Agent+" "+e.Hook.Point+" "+e.Hook.Decision+" "+e.Hook.Reason))
		}
	}
	return out
}

const (
	halts    = `{"decision":"halt","reason":"enough"}`
	adds     = `{"context":"mind the gap"}`
	scout    = "## Sub-Agent\nmax_depth: 1\n\n## Sub-Agent Modes\n### scout\nYou look.\n\n"
	compacts = budget10k + "## Context\nstrategy: auto_compact\n\n"
)

func touchDone() *model.Reply { return runnertest.Call("1", "bash", `{"command":"touch done"}`) }

// TestEveryHookPointHalts: whatever a model is about to do, a hook can end it,
// and the final state is judged.
func TestEveryHookPointHalts(t *testing.T) {
	steps := map[string][]any{
		"session_start": {runnertest.Say("never")}, "pre_prompt": {runnertest.Say("never")},
		"post_response": {touchDone(), runnertest.Say("never")}, "pre_tool_use": {touchDone(), runnertest.Say("never")},
		"post_tool_use":   {touchDone(), runnertest.Say("never")},
		"context_compact": {used(runnertest.Bash(1, "a"), 9000), runnertest.Say("never")},
		"subagent_start":  {spawn(1, `{"prompt":"Look.","mode":"scout"}`), runnertest.Say("never")},
		"subagent_stop":   {spawn(1, `{"prompt":"Look.","mode":"scout"}`), runnertest.Say("seen"), runnertest.Say("never")},
		"pre_verify":      {touchDone(), runnertest.Say("done")},
	}
	for _, point := range hooks.Points() {
		if point == "session_end" { // there is nothing left to end
			continue
		}
		t.Run(point, func(t *testing.T) {
			b, _, c, out := withHook(t, point, halts, scout+compacts, steps[point]...)
			if out.Stop != trial.StopHalted || out.Detail != "enough" && !strings.HasPrefix(out.Detail, "enough; ") ||
				len(out.Verdicts) == 0 {
				t.Errorf("%s, stop %s, %q", out.Status, out.Stop, out.Detail)
			}
			if len(c.Seen) != len(steps[point])-1 && point != "pre_verify" {
				t.Errorf("%d requests", len(c.Seen))
			}
			if want := point + " halt enough"; !strings.HasSuffix(strings.Join(decided(b), ""), want) {
				t.Errorf("%q, want %q", decided(b), want)
			}
			if wantPass := point == "post_tool_use" || point == "pre_verify"; (out.Status == trial.Pass) != wantPass {
				t.Errorf("status %s", out.Status)
			}
		})
	}
}

// TestEveryHookPointFailsClosed: a hook that breaks voids the trial, and the
// journal says which.
func TestEveryHookPointFailsClosed(t *testing.T) {
	for _, point := range hooks.Points() {
		t.Run(point, func(t *testing.T) {
			b, _, _, out := withHook(t, point, "break", scout+compacts,
				used(spawn(1, `{"prompt":"Look.","mode":"scout"}`), 9000), runnertest.Say("seen"), runnertest.Say("a summary"),
				runnertest.Say("done"))
			if out.Status != trial.Void || out.Cause != trial.CauseHook || !strings.Contains(out.Detail,
				`hook "h": exit status 7`) {
				t.Errorf("%s %s %q", out.Status, out.Cause, out.Detail)
			}
			if d := cmp.Diff([]string{point + " error exit status 7: 0 allows, 2 denies"},
				trimAgents(decided(b))); d != "" {
				t.Error(d)
			}
		})
	}
}

func trimAgents(lines []string) []string {
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "1 ")
	}
	return lines
}

// TestEveryHookPointAdds: context reaches a model where one still reads.
func TestEveryHookPointAdds(t *testing.T) {
	steps := []any{used(spawn(1, `{"prompt":"Look.","mode":"scout"}`), 1000), used(runnertest.Bash(2, "look"), 1000),
		runnertest.Say("seen"),
		used(runnertest.Bash(3, "x"), 9000), runnertest.Say("a summary"), touchDone(), runnertest.Say("done")}
	reads := map[string]int{ // the first request that has it
		"session_start": 0, "pre_prompt": 0, "subagent_start": 1, "post_response": 2, "pre_tool_use": 2,
		"post_tool_use": 2, "context_compact": 4,
	}
	for point, first := range reads {
		t.Run(point, func(t *testing.T) {
			_, _, c, out := withHook(t, point, adds, scout+compacts, steps...)
			at := slices.IndexFunc(c.Seen,
				func(r model.Request) bool { return strings.Contains(runnertest.Told(r), "mind the gap") })
			if at != first || out.Status != trial.Pass {
				t.Errorf("request %d has it first, want %d; %s", at, first, out.Status)
			}
		})
	}
}

func TestDenials(t *testing.T) {
	check := func(name, point, sections string, steps []any, want func(c *runnertest.Chat, out trial.Outcome) error) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b, _, c, out := withHook(t, point, "deny-once not so", sections, steps...)
			if err := want(c, out); err != nil {
				t.Errorf("%v\n%+v", err, out)
			}
			if out.Counters.Denied != 1 || !slices.Contains(trimAgents(decided(b)), point+" deny not so") {
				t.Errorf("%d denied: %q", out.Counters.Denied, decided(b))
			}
		})
	}
	ends := func(stop trial.Stop, status trial.Status, requests int) func(c *runnertest.Chat, out trial.Outcome) error {
		return func(c *runnertest.Chat, out trial.Outcome) error {
			if out.Stop != stop || out.Status != status || len(c.Seen) != requests {
				return fmt.Errorf("stop %s, %s, %d requests; want stop %s, %s, %d", out.Stop, out.Status,
					len(c.Seen), stop, status, requests)
			}
			return nil
		}
	}
	reads := func(request int, text string) func(c *runnertest.Chat, out trial.Outcome) error {
		return func(c *runnertest.Chat, out trial.Outcome) error {
			if got := runnertest.Told(c.Seen[request]); !strings.Contains(got, text) || out.Stop != trial.StopDone {
				return fmt.Errorf("request %d lacks %q:\n%s", request, text, got)
			}
			return nil
		}
	}
	check("session_start", "session_start", "", []any{runnertest.Say("never")}, ends(trial.StopHalted, trial.Fail, 0))
	check("pre_prompt", "pre_prompt", "", []any{runnertest.Say("never")}, ends(trial.StopHalted, trial.Fail, 0))
	check("calls of a reply", "post_response", "", []any{touchDone(), touchDone(), runnertest.Say("done")},
		func(c *runnertest.Chat, out trial.Outcome) error {
			return errors.Join(reads(1, `tool "denied by a hook: not so"`)(c, out),
				ends(trial.StopDone, trial.Pass, 3)(c, out))
		})
	check("an answer", "post_response", "", []any{runnertest.Say("done"), touchDone(), runnertest.Say("done")},
		func(c *runnertest.Chat, out trial.Outcome) error {
			return errors.Join(reads(1, `user "A hook sends you back to work: not so"`)(c, out),
				ends(trial.StopDone, trial.Pass, 3)(c, out))
		})
	check("a call", "pre_tool_use", "", []any{touchDone(), runnertest.Say("done")}, reads(1,
		`tool "denied by a hook: not so"`))
	check("a result", "post_tool_use", "", []any{touchDone(), runnertest.Say("done")}, reads(1, `not so`))
	check("a compaction at the threshold", "context_compact", compacts,
		[]any{used(runnertest.Bash(1, "a"), 9000), used(touchDone(), 100), runnertest.Say("done")},
		ends(trial.StopDone, trial.Pass, 3))
	check("a compaction in need", "context_compact", compacts,
		[]any{runnertest.Bash(1, "a"), &model.ContextError{Err: errors.New("too long")}},
		ends(trial.StopContextFull, trial.Fail, 2))
	check("a sub-agent", "subagent_start", scout, []any{spawn(1, `{"prompt":"Look.","mode":"scout"}`),
		runnertest.Say("then not")},
		reads(1, `tool "denied by a hook: not so"`))
	check("a sub-agent's answer", "subagent_stop", scout,
		[]any{spawn(1, `{"prompt":"Look.","mode":"scout"}`), runnertest.Say("seen"),
			runnertest.Say("seen it all"), runnertest.Say("done")}, func(c *runnertest.Chat, out trial.Outcome) error {
			return errors.Join(reads(2, "A hook sends you back to work: not so")(c, out),
				reads(3, `tool "seen it all"`)(c, out))
		})
	check("the end", "pre_verify", "", []any{runnertest.Say("done"), touchDone(), runnertest.Say("really")},
		func(c *runnertest.Chat, out trial.Outcome) error {
			return errors.Join(reads(1, "A hook sends you back to work: not so")(c, out),
				ends(trial.StopDone, trial.Pass, 3)(c, out))
		})
	check("the end after a limit", "pre_verify", "## Constraints\nmax_steps: 1\n\n", []any{runnertest.Bash(1, "a"),
		runnertest.Say("never")},
		ends(trial.StopMaxSteps, trial.Fail, 1))
	check("session_end", "session_end", "", []any{touchDone(), runnertest.Say("done")}, ends(trial.StopDone, trial.Pass,
		2))
}

// TestAHookCanNotSendAModelBackForEver: nor can a model that only talks wear a
// hook down.
func TestAHookCanNotSendAModelBackForEver(t *testing.T) {
	_, _, c, out := withHook(t, "post_response", "deny no", "", runnertest.Bash(1, "a"))
	if out.Stop != trial.StopHalted || len(c.Seen) != v1.MaxSentBack || !strings.Contains(out.Detail,
		"8 replies in a row were sent back, the last one: no") {
		t.Errorf("stop %s after %d requests: %s", out.Stop, len(c.Seen), out.Detail)
	}
	b, _, c, out := withHook(t, "pre_verify", "deny no", "", runnertest.Say("done"))
	if out.Stop != trial.StopDone || len(c.Seen) != v1.MaxSentBack || len(b.Notes("limit")) != 1 {
		t.Errorf("stop %s after %d requests: %s", out.Stop, len(c.Seen), out.Detail)
	}
}

// TestWhatHooksAreTold is what the loop puts into an event.
func TestWhatHooksAreTold(t *testing.T) {
	check := func(point, sections string, steps []any, n int, key string, want any) {
		t.Helper()
		_, h, _, _ := withHook(t, point, "x", sections, steps...)
		if len(h.asked) <= n {
			t.Errorf("%s: asked %d times", point, len(h.asked))
		} else if d := cmp.Diff(want, h.asked[n][key]); d != "" {
			t.Errorf("%s: %s: %s", point, key, d)
		}
	}
	steps := []any{used(spawn(1, `{"prompt":"Look.","mode":"scout"}`), 1000), runnertest.Say("seen"),
		used(touchDone(), 9000),
		runnertest.Say("a summary"), runnertest.Say("all done")}
	all := scout + compacts
	check("session_start", all, steps, 0, "source", "startup")
	check("pre_prompt", all, steps, 0, "prompt", "Make a file called done.")
	check("post_response", all, steps, 1, "said", "seen")
	check("post_response", all, steps, 1, "agent_id", "1")
	check("post_response", all, steps, 2, "calls",
		[]any{map[string]any{"name": "bash", "args": map[string]any{"command": "touch done"}}})
	check("pre_tool_use", all, steps, 1, "tool_input", map[string]any{"command": "touch done"})
	check("post_tool_use", all, steps, 0, "tool_response", "seen")
	check("context_compact", all, steps, 0, "trigger", "auto")
	check("subagent_start", all, steps, 0, "mode", "scout")
	check("subagent_start", all, steps, 0, "prompt", "Look.")
	check("subagent_stop", all, steps, 0, "last_assistant_message", "seen")
	check("pre_verify", all, steps, 0, "last_assistant_message", "all done")
	check("pre_verify", all, steps, 0, "stop_hook_active", false)
	check("session_end", all, steps, 0, "reason", "done")
}

func TestMatchersSelect(t *testing.T) {
	check := func(point, matcher string, want int) {
		t.Helper()
		_, h, _, _ := withHook(t, point+"\nmatcher: "+matcher, "x", scout+compacts,
			used(spawn(1, `{"prompt":"Look.","mode":"scout"}`), 1000), runnertest.Say("seen"), used(touchDone(), 9000),
			runnertest.Say("a summary"), runnertest.Say("all done"))
		if len(h.asked) != want {
			t.Errorf("%s, matcher %q: asked %d times, want %d", point, matcher, len(h.asked), want)
		}
	}
	check("pre_tool_use", "bash|write_file", 1)
	check("pre_tool_use", "*", 2)
	check("context_compact", "auto", 1)
	check("context_compact", "manual", 0)
	check("subagent_stop", "sc*", 1)
}

func TestHooksThatCouldNeverBeAsked(t *testing.T) {
	check := func(hook, sections, want string) {
		t.Helper()
		b, _ := runnertest.Quick(t)
		rec, err := recipe.ParseContent([]byte(runnertest.Recipe("## Hooks\n### h\ncommand: x\n" + hook + "\n\n" + sections)))
		if err != nil {
			t.Fatal(err)
		}
		if got := runner.Check(rec, b.Env).Error(); want == "" && strings.Contains(got, "hook") ||
			!strings.Contains(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", hook, got, want)
		}
	}
	check("event: pre_tool_use\nmatcher: bsah", "",
		"recipe.md:11:10: hook \"h\" is never asked: \"bsah\" matches no tool; there are: apply_patch, bash")
	check("event: pre_tool_use\nmatcher: bsah", "", "did you mean bash?")
	check("event: pre_tool_use\nmatcher: Edit|Write", "", `"Edit|Write" matches no tool`)
	check("event: pre_tool_use\nmatcher: spawn_agent", "", "matches no tool")
	check("event: pre_tool_use\nmatcher: spawn_agent", scout, "")
	check("event: pre_tool_use\nmatcher: files.read", "", "matches no tool")
	check("event: pre_tool_use\nmatcher: files.read", "## MCP Servers\n- files: serve\n\n", "")
	check("event: session_start\nmatcher: bash", "",
		`recipe.md:11:10: hook "h": session_start has nothing for a matcher`)
	check("event: session_start\nmatcher: '*'", "", "")
	check("event: context_compact\nmatcher: full", "", "matches no trigger; there are: auto, manual")
	check("event: subagent_start\nmatcher: scout", "", "matches no mode; there are: none")
	check("event: session_end\ninject_output: true", "", "no model reads what is said at session_end")
}

// TestACompactionByHandIsAskedAboutToo: and can be denied.
func TestACompactionByHandIsAskedAboutToo(t *testing.T) {
	for command, want := range map[string]int{"x": 1, "deny no": 0} {
		b, c := runnertest.Quick(t, used(runnertest.Bash(1, "a"), 100), runnertest.Say("a summary"), runnertest.Say("done"))
		if want == 0 {
			c.Steps = []any{used(runnertest.Bash(1, "a"), 100), runnertest.Say("done")}
		}
		h := &hooked{}
		var r *runner.Runner
		b.Env.Backend, b.Env.Front = h, &runner.Front{}
		b.Env.Chat = func(string) (model.Chat, error) {
			return &asks{c, func(n int) {
				if n == 1 {
					if err := r.Compact("t001"); err != nil {
						t.Error(err)
					}
				}
			}}, nil
		}
		r = b.Runner(runnertest.Recipe("## Hooks\n### h\nevent: context_compact\nmatcher: manual\ncommand: " +
			command + "\n\n" +
			byHand))
		out, err := r.Run(t.Context(), r.Plan()[0], b.Log)
		if err != nil || out.Counters.Compactions != want || out.Stop != trial.StopDone {
			t.Errorf("%s: %+v, %v", command, out, err)
		}
		if len(h.asked) != 1 || h.asked[0]["trigger"] != "manual" {
			t.Errorf("%s: asked %v", command, h.asked)
		}
	}
}
