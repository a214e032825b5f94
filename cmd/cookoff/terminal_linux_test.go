package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
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
	var n int
	control(t, ours, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	control(t, ours, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) })
	control(t, ours, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	})
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ours, programs
}

// control does something to an open file that goes on to have deadlines: after
// Fd it has none.
func control(t *testing.T, f *os.File, do func(fd int) error) {
	t.Helper()
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
}

// screening is a run of cookoff with its standard error, or output, a terminal.
type screening struct {
	env    []string
	stdout bool // instead of standard error
	recipe string
}

// watch runs cookoff in a project that holds only the recipe, and gives what
// appeared on the terminal.
func (s screening) watch(t *testing.T, args ...string) string {
	t.Helper()
	ours, programs := terminal(t)
	exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(cmd.Dir+"/recipe.md", []byte(s.recipe), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, s.env...)
	if s.stdout {
		cmd.Stdout = programs
	} else {
		cmd.Stderr = programs
	}
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

func tiny(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/script/recipes/tiny.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLiveOnTerminal watches a run on a terminal: it shows the bar, and leaves
// nothing of it behind. What is said after it is on lines of its own.
func TestLiveOnTerminal(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	recipe := tiny(t)
	onTerminal := func(args string, env ...string) string {
		t.Helper()
		return screening{env: env, recipe: recipe}.watch(t, strings.Fields(args)...)
	}
	seen := onTerminal("run", "TERM=xterm")
	if !strings.Contains(seen, "proving the tasks: ") && !strings.Contains(seen, "/2 trials") {
		t.Errorf("no live view: %q", seen)
	}
	after := seen[strings.LastIndexByte(seen, '\x1b')+1:]
	if !strings.HasPrefix(after, "[J  hint: ") || strings.Count(after, "\n") != 1 ||
		strings.Contains(seen, "\x1b[?25l") {
		t.Errorf("the screen is not left as it was: %q", seen)
	}
	for _, env := range [][]string{{"TERM=dumb"}, {"TERM=xterm", "CI=true"}} {
		if seen := onTerminal("run", env...); strings.Contains(seen, "\x1b[K") || strings.Contains(seen, "\x1b[J") {
			t.Errorf("%v: a live view: %q", env, seen)
		}
	}
	if seen := onTerminal("run -q", "TERM=xterm"); seen != "" {
		t.Errorf("--quiet, and on the terminal: %q", seen)
	}
	if seen := onTerminal("run", "TERM=xterm", "NO_COLOR=1"); strings.Contains(seen, "\x1b[32m") {
		t.Errorf("NO_COLOR, and colour: %q", seen)
	}
}

// TestHostileRecipeOnTerminal: what a stranger wrote into a recipe can't drive
// the terminal, and stays as it is in a pipe.
func TestHostileRecipeOnTerminal(t *testing.T) {
	const attack = "\x1b]52;c;ZXZpbA==\x07\x1b[2J"
	recipe := strings.Replace(tiny(t), "Make the file", "Make "+attack+" the file", 1)
	for _, command := range []string{"show", "run --dry-run", "recipes"} {
		seen := screening{env: []string{"TERM=xterm", "NO_COLOR=1"}, stdout: true,
			recipe: strings.Replace(recipe, "# Tiny", "# Ti"+attack+"ny", 1)}.watch(t, strings.Fields(command)...)
		if strings.ContainsAny(seen, "\x1b\x07") {
			t.Errorf("%s: %q", command, seen)
		}
	}
}

// dialogue is what is said on a terminal.
type dialogue struct {
	ours *os.File
	seen strings.Builder
	from int // what was waited for before lies before it
}

// until waits for something to appear.
func (d *dialogue) until(t *testing.T, want string) {
	t.Helper()
	b := make([]byte, 4096)
	for {
		if i := strings.Index(d.seen.String()[d.from:], want); i >= 0 {
			d.from += i + len(want)
			return
		}
		if err := d.ours.SetReadDeadline(time.Now().Add(hung)); err != nil {
			t.Fatal(err)
		}
		n, err := d.ours.Read(b)
		d.seen.Write(b[:n])
		if err != nil {
			t.Fatalf("waiting for %q: %v: %q", want, err, d.seen.String())
		}
	}
}

// beginShell starts a shell on a terminal of its own.
func beginShell(t *testing.T, programs *os.File, args ...string) *exec.Cmd {
	t.Helper()
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "cookoff", append([]string{"sandbox", "shell"}, args...)...)
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(cmd.Dir+"/recipe.md", []byte(tiny(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=xterm"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = programs, programs, programs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestShellEndsWithItsTerminal: also where what runs in it takes no notice.
func TestShellEndsWithItsTerminal(t *testing.T) {
	ours, programs := terminal(t)
	cmd := beginShell(t, programs)
	d := &dialogue{ours: ours}
	d.until(t, "$ ")
	fmt.Fprint(ours, "sh -c \"trap '' HUP INT TERM; printf 'be''gun\\n'; sleep 1000; sleep 1000\"\r")
	d.until(t, "begun")
	if err := errors.Join(programs.Close(), ours.Close()); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v", err)
	}
}

// TestShellOnTerminal types into a shell of a task's environment: it has a
// terminal of the right size, keys that interrupt, and colours; what would
// reach beyond the screen is dropped; and the terminal is given back.
func TestShellOnTerminal(t *testing.T) {
	ours, programs := terminal(t)
	before, err := unix.IoctlGetTermios(int(programs.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	cmd := beginShell(t, programs, "--task", "*")
	d := &dialogue{ours: ours}
	until := func(want string) {
		t.Helper()
		d.until(t, want)
	}
	until("$ ")
	fmt.Fprint(ours, "stty size; tty; ls; echo $TERM\r")
	until("24 80")
	until("/dev/pts/")
	until("xterm")
	// It is the job that says so: before, the shell itself might be interrupted.
	fmt.Fprint(ours, "sh -c \"printf 'be''gun\\n'; exec sleep 1000\"\r")
	until("begun")
	fmt.Fprint(ours, "\x03")
	until("^C")
	until("$ ")
	control(t, ours, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100})
	})
	fmt.Fprint(ours, "until [ \"$(stty size)\" = '30 100' ]; do sleep 0.05; done; printf 'si''zed\\n'\r")
	until("sized")
	fmt.Fprint(ours, "printf 'a\\033]52;c;eA==\\007b\\033[31mred\\033[0m\\n'\r")
	until("ab\x1b[31mred")
	fmt.Fprint(ours, "exit 3\r")
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("it ended with %v: %q", err, d.seen.String())
	}
	after, err := unix.IoctlGetTermios(int(programs.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %+v, %+v, %v", before, after, err)
	}
}
