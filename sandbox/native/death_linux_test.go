package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/trees"
)

// hostName is what the test binary is called where it plays a host that is
// killed, in a directory of its own; the next argument is its backend.
const hostName = "sandbox-host"

// hostToBeKilled opens a sandbox, leaves things running in it, and waits.
func hostToBeKilled(dir, name string) {
	b := New(Options{Dir: dir})
	if name == GVisor {
		b = newGVisor(Options{Dir: dir})
	}
	sb, err := b.Open(context.Background(), sandbox.Spec{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = sb.Exec(context.Background(),
		sandbox.Cmd{Script: "(setsid sleep 76543 >/dev/null 2>&1 &); until cat /proc/[0-9]*/comm | grep -qx " +
			"sleep; do :; done"})
	fmt.Println("ready", err)
	_, _ = sb.Exec(context.Background(), sandbox.Cmd{Script: "sleep 76543"})
}

// sleepers counts the processes that a killed host's sandbox may leave.
func sleepers() int {
	n := 0
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.HasPrefix(string(b), "sleep\x0076543\x00") {
			n++
		}
	}
	return n
}

func TestHostKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	t.Cleanup(func() { _ = trees.Remove(base) }) // what it left has modes that need more than RemoveAll
	cmd := exec.Command(self, hostName, base, Native)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready <nil>\n" {
		t.Fatalf("the host said %q, %v", line, err)
	}
	if sleepers() == 0 {
		t.Fatal("nothing runs in the host's sandbox")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); sleepers() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d processes survived the host", sleepers())
		}
	}
}

// TestGuestDies wants a dead guest to be the sandbox's failure, in every call.
func TestGuestDies(t *testing.T) {
	base := t.TempDir()
	b := New(Options{Dir: base})
	sb, err := b.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	w := sb.(*world)
	done := make(chan error)
	go func() {
		_, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "echo here > f; sleep 1000"})
		done <- err
	}()
	for {
		if _, err := sb.FS().Read(t.Context(), "f", 0, 1); err == nil {
			break
		}
	}
	w.run.process().Kill()
	if err := <-done; !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a call in a sandbox that died: %v", err)
	}
	if _, err := sb.FS().List(t.Context(), ""); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("listing in a dead sandbox: %v", err)
	}
	if _, err := sb.Seal(t.Context()); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("sealing a dead sandbox: %v", err)
	}
	if err := sb.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(base, "*", "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
