package deaths

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestPodman: a hand in a container of an ordinary user without a capability opens worlds,
// and however the container or whoever speaks to it ends, they end.
func TestPodman(t *testing.T) {
	engines(t, "podman")
	podman := append([]string{"podman", "--cgroup-manager", "cgroupfs"}, strings.Fields(os.Getenv("COOKOFF_PODMAN"))...)
	made := slices.Concat(podman, []string{"run"}, machine(t))
	name := func() string { return fmt.Sprintf("cookoff-%x", rand.Uint32()) }
	started := func(name string) []string {
		out := slices.Clone(made)
		return append(slices.Insert(out, len(podman)+1, "-i", "--name", name), "/cookoff", "hand")
	}
	t.Run("client killed", func(t *testing.T) {
		n := name()
		l := begin(t, host(t, started(n)...))
		signal(t, client(t, "podman", n), syscall.SIGKILL)
		l.ended(t)
	})
	t.Run("container killed", func(t *testing.T) {
		n := name()
		l := begin(t, host(t, started(n)...))
		run(t, append(podman, "kill", n)...)
		l.ended(t)
	})
	t.Run("client of exec killed", func(t *testing.T) {
		n := name()
		run(t, append(slices.Insert(slices.Clone(made), len(podman)+1, "-d", "--name", n), "sleep", "1000")...)
		t.Cleanup(func() { run(t, append(podman, "rm", "-f", "-t", "0", n)...) })
		l := begin(t, host(t, append(podman, "exec", "-i", n, "/cookoff", "hand")...))
		signal(t, client(t, "podman", n), syscall.SIGKILL)
		l.ended(t)
	})
}
