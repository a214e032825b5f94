package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKernelForbidsSandbox: where no user namespace may be made, a run is
// refused with the remedy, and nothing runs without a sandbox.
func TestKernelForbidsSandbox(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(tiny(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	forbidden := func(script string) (string, error) {
		const forbid = "echo 0 > /proc/sys/user/max_user_namespaces || exit 99; "
		cmd := exec.CommandContext(t.Context(), "bash", "-c", forbid+script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
		// An ordinary user in a namespace whose own limit is ours to set.
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getgid(), Size: 1}},
			AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE},
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := forbidden("true"); err != nil {
		t.Skipf("the limit can't be set here: %v: %s", err, out)
	}
	out, _ := forbidden("cookoff run; echo code $?")
	for _, want := range []string{"error: sandbox unavailable: ", "\n  hint: ", "max_user_namespaces",
		"nothing was run\n", "\ncode 3\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("run does not say %q: %s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".cookoff")); err == nil {
		t.Error("a run was begun")
	}
	out, _ = forbidden("cookoff doctor; echo code $?")
	for _, want := range []string{"broken   sandbox   native ", "max_user_namespaces", "\ncode 3\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q: %s", want, out)
		}
	}
}
