package native

import (
	"os"
	"testing"

	"cookoff/sandbox/sandboxtest"
)

// acceptedOfGVisor are the promises that its kernel keeps in another way, or
// does not know how to keep.
func acceptedOfGVisor() []sandboxtest.Accepted {
	return []sandboxtest.Accepted{
		{Name: "Copies/pipes", Why: "its kernel keeps named pipes to itself: no file of the world's is one"},
		{Name: "FileErrors/read-only",
			Why: "its kernel looks at who may write before it looks at where: what is read-only is refused, " +
				"in other words"},
		{Name: "Giants",
			Why: "its kernel counts holes as disk, and reads them: a trial that makes as many is ended for its disk"},
		{Name: "HostUnchanged/status",
			Why: "the status file has no line of NoNewPrivs: TestGVisorWalls asks the kernel"},
		{Name: "Secrets/shown",
			Why: "its kernel shows everybody how the memory of every process is laid out, and the names of what it " +
				"has open; nothing of it can be opened, and the guest has no environment but GOGC"},
		{Name: "HostileTrees/names",
			Why: "a shell ends itself where the path of its directory is above 4096 bytes, and can't make such a tree"},
	}
}

func TestGVisorPromises(t *testing.T) {
	if os.Getenv(containerImage) == "" {
		t.Skipf("takes minutes, and runs with those of containers: %s names no image, .ci/containers makes one",
			containerImage)
	}
	sandboxtest.Run(t, openGVisor(t), acceptedOfGVisor()...)
}
