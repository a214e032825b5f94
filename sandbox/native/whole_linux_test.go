package native

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/linux"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/sandboxtest"
	"cookoff/sandbox/whole"
)

// TestWholeHostAttacks tries, in a world that shows the whole host, what could
// reach it: each with all defences, and without its own, where it must work.
func TestWholeHostAttacks(t *testing.T) {
	dir := sandboxtest.HostDir(t)
	s := stageIn(t, dir)
	pipe := filepath.Join(s.writable, "pipe")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	reads, err := unix.Open(pipe, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(reads)
	device := filepath.Join(dir, "zero")
	devices := unix.Mknod(device, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) == nil && os.Chmod(device, 0o666) == nil

	got := func(b []byte, err error) bool { return err == nil && len(b) > 0 }
	printed := func(out string) bool { return strings.Contains(out, "UNSAFE") }
	for _, a := range []struct {
		name    string
		script  string
		through func(out string) bool
		off     plan.Without
	}{
		{"F04 write a host file", "echo x > " + s.writable + "/planted", func(string) bool {
			return got(os.ReadFile(filepath.Join(s.writable, "planted")))
		}, plan.Without{plan.OwnWrites}},
		{"N04 a socket file", made("path")(s), printed, plan.Without{plan.OwnWrites}},
		{"F13 a pipe of the host's", "timeout 0.5 bash -c 'echo x > " + pipe + "'", func(string) bool {
			b := make([]byte, 16)
			n, err := unix.Read(reads, b)
			return err == nil && n > 0
		}, plan.Without{plan.OwnWrites}},
		{"F14 a device of the host's", "head -c 1 " + device + " >/dev/null && echo UNSAFE", printed,
			plan.Without{plan.OwnWrites}},
		{"G05 what is concealed", "cat " + s.secret + " | grep -q of-the-host && echo UNSAFE", printed,
			plan.Without{plan.HiddenFiles}},
		{"P13 write another process's memory", "sleep 9 & { exec 3<>/proc/$!/mem; } 2>/dev/null && echo UNSAFE",
			printed, plan.Without{plan.WithLandlock}},
		{"F17 the kernel's settings", "{ : >> /proc/$$/oom_score_adj; } 2>/dev/null && echo UNSAFE", printed,
			plan.Without{plan.WithLandlock}},
	} {
		t.Run(a.name, func(t *testing.T) {
			if strings.HasPrefix(a.name, "F14") && !devices {
				t.Skip("only root can make a device to try")
			}
			spec := sandbox.Spec{Filesystem: sandbox.Unrestricted, Concealed: []string{s.secret}}
			try := func(off plan.Without) (bool, string) {
				out := wholeRun(t, without(newNative(Options{Dir: t.TempDir()}), off), spec, s.self,
					a.script)
				return a.through(out), out
			}
			if through, out := try(nil); through {
				t.Errorf("it got through: %s", out)
			}
			if through, out := try(a.off); !through {
				t.Errorf("without %q it does not get through either, so the test proves nothing: %s", a.off, out)
			}
		})
	}
}

// wholeRun runs a script in a world of its own and gives what it said.
func wholeRun(t *testing.T, b sandbox.Backend, spec sandbox.Spec, probe, script string) string {
	t.Helper()
	spec.ReadOnly = []sandbox.Mount{{Source: probe, Target: "/opt/probe"}}
	sb, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Close(); err != nil {
		t.Error(err)
	}
	return string(r.Stdout) + string(r.Stderr)
}

// TestWholeHostLeavesNothing: no mount and no directory, and nothing of one
// trial is in view of another, wherever the files of trials lie.
func TestWholeHostLeavesNothing(t *testing.T) {
	dir := filepath.Join(sandboxtest.HostDir(t), "trials")
	b := newNative(Options{Dir: dir})
	one, err := b.Open(t.Context(), sandbox.Spec{Filesystem: sandbox.Unrestricted})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Exec(t.Context(), sandbox.Cmd{Script: "echo of-another > f; echo of-another > ~/f"}); err != nil {
		t.Fatal(err)
	}
	two, err := b.Open(t.Context(), sandbox.Spec{Filesystem: sandbox.Unrestricted})
	if err != nil {
		t.Fatal(err)
	}
	r, err := two.Exec(t.Context(), sandbox.Cmd{Script: "ls " + filepath.Dir(dir) + "; ls -A " + dir +
		"; cat /work/f ~/f"})
	if out := string(r.Stdout); err != nil || strings.TrimSpace(out) != "" {
		t.Errorf("of the trials this is in view: %q %v", out, err)
	}
	st, err := one.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(one.(*world).files.Dir(), plan.ElseDir)); err == nil {
		t.Error("what was written elsewhere is kept with the final state")
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
	if err := st.Release(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, dir) || strings.Contains(line, linux.LowerDir) {
			t.Errorf("a mount is left: %s", line)
		}
	}
	own, err := b.space.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(own); err != nil || len(entries) != 1 { // the lock
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// TestWholeHostTakesTheMounts: a world shows file systems that are mounted in
// each other, single files that are mounted, and says what it leaves out.
func TestWholeHostTakesTheMounts(t *testing.T) {
	dir := sandboxtest.HostDir(t)
	cmd := exec.Command("/proc/self/exe", wholeName, dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	want := "a mine\nb mine\nfile\nbig\nlink -> f\nshown by itself\nshown\n0 sockets\nconcealed\n" +
		"concealed there\nempty\n"
	if fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err == nil {
		fuse.Close()
		want += "left: " + dir + "/far: its file system, fuse, may be another machine's\n"
	}
	if err != nil || string(out) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, out, want)
	}
}

// wholeName is the first argument of the test binary where it mounts file
// systems in a namespace of its own and opens a world there.
const wholeName = "sandbox-with-mounts"

// reporter is for a part of a test that is a process of its own.
type reporter struct{ ctx context.Context }

func (r *reporter) must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// wholeScript looks at what inMounts has put there.
const wholeScript = `cd $D
for d in a a/b; do echo mine > $d/new && echo "${d#a/} $(cat $d/new)"; done
cat f; tail -c 4 big; ls -l link | sed 's/.* link/link/'; cat other/f; cat a/f
echo more >> f && rm f && mkdir f
echo $(find . -type s 2>/dev/null | wc -l) sockets
[ -e a/b/secret ] || echo concealed
[ -e again/secret ] || echo concealed there
[ -z "$(ls -A far)" ] && echo empty`

func inMounts(t *reporter, dir string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { t.must(os.WriteFile(at(name), []byte(text), 0o644)) }
	for _, d := range []string{"a", "other", "again", "far"} {
		t.must(os.Mkdir(at(d), 0o755))
	}
	write("f", "file\n")
	write("big", strings.Repeat("x", whole.CopiedMax)+"big\n")
	write("socketfile", "")
	t.must(os.Symlink("f", at("link")))
	t.must(unix.Mount("tmpfs", at("a"), "tmpfs", 0, ""))
	t.must(os.Mkdir(at("a/b"), 0o755))
	write("a/f", "below\n")
	write("shown", "shown\n")
	t.must(unix.Mount(at("shown"), at("a/f"), "", unix.MS_BIND, ""))
	t.must(os.Remove(at("other")))
	t.must(os.Mkdir(at("other"), 0o755))
	t.must(unix.Mount("tmpfs", at("a/b"), "tmpfs", 0, ""))
	t.must(unix.Mount("tmpfs", at("other"), "tmpfs", 0, ""))
	write("other/f", "shown by itself\n")
	write("a/b/secret", "of-the-host\n")
	t.must(unix.Mount(at("a/b"), at("again"), "", unix.MS_BIND, ""))
	l, err := net.Listen("unix", at("socket"))
	t.must(err)
	defer l.Close()
	t.must(unix.Mount(at("socket"), at("socketfile"), "", unix.MS_BIND, ""))
	// nobody serves it: whoever looks waits for ever
	if fuse, err := unix.Open("/dev/fuse", unix.O_RDWR, 0); err == nil {
		t.must(unix.Mount("far", at("far"), "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse)))
	}

	b := newNative(Options{Dir: at("trials")})
	sb, err := b.Open(t.ctx, sandbox.Spec{Filesystem: sandbox.Unrestricted, Env: []string{"D=" + dir},
		Concealed: []string{at("a/b/secret")}})
	t.must(err)
	r, err := sb.Exec(t.ctx, sandbox.Cmd{Script: wholeScript})
	t.must(err)
	fmt.Print(string(r.Stdout), string(r.Stderr))
	for _, line := range sb.(sandbox.Partial).NotShown() {
		fmt.Println("left:", line)
	}
	t.must(sb.Close())
}

// TestWholeHostRefused: where it can't be had, with the next step.
func TestWholeHostRefused(t *testing.T) {
	for what, b := range map[string]sandbox.Backend{
		"only the native backend": byName(Bwrap, Options{Dir: t.TempDir()}),
		"needs overlays":          copying(newNative(Options{Dir: t.TempDir()})),
	} {
		_, err := b.Open(t.Context(), sandbox.Spec{Filesystem: sandbox.Unrestricted})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "\nhint: ") {
			t.Errorf("want %q, with a hint: %v", what, err)
		}
	}
	_, err := New(Options{Dir: t.TempDir()}).Open(t.Context(),
		sandbox.Spec{Filesystem: sandbox.Unrestricted, Concealed: []string{"/"}})
	if err == nil || !strings.Contains(err.Error(), "all of the host would be concealed") {
		t.Errorf("%v", err)
	}
}
