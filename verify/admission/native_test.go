package admission

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

func TestNativeAdmit(t *testing.T) {
	c, err := verify.NewCase(&recipe.Recipe{}, verifytest.Link())
	if err != nil {
		t.Fatal(err)
	}
	ex, err := c.Admit(t.Context(), verifytest.Kernel(t),
		[]verify.Shortcut{{ID: "copy", Command: "rm bin/app; cp lib/v2 bin/app", Why: "a copy"}})
	if ex != nil || err != nil {
		t.Errorf("%+v %v", ex, err)
	}
}

func BenchmarkAdmit(b *testing.B) {
	c, err := verify.NewCase(&recipe.Recipe{}, verifytest.Link())
	if err != nil {
		b.Fatal(err)
	}
	open := verifytest.Kernel(b)
	for b.Loop() {
		if ex, err := c.Admit(b.Context(), open, nil); ex != nil || err != nil {
			b.Fatal(ex, err)
		}
	}
}

// turning is a sandbox where a command that asks for its TURN is told how many
// of the referee asked before it.
type turning struct {
	sandbox.Sandbox
	n       *int
	profile sandbox.Profile
}

func (s turning) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "TURN") && s.profile == sandbox.Verify {
		*s.n++
		c.Env = append(c.Env, fmt.Sprintf("TURN=%d", *s.n))
	}
	return s.Sandbox.Exec(ctx, c)
}

// A check that decides by chance keeps its task from being run.
func TestNativeFlaky(t *testing.T) {
	inner := verifytest.Kernel(t)
	check := func(after, want string) {
		t.Helper()
		n := 0
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			sb, err := inner(ctx, st, p)
			return turning{sb, &n, p}, err
		}
		c, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Title: "t", Setup: "echo 41 > value",
			Before: "! grep -qx 42 value", After: verifytest.One(after), Solution: "echo 42 > value"})
		if err != nil {
			t.Fatal(err)
		}
		ex, err := c.Admit(t.Context(), open, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if ex != nil {
			got = ex.Phase + ": " + ex.Why
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", after, got, want)
		}
	}
	check("grep -qx 42 value", "")
	check("grep -qx 42 value || test $((TURN % 2)) = 0", "flaky: ")
	check("grep -qx 42 value && test $((TURN % 2)) = 0", "flaky: ")
}

// TestNativeAdmitReuses: a check of the referee's that leaves its sandbox as it
// found it is followed by the next one there; one that leaves something never is.
// The stranger has one sandbox for all, and another where that may be why a check
// does not hold.
func TestNativeAdmitReuses(t *testing.T) {
	world := verifytest.Kernel(t)
	check := func(opens int, after ...string) {
		t.Helper()
		var n atomic.Int64
		count := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			n.Add(1)
			return world(ctx, st, p)
		}
		task := recipe.Task{Title: "t", Setup: "echo a > a", Solution: "echo b > a",
			Guard: []recipe.Check{{Script: "test -s a"}}}
		for _, script := range after {
			task.After = append(task.After, recipe.Check{Script: script})
		}
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		if ex, err := c.Admit(t.Context(), count, nil); ex != nil || err != nil || int(n.Load()) != opens {
			t.Errorf("%q: %d sandboxes, want %d: %+v %v", after, n.Load(), opens, ex, err)
		}
	}
	const mended = "grep -q b a"
	check(6, mended) // staged and judged, broken and mended; asked again as if later in the world where all ran
	check(6, mended, "test -e a")
	check(12, mended+" && test ! -e /tmp/ran && touch /tmp/ran", "test ! -e /tmp/ran")
	check(6, mended, "test ! -e seen && touch seen") // which is taken away before it is asked again
	check(6, mended, "test ! -e ~/seen && touch ~/seen")
	check(8, mended, `set -- /proc/[0-9]*; test $# -lt 3 && { sleep 100 > /dev/null 2>&1 & }`)
}
