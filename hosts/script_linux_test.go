package hosts_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
)

// TestSlowScript: a command that says this and that and never starts a hand, or asks for
// a password, is given up in time, with what it said and what it must not do. It has no
// terminal to ask on.
func TestSlowScript(t *testing.T) {
	const never = "; read -r line; sleep 1000"
	for name, c := range map[string]struct{ script, want string }{
		"silent": {"exec sleep 1000", "no hand answered within "},
		"noise": {"echo 'Last login: today'; echo motd >&2" + never,
			"no hand answered within 2s\nhint: the command must need no password and ask nothing\n" +
				"it said: Last login: today\nmotd"},
		"drips": {"while :; do printf .; sleep 0.1; done",
			"no hand answered within 2s\nhint: the command must need no password and ask nothing\nit said: ."},
		"asks here": {"printf 'Password: '" + never, "it said: Password:"},
		"a terminal": {"printf 'Password: ' > /dev/tty || { echo 'no way to ask for a password' >&2; exit 255; }" +
			never, "no way to ask for a password"},
		"left behind": {"sleep 1000 & echo cannot start the hand >&2; exit 7", "cannot start the hand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hosts.Host{Name: "a", Trees: &hosts.Trees{}, Hello: protocol.Hello{Build: "b"}, Reach: 2 * time.Second,
				Dial: hosts.Command([]string{"sh", "-c", c.script}, os.Environ())}
			began := time.Now()
			err := h.Check(t.Context())
			var lost *sandbox.HostError
			if !errors.Is(err, sandbox.ErrUnavailable) || !errors.As(err, &lost) ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	h := &hosts.Host{Name: "a", Trees: &hosts.Trees{}, Dial: hosts.Command([]string{"sleep", "1000"}, os.Environ())}
	if err := h.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever leaves is told %v", err)
	}
	if _, out := h.Out(); out || h.Processors() != 0 {
		t.Error("whoever leaves has found a fault")
	}
}
