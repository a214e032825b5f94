package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/sandboxtest"
)

// TestCopiesPromises holds worlds to the promises where the kernel gives no
// overlays.
func TestCopiesPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("the same promises as TestPromises, kept another way")
	}
	var same []sandboxtest.Accepted
	for _, name := range strings.Fields("Output Environment Names Network Secrets Apart Timeout Daemons " +
		"Cancel Memory " +
		"FileSize Processes Bombs Tmp Programs Refusals") {
		same = append(same, sandboxtest.Accepted{Name: name, Why: "not about files: TestPromises tries it"})
	}
	sandboxtest.Run(t, copying(newNative(Options{Dir: t.TempDir()})), same...)
}

// TestCopies is a world where the kernel gives no overlays.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := copying(newNative(Options{Dir: t.TempDir()}))
	run := func(spec sandbox.Spec, script, want string) sandbox.Sandbox {
		t.Helper()
		sb, err := b.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
		if err != nil || string(r.Stdout) != want || !r.OK() {
			t.Errorf("%q: %d %q %q %v, want %q", script, r.Exit, r.Stdout, r.Stderr, err, want)
		}
		t.Cleanup(func() {
			if err := sb.Close(); err != nil {
				t.Error(err)
			}
		})
		return sb
	}
	first := run(sandbox.Spec{Project: dir},
		"cat f; echo after > f; echo h > ~/h; rm -f gone; mkfifo p; ! grep -q overlay /proc/mounts", "before")
	st, err := first.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(sandbox.Spec{State: st}, "cat f ~/h; rm f", "after\nh\n")
	run(sandbox.Spec{State: st, Filesystem: sandbox.ReadOnly}, "cat f; ! rm -f f 2>/dev/null", "after\n")
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); string(b) != "before" {
		t.Errorf("the project was written: %q", b)
	}
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
}
