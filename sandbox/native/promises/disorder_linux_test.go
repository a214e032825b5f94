package promises

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/linux"
	"cookoff/sandbox/native"
)

// TestUmask wants worlds of use whatever the umask of who started cookoff is.
func TestUmask(t *testing.T) {
	for _, mask := range []int{0o027, 0o077} {
		t.Run(fmt.Sprintf("%04o", mask), func(t *testing.T) {
			defer syscall.Umask(syscall.Umask(mask))
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
			b := native.New(native.Options{Dir: filepath.Join(t.TempDir(), "worlds")})
			for _, spec := range []sandbox.Spec{{}, {Project: dir, Hidden: []string{"hidden"}},
				{Project: dir, Filesystem: sandbox.ReadOnly}} {
				sb, err := b.Open(t.Context(), spec)
				if err != nil {
					t.Fatal(err)
				}
				defer sb.Close()
				r, err := sb.Exec(t.Context(),
					sandbox.Cmd{Script: "set -e; ls / /etc /usr /dev/shm /tmp >/dev/null; id -un; umask; echo x > " +
						"~/f; echo x > /tmp/f; cat f 2>/dev/null || :"})
				if err != nil {
					t.Fatal(err)
				}
				want := "agent\n0022\n"
				if spec.Project != "" {
					want += "text"
				}
				if string(r.Stdout) != want || !r.OK() {
					t.Errorf("%+v: %d %q %q", spec, r.Exit, r.Stdout, r.Stderr)
				}
			}
		})
	}
}

// TestQuotas wants one world to leave the others their part of what the kernel
// counts for the user who started all of them.
func TestQuotas(t *testing.T) {
	sb, err := native.New(native.Options{Dir: t.TempDir()}).Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	r, err := sb.Exec(t.Context(),
		sandbox.Cmd{Script: "ulimit -i; ulimit -q; cd /proc/sys/user; cat max_user_namespaces max_inotify_instances " +
			"max_inotify_watches"})
	if err != nil {
		t.Fatal(err)
	}
	share := linux.Quotas()
	most := func(what int, n uint64) uint64 { // as much as this process may give
		var had unix.Rlimit
		if unix.Getrlimit(what, &had) == nil {
			n = min(n, had.Max)
		}
		return n
	}
	want := fmt.Sprintf("%d\n%d\n0\n%d\n%d\n", most(unix.RLIMIT_SIGPENDING, linux.MaxSignals),
		most(unix.RLIMIT_MSGQUEUE, linux.MaxQueues), share["max_inotify_instances"], share["max_inotify_watches"])
	if string(r.Stdout) != want {
		t.Errorf("the limits inside are %q, want %q (%s)", strings.Fields(string(r.Stdout)), strings.Fields(want),
			r.Stderr)
	}
}
