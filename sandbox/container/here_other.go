//go:build !linux

package container

// hardLimit gives n: an engine's kernel is not this machine's, nor are its
// limits.
func hardLimit(_ int, n uint64) uint64 { return n }

// What to do where there is no container program, or none answers.
const (
	howToInstall = "install podman (brew install podman; podman machine init; podman machine start) or Docker"
	howToStart   = "does its virtual machine run? podman machine start, or start Docker"
)
