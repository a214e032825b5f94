//go:build unix

package host

import (
	"os/exec"
	"syscall"
	"time"
)

// togetherEnded makes a command that is cancelled end with all that it started,
// and at once.
func togetherEnded(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
}
