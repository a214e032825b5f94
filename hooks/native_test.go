//go:build linux

package hooks

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// A hook is a command in the trial's own world: it reads the event there,
// sees what the trial sees, and nothing of the host.
func TestCommandInSandbox(t *testing.T) {
	b := native.New(native.Options{Dir: t.TempDir()})
	sb, err := b.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		if cerr := b.Check(t.Context()); cerr != nil {
			t.Skipf("no sandbox on this machine: %v", cerr)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	if err := sb.FS().Write(t.Context(), "forbidden", []byte(`rm -rf`)); err != nil {
		t.Fatal(err)
	}
	const command = `if grep -qF "$(cat forbidden)"; then echo "not this" >&2; exit 2; fi
echo "{\"context\":\"in $PWD\"}"`
	ask := func(c CommandConfig, args string) (Decision, error) {
		return NewCommand(c).Decide(t.Context(), Event{Point: PreToolUse, Tool: "bash", Args: json.RawMessage(args),
			Sandbox: sb})
	}
	if d, err := ask(CommandConfig{Command: command}, `{"command":"rm -rf ."}`); err != nil || d.Allow ||
		d.Reason != "not this" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := ask(CommandConfig{Command: command}, `{"command":"ls"}`); err != nil || !d.Allow ||
		d.Context != "in /work" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := ask(CommandConfig{Command: "sleep 60", Timeout: 200 * time.Millisecond}, `{}`); err == nil ||
		d.Allow ||
		!strings.Contains(err.Error(), "timeout") {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := ask(CommandConfig{Command: "no-such-program"}, `{}`); err == nil || d.Allow {
		t.Errorf("%+v, %v", d, err)
	}
}
