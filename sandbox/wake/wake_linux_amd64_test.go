package wake

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWake: what sleeps goes on at once, as if its time had passed, however it
// sleeps; what waits for something else does not.
func TestWake(t *testing.T) {
	for _, script := range []string{
		"echo; sleep 600 && echo went on",
		"echo; sleep 600; echo went on $?",
		"echo; read -t 600 < <(sleep 601); echo went on $?",
		"echo; exec python3 -c 'import time; time.sleep(600); print(\"went on\")'",
		"echo; exec python3 -c 'import select; select.select([], [], [], 600); print(\"went on\")'",
		"echo; exec python3 -c 'import threading, time; threading.Thread(target=lambda: time.sleep(600) or " +
			"print(\"went on\")).start()'",
		"echo; exec perl -e 'select undef, undef, undef, 600; print \"went on\\n\"'",
		"echo; exec perl -e 'sleep 600; print \"went on\\n\"'",
	} {
		t.Run(script, func(t *testing.T) {
			words := strings.Fields(strings.TrimPrefix(script, "echo; exec "))
			if _, err := exec.LookPath(words[0]); strings.Contains(script, "exec") && err != nil {
				t.Skipf("no %s", words[0])
			}
			said, woken := inNamespace(t, script, true)
			if !strings.Contains(said, "went on") || woken == 0 {
				t.Errorf("%q, %d woken", said, woken)
			}
		})
	}
	if list := (World{Root: os.Getppid()}).Sleeping([]int{1, os.Getpid(), os.Getppid()}); list != nil {
		t.Errorf("%d sleep where there is no world", list)
	}
	if _, woken := inNamespace(t, "echo; read < <(cat /dev/zero)", false); woken != 0 {
		t.Errorf("%d woken that wait for no time", woken)
	}
}

// inNamespace runs a script below a PID 1 of its own, wakes all below it again and
// again until it ends, or once, and gives what it said.
func inNamespace(t *testing.T, script string, toItsEnd bool) (said string, woken int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "bash -c "+shellQuoted(script)+" & wait; echo ended; cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no namespaces here: %v", err)
	}
	defer func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	lines.Scan() // it has begun
	world, all := World{Root: cmd.Process.Pid}, make([]int, 100)
	for i := range all {
		all[i] = i + 2
	}
	ended := make(chan string)
	go func() {
		text := ""
		for lines.Scan() && lines.Text() != "ended" {
			text += lines.Text() + "\n"
		}
		ended <- text
	}()
	for {
		woken += world.Wake(all)
		select {
		case text := <-ended:
			return text, woken
		default:
			if !toItsEnd {
				return "", woken
			}
		}
	}
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
