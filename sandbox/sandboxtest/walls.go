package sandboxtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

func hostUnreachable(t *testing.T, s *suite) {
	dir := project(t, "secret", "of-the-host")
	secret := filepath.Join(dir, "secret")
	w := s.open(t, sandbox.Spec{})
	w.fails("cat " + secret)
	w.fails("ln " + secret + " link && cat link")
	w.fails("cat /etc/shadow")
	// An image may have a .bashrc of its own.
	w.prints("", "find /root /srv /mnt /boot -mindepth 1 -not -name '.*' 2>/dev/null; true")
	if s.keeps(t, "HostUnreachable/sys") {
		w.prints("", "find /sys -mindepth 1 2>/dev/null; true")
	}
	if out := w.sh("cat /proc/*/mountinfo /proc/*/cmdline 2>/dev/null | tr '\\0' ' '"); strings.Contains(out,
		filepath.Dir(dir)) {
		t.Errorf("a path of the host is visible:\n%s", out)
	}
	// What must work: the host's programs.
	w.prints("ok", "ls -d /usr/bin >/dev/null && test -r /etc/passwd && echo ok")
}

func hostUnchanged(t *testing.T, s *suite) {
	dir := project(t, "f", "before", "gone", "x", "d/sub", "x")
	w := s.open(t, sandbox.Spec{Project: dir})
	w.sh("echo after > f; rm -r gone d; touch new; mkdir nd; chmod 777 .")
	w.prints("after", "cat f; ls gone d 2>/dev/null; true")
	var got []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); string(b) != "before" || strings.Join(got, " ") != "d f gone" {
		t.Errorf("the project became %q, f %q", got, b)
	}
	for _, p := range []string{"/f", "/usr/f", "/usr/bin/f", "/etc/f", "/etc/passwd", "/dev/f", "/home/f", "/var/f",
		"/proc/sys/kernel/core_pattern"} {
		w.fails("echo x >> " + p)
	}
	for _, p := range []string{"/work/f", "~/f", "/tmp/f", "/var/tmp/f", "/dev/shm/f", "/dev/null"} {
		w.sh("echo x >> " + p)
	}
	if s.keeps(t, "HostUnchanged/run") {
		w.sh("echo x >> /run/f")
	}
	w.fails("mount -o remount,rw /usr")
	w.fails("mknod c c 1 5")
	w.fails("mknod b b 254 0")
	w.fails("chroot /")
	w.fails("unshare -Ur true")
	w.prints("0000000000000000 0000000000000000", "awk '/CapEff|CapBnd/{print $2}' /proc/self/status | xargs")
	if s.keeps(t, "HostUnchanged/status") {
		w.prints("1", "awk '/NoNewPrivs/{print $2}' /proc/self/status")
	}
}

func readOnly(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "f", "before"), Filesystem: sandbox.ReadOnly})
	w.fails("echo x > f")
	w.fails("touch new")
	w.fails("rm -f f && test ! -e f")
	mistake(t, w.FS().Write(t.Context(), "f", []byte("x")), "read-only")
	w.prints("before", "cat f")
	w.sh("echo x > ~/f; echo x > /tmp/f")
}

func network(t *testing.T, s *suite) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	connect := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", port)
	w := s.open(t, sandbox.Spec{})
	w.fails(connect)
	w.prints("lo", "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")
	w.fails("timeout 5 getent hosts example.invalid")

	open := s.open(t, sandbox.Spec{Network: sandbox.FullNetwork})
	open.sh(connect)
}

func secrets(t *testing.T, s *suite) {
	t.Setenv("COOKOFF_TEST_KEY", "sk-very-secret")
	w := s.open(t, sandbox.Spec{})
	if out := w.sh(`cat /proc/*/environ 2>/dev/null | tr '\0' '\n'; env`); strings.Contains(out, "sk-very-secret") {
		t.Error("the harness's environment is readable")
	}
	for _, p := range []string{"/proc/1/mem", "/proc/1/exe", "/proc/1/fd/0", "/proc/1/fd/1"} {
		w.fails("head -c 1 " + p)
	}
	if s.keeps(t, "Secrets/shown") {
		w.fails("head -c 1 /proc/1/environ")
		w.fails("head -c 1 /proc/1/maps")
		w.fails("ls /proc/1/fd/ | grep .")
	} else {
		w.prints("", "tr '\\0' '\\n' < /proc/1/environ | grep -v ^GOGC=; true")
	}
	w.prints("0 1 2", "ls /proc/self/fd | head -3 | xargs")
	w.fails("ls -l /proc/$$/fd > fds; grep -v ' [012] -> \\| fds$\\|^total' fds")
	w.prints("1", "ls -d /proc/[0-9]* | grep -cx /proc/1") // what is listed is our own namespace
	w.fails("echo x > /proc/$$/mem")
	w.run(sandbox.Cmd{Script: "for s in $(seq 64); do kill -$s 1; done; kill -9 -1"})
	w.prints("alive", "echo alive")
}

func apart(t *testing.T, s *suite) {
	a, b := s.open(t, sandbox.Spec{}), s.open(t, sandbox.Spec{})
	a.sh("for d in /work ~ /tmp /var/tmp /run /dev/shm; do echo leak > $d/xfer; done; sleep 1000 >/dev/null 2>&1 & " +
		"echo $! > /tmp/pid; until grep -qa sleep.1000 /proc/$!/cmdline; do :; done")
	b.prints("", "cat /work/xfer ~/xfer /tmp/xfer /var/tmp/xfer /run/xfer /dev/shm/xfer 2>/dev/null; true")
	b.prints("", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep 'sleep 100[0]'; true")
	b.run(sandbox.Cmd{Script: "kill -9 -1"})
	a.sh("grep -qa sleep.1000 /proc/$(cat /tmp/pid)/cmdline")
}

func hidden(t *testing.T, s *suite) {
	dir := project(t, "a", "1", "tests/t.sh", "secret", "tests/keep/x", "1", "sol/answer", "42", "b.hide", "2",
		"tests/c.hide", "3")
	w := s.open(t, sandbox.Spec{Project: dir, Hidden: []string{"sol", "**/*.hide", "tests/t.sh"}})
	w.prints("./a ./tests ./tests/keep ./tests/keep/x", "find . -mindepth 1 | sort | xargs")
	w.prints("made", "mkdir sol && ls sol && echo made > sol/x && cat sol/x")
	w.sh("rm -r tests")
	st := w.seal()
	judge := s.open(t, sandbox.Spec{State: st})
	judge.prints("./a ./b.hide ./sol ./sol/answer ./sol/x", "find . -mindepth 1 | sort | xargs")
	blind := s.open(t, sandbox.Spec{State: st, Hidden: []string{"**/*.hide"}})
	blind.prints("./a ./sol ./sol/answer ./sol/x", "find . -mindepth 1 | sort | xargs")
}

func mounts(t *testing.T, s *suite) {
	dir := project(t, "data/f", "shown", "bin/tool", "#!/bin/bash\necho tool\n")
	if err := os.Chmod(filepath.Join(dir, "bin/tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := s.open(t, sandbox.Spec{
		Project: project(t, "tests/t", "old"),
		ReadOnly: []sandbox.Mount{{Source: filepath.Join(dir, "data"), Target: "/opt/data"},
			{Source: filepath.Join(dir, "data"), Target: "/work/tests"}},
		ToolPaths: []string{dir},
	})
	w.prints("shown shown", "cat /opt/data/f /work/tests/f | sed 's/shown/& /' | xargs")
	w.fails("echo x > /opt/data/f")
	w.fails("echo x > /work/tests/f")
	w.fails("cat tests/t")
	w.prints("tool", "tool")
	if b, _ := os.ReadFile(filepath.Join(dir, "data/f")); string(b) != "shown" {
		t.Errorf("the mount was written: %q", b)
	}
}
