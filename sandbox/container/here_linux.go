package container

import "golang.org/x/sys/unix"

// hardLimit gives n, or what this process may give at most.
func hardLimit(what int, n uint64) uint64 {
	var had unix.Rlimit
	if unix.Getrlimit(what, &had) == nil {
		n = min(n, had.Max)
	}
	return n
}

// What to do where there is no container program, or none answers.
const (
	howToInstall = "install podman (apt install podman, dnf install podman) or docker"
	howToStart   = "does its service run?"
)
