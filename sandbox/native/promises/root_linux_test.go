package promises

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// namespaceName is the first argument of the test binary as the root of a
// namespace that holds nobody else.
const namespaceName = "sandbox-in-a-namespace"

// TestRootOfNamespace: as in a rootless container.
func TestRootOfNamespace(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", namespaceName, t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "agent 1000\n" {
		t.Errorf("%v: %q", err, out)
	}
}

// inNamespace is that test on the other side.
func inNamespace(dir string) error {
	b := native.New(native.Options{Dir: dir})
	sb, err := b.Open(context.Background(), sandbox.Spec{})
	if err != nil {
		return err
	}
	r, err := sb.Exec(context.Background(),
		sandbox.Cmd{Script: "echo $(id -un) $(id -u); echo x > f; ! echo x 2>/dev/null > /usr/f"})
	if err == nil {
		_, err = os.Stdout.Write(append(r.Stdout, r.Stderr...))
	}
	return errors.Join(err, sb.Close())
}
