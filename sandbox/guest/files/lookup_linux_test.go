package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStepwise wants a path to lead, name by name, to where the kernel's own
// look-up leads, or to the same error.
func TestStepwise(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "a/f"), []byte("x"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("y"), 0o644))
	links := map[string]string{
		"l": "a", "a/up": "..", "a/b/abs": dir + "/a/b", "a/b/c/f": "../../f", "loop": "loop",
		"one": "two", "two": "one", "gone": "nothing",
		"slash": "a/", "fslash": "a/f/", "fdot": "a/f/.", "proc": "/proc/self/environ", "exe": "/proc/self/exe",
		"cwd": "/proc/self/cwd", "root": "/",
		"fd": "/proc/self/fd", "mounts": "/proc/mounts", "long": strings.Repeat("a/up/", 60) + "a",
	}
	for name, to := range links {
		must(os.Symlink(to, filepath.Join(dir, name)))
	}
	for i := range 45 { // the deepest that may be followed, and more
		to := "a"
		if i > 0 {
			to = fmt.Sprintf("chain%d", i-1)
		}
		must(os.Symlink(to, filepath.Join(dir, fmt.Sprintf("chain%d", i))))
	}
	onProc := regexp.MustCompile(`/proc/self/|/(proc|exe|cwd|fd|mounts)(/|$)`)
	check := func(p string, flags uint64) {
		t.Helper()
		how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: unix.RESOLVE_NO_MAGICLINKS}
		want, werr := unix.Openat2(unix.AT_FDCWD, p, &how)
		got, gerr := stepwise(p, &how)
		// A link in /proc that is not magic is refused at once, what it leads to
		// otherwise later.
		refused := gerr == unix.ELOOP && onProc.MatchString(p) && (werr != nil || onProcfs(want))
		if (where(want) != where(got) || werr != gerr) && !refused {
			t.Errorf("%q %x: %s (%v), want %s (%v)", p, flags, where(got), gerr, where(want), werr)
		}
		for _, fd := range []int{want, got} {
			if fd >= 0 {
				unix.Close(fd)
			}
		}
	}
	names := []string{"a", "b", "c", "f", "..", ".", "", "up", "abs", "x", "root"}
	for n := range links {
		check(filepath.Join(dir, n), 0)
		check(filepath.Join(dir, n), unix.O_DIRECTORY)
		check(dir+"/"+n+"/f", 0)
		check(dir+"/"+n+"/", 0)
		names = append(names, n)
	}
	for i := range 45 {
		check(fmt.Sprintf("%s/chain%d", dir, i), 0)
	}
	for _, p := range []string{"/", "//", "/..", "/.", "/proc/self/cwd", "/proc/1/root/etc", "/proc/self/status"} {
		check(p, 0)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := dir
		for range 1 + random.IntN(6) {
			p += "/" + names[random.IntN(len(names))]
		}
		check(p, uint64(random.IntN(2))*unix.O_DIRECTORY)
	}
	if left, err := os.ReadDir("/proc/self/fd"); err != nil || len(left) > 60 {
		t.Errorf("%d descriptors are left open (%v)", len(left), err)
	}
}

// TestStepwiseMakes makes files, and never through a link.
func TestStepwiseMakes(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nothing", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	how := unix.OpenHow{Flags: unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC, Mode: 0o644,
		Resolve: unix.RESOLVE_NO_MAGICLINKS}
	for p, want := range map[string]error{"new": nil, "l": unix.EEXIST, "gone/f": unix.ENOENT, "l/f": unix.ENOENT} {
		fd, err := stepwise(filepath.Join(dir, p), &how)
		if err != want {
			t.Errorf("making %q: %v, want %v", p, err, want)
		}
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a link was followed")
	}
}

// where names what a descriptor is of.
func where(fd int) string {
	var st unix.Stat_t
	if fd < 0 || unix.Fstat(fd, &st) != nil {
		return "nothing"
	}
	return fmt.Sprintf("%x:%d %o", st.Dev, st.Ino, st.Mode)
}

func onProcfs(fd int) bool {
	var on unix.Statfs_t
	return unix.Fstatfs(fd, &on) == nil && on.Type == unix.PROC_SUPER_MAGIC
}
