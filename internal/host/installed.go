package host

import (
	"os/exec"
	"strings"
)

// Installed reports whether PATH has a program. One that is named with its place is
// the project's own, and is taken to be there.
func Installed(program string) bool {
	if strings.Contains(program, "/") {
		return true
	}
	_, err := exec.LookPath(program)
	return err == nil
}
