package native

import (
	"os"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/sandboxtest"
)

// containerImage is the variable that names an image with bash and coreutils,
// without which the tests of containers are skipped. CI makes one.
const containerImage = "COOKOFF_TEST_IMAGE"

func containers(t testing.TB) (sandbox.Backend, string) {
	t.Helper()
	image := os.Getenv(containerImage)
	if image == "" {
		t.Skipf("%s names no image: .ci/containers makes one", containerImage)
	}
	return NewContainer(Options{Dir: passable(t)}, image), image
}

// acceptedOfContainers are the promises that an image or its engine keeps in
// another way.
func acceptedOfContainers() []sandboxtest.Accepted {
	return []sandboxtest.Accepted{
		{Name: "HostUnchanged/run", Why: "some runtimes give the /run of a container the mode that the image's has: only root writes there"},
		{Name: "HostUnreachable/sys", Why: "an engine shows the container's own control group, read-only, below /sys"},
	}
}

func TestContainerPromises(t *testing.T) {
	b, _ := containers(t)
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, b, acceptedOfContainers()...)
}
