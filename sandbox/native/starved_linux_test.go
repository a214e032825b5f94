package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/sandboxtest"
)

// TestGuestStarved: the kernel ends the guest of a world for want of memory that another
// program has taken. That is the machine's doing, in words that say so, and its world ends.
func TestGuestStarved(t *testing.T) {
	group := sandboxtest.NewMemoryGroup(t, 300<<20)
	sb, err := New(Options{Dir: passable(t)}).Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	defer sb.Close()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "(setsid sleep 1000 >/dev/null 2>&1 &); echo ready"})
	if err != nil || string(r.Stdout) != "ready\n" {
		t.Fatalf("%q, %v", r.Stdout, err)
	}
	process := sb.(*world).run.process()
	group.Take(t, process.First)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", process.First), []byte("1000"), 0); err != nil {
		t.Fatal(err) // who takes the memory is to be ended after it
	}
	greedy := exec.CommandContext(t.Context(), "sh", "-c", group.Shell("exec tail /dev/zero"))
	if err := greedy.Run(); err == nil {
		t.Error("a program had more memory than there is")
	}
	if n := group.Ended(t); n < 2 {
		t.Fatalf("the kernel ended %d processes, want the guest and who took the memory", n)
	}
	_, err = sb.Exec(t.Context(), sandbox.Cmd{Script: "true"})
	if !errors.Is(err, sandbox.ErrUnavailable) || !errors.Is(err, sandbox.ErrShort) ||
		!strings.Contains(err.Error(), "this machine ran out of memory") {
		t.Errorf("the next command ended with %v, want that this machine ran out of memory", err)
	}
	if _, err := sb.Seal(t.Context()); err == nil {
		t.Error("what the guest left is judged")
	}
}
