package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { programs["cookoff-cut-call"] = cutAtCall }

// changing are the system calls that change names and contents of files, by the argument
// that is the file or the directory which is meant.
var changing = map[uint64]int{unix.SYS_MKDIRAT: 0, unix.SYS_UNLINKAT: 0, unix.SYS_RENAMEAT: 0, unix.SYS_RENAMEAT2: 0,
	unix.SYS_LINKAT: 0, unix.SYS_SYMLINKAT: 1, unix.SYS_WRITE: 0, unix.SYS_PWRITE64: 0, unix.SYS_FTRUNCATE: 0,
	unix.SYS_FSYNC: 0, unix.SYS_FCHMOD: 0, unix.SYS_FCHMODAT: 0, unix.SYS_OPENAT: 0}

// callInfo is the kernel's struct ptrace_syscall_info at the entry of a call.
type callInfo struct {
	Op   uint8
	_    [23]byte
	Nr   uint64
	Args [6]uint64
	_    uint64
}

// changes reports whether a process is about to change a file.
func (c *callInfo) changes(pid int) bool {
	const entry = 1
	at, known := changing[c.Nr]
	if c.Op != entry || !known || c.Nr == unix.SYS_OPENAT && c.Args[2]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
		return false
	}
	if fd := int32(c.Args[at]); fd != unix.AT_FDCWD {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		return err == nil && fd > 2 && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/")
	}
	return true
}

// cutAtCall carries the program out and ends it as it is about to change a file for the
// n-th time: COOKOFF_CUT is n, from 1, and may name the signal, SIGKILL, and a file that is
// told at the end how often it was. Processes that it starts are left alone.
func cutAtCall() {
	runtime.LockOSThread() // a tracer is a thread
	cut := cutting{signal: "SIGKILL"}
	if n, err := fmt.Sscan(os.Getenv("COOKOFF_CUT"), &cut.at, &cut.signal, &cut.count); n == 0 {
		panic(err)
	}
	exe, err := exec.LookPath("cookoff")
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(untraced)
	}
	os.Exit(cut.trace(cmd.Process.Pid))
}

// cutting is where a traced program is ended.
type cutting struct {
	at            int
	signal, count string
}

// untraced is the exit code where no process may trace another.
const untraced = 77

func (c cutting) trace(program int) (code int) {
	seen := 0
	defer func() {
		if c.count != "" {
			_ = os.WriteFile(c.count, fmt.Append(nil, seen), 0o600)
		}
	}()
	var ws syscall.WaitStatus
	_, err := syscall.Wait4(program, &ws, 0, nil)
	err = errors.Join(err, syscall.PtraceSetOptions(program,
		unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL))
	for pid, signal := program, 0; ; {
		if err != nil {
			return untraced
		}
		_ = syscall.PtraceSyscall(pid, signal) // one that was killed is gone
		if pid, err = syscall.Wait4(-1, &ws, unix.WALL, nil); err != nil {
			continue
		}
		signal = 0
		switch {
		case pid == program && ws.Signaled():
			_ = syscall.Kill(os.Getpid(), ws.Signal())
		case pid == program && ws.Exited():
			return ws.ExitStatus()
		case ws.Exited() || ws.Signaled(): // a thread
		case ws.StopSignal() == syscall.SIGTRAP|0x80:
			var call callInfo
			_, _, _ = unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid), unsafe.Sizeof(call),
				uintptr(unsafe.Pointer(&call)), 0, 0)
			if !call.changes(pid) {
				break
			}
			if seen++; seen == c.at {
				err = syscall.Kill(program, unix.SignalNum(c.signal))
			}
		case ws.StopSignal() != syscall.SIGTRAP && (ws.StopSignal() != syscall.SIGSTOP || pid == program):
			signal = int(ws.StopSignal())
		}
	}
}

// TestKilledAtEveryCall kills apply, and what writes files, at each change of a file: after
// clean the project is what it was, or as the command makes it, and nothing lies beside.
func TestKilledAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a hundred programs")
	}
	d := newChaos(t).at("calls")
	p := filepath.Join(d.root, "p")
	write(t, filepath.Join(p, "greeting"), "hullo\n")
	write(t, filepath.Join(p, "old"), "old\n")
	write(t, filepath.Join(p, "recipe.md"), applied)
	if cmd, out := d.start("", "cookoff", "run", "-q"); cmd.Wait() != nil {
		t.Fatal(out)
	}
	for name, args := range map[string][]string{
		"apply":  {"apply", "latest", "t001", "--yes"},
		"report": {"report", "-o", "page.csv"},
		"share":  {"share", "recipe.md", "--yes", "-o", "b.tgz"},
	} {
		t.Run(name, func(t *testing.T) {
			here := *d
			here.T = t
			here.killedAtCalls(p, args)
		})
	}
}

// applied is a recipe whose solution changes, makes and removes files.
const applied = "# Applied\nversion: 1\n\n## Models\n- baseline/oracle\n\n## Tasks\n### Greet\nMend it.\n\n" +
	"```sh before\n! grep -q hello greeting\n```\n```sh after\ngrep -q hello greeting\n```\n" +
	"```sh solution\necho hello > greeting\nrm old\nmkdir made\necho x > made/x\n```\n"

// killedAtCalls kills a program at each change of a file in turn.
func (c *chaos) killedAtCalls(p string, args []string) {
	c.Helper()
	kept := filepath.Join(c.root, "kept")
	if err := os.CopyFS(kept, os.DirFS(p)); err != nil {
		c.Fatal(err)
	}
	before := listed(c.T, p)
	reset := func() {
		if err := errors.Join(os.RemoveAll(p), os.CopyFS(p, os.DirFS(kept))); err != nil {
			c.Fatal(err)
		}
	}
	defer func() { reset(); _ = os.RemoveAll(kept) }()
	cmd, out := c.start("0", "cookoff-cut-call", args...)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() == untraced {
		c.Skip("no process may trace another here")
	}
	whole := listed(c.T, p)
	if cmd.ProcessState.ExitCode() != 0 || whole == before {
		c.Fatalf("%s:\n%s", cmd.ProcessState, out)
	}
	n := 1
	for ; ; n++ {
		reset()
		cmd, out := c.start(fmt.Sprint(n), "cookoff-cut-call", args...)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() == 0 {
			break
		}
		if cmd.ProcessState.String() != "signal: killed" {
			c.Fatalf("at change %d it ended with %s:\n%s", n, cmd.ProcessState, out)
		}
		if cmd, out = c.start("", "cookoff", "clean"); cmd.Wait() != nil {
			c.Fatalf("clean after change %d:\n%s", n, out)
		}
		if got := listed(c.T, p); got != before && got != whole {
			c.Errorf("killed before change %d, want what was there or what it makes:\n%s\nclean said:\n%s", n, got, out)
		}
	}
	c.Logf("killed at %d changes", n-1)
	if n < 8 {
		c.Errorf("it changes files %d times, want more", n-1)
	}
}

// listed lists the files of a project, its runs but for their names left out.
func listed(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || rel == ".":
			return err
		case rel == filepath.Join(".cookoff", "runs") || rel == filepath.Join(".cookoff", "cache"):
			return fs.SkipDir
		case !e.Type().IsRegular():
			fmt.Fprintln(&out, rel, e.Type())
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(rel, ".tgz") { // with times in it
			text = fmt.Append(nil, len(text) > 0)
		}
		fmt.Fprintf(&out, "%s %q\n", rel, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
