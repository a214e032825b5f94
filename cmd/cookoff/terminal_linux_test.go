package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/native"
)

// terminal opens a pseudo-terminal; what is written to the program's end can
// be read from the other.
func terminal(t *testing.T) (ours, programs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ours, programs
}

// onTerminal runs cookoff in an empty project, its standard error a terminal,
// and gives what appeared on it.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ours, programs := terminal(t)
	exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := os.ReadFile("../../testdata/script/recipes/tiny.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(cmd.Dir+"/recipe.md", recipe, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	cmd.Stderr = programs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	programs.Close()
	var seen bytes.Buffer
	_, _ = io.Copy(&seen, ours) // ends with EIO when the program does
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, seen.String())
	}
	return strings.ReplaceAll(seen.String(), "\r\n", "\n")
}

// TestLiveOnTerminal watches a run on a terminal: it shows the bar, and leaves
// nothing of it behind.
func TestLiveOnTerminal(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	seen := onTerminal(t, []string{"TERM=xterm"}, "run")
	if !strings.Contains(seen, "proving the tasks: ") && !strings.Contains(seen, "/2 trials") {
		t.Errorf("no live view: %q", seen)
	}
	if !strings.HasSuffix(seen, "\x1b[J") || strings.Contains(seen, "\x1b[?25l") {
		t.Errorf("the screen is not left as it was: %q", seen)
	}
	for _, env := range [][]string{{"TERM=dumb"}, {"TERM=xterm", "CI=true"}} {
		if seen := onTerminal(t, env, "run"); strings.Contains(seen, "\x1b[K") || strings.Contains(seen, "\x1b[J") {
			t.Errorf("%v: a live view: %q", env, seen)
		}
	}
	if seen := onTerminal(t, []string{"TERM=xterm"}, "run", "-q"); seen != "" {
		t.Errorf("--quiet, and on the terminal: %q", seen)
	}
	if seen := onTerminal(t, []string{"TERM=xterm", "NO_COLOR=1"}, "run"); strings.Contains(seen, "\x1b[32m") {
		t.Errorf("NO_COLOR, and colour: %q", seen)
	}
}
