//go:build !unix

package host

import (
	"os/exec"
	"time"
)

// togetherEnded makes a command that is cancelled end soon.
func togetherEnded(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }
