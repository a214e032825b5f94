package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// hibernating makes a backend whose worlds hibernate whenever nothing is asked of them.
func hibernating(t *testing.T) *backend {
	b := newNative(Options{Dir: passable(t)})
	b.naps.when = always
	return b
}

// asleep wants a world to have no guest.
func asleep(t *testing.T, w *world, want bool) {
	t.Helper()
	if is := w.run.process() == nil; is != want {
		t.Errorf("it hibernates: %v, want %v; it says %q", is, want, w.Hibernate(t.Context()))
	}
}

// call runs a script in a world.
func call(t *testing.T, w *world, script string) string {
	t.Helper()
	r, err := w.Exec(t.Context(), sandbox.Cmd{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Fatalf("%q ended with %d %s: %s%s", script, r.Exit, r.Reason, r.Stdout, r.Stderr)
	}
	return string(r.Stdout)
}

// openWorld opens a world that the end of the test closes.
func (b *backend) openWorld(t *testing.T, spec sandbox.Spec) *world {
	t.Helper()
	sb, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	return sb.(*world)
}

// look prints all that can be seen of the files that a world lives with, but for what
// mounts are called.
const look = `cd /
find /work /home/agent /tmp /var/tmp /run /dev/shm -printf '%p %M %u %g %n %s %b %T@ %C@ %l\n' | sort
find /work /home/agent /tmp /var/tmp /run /dev/shm -type f ! -name .counted -exec md5sum {} + | sort
getfattr -Rd /tmp /work 2>/dev/null; env | sort; umask; ulimit -a; id; pwd
stat -f -c '%s %b %f %c %d' /tmp; cat /proc/mounts | cut -d' ' -f2- | sort`

// TestHibernatedWorldIsTheSame wants a world that has hibernated not to be told from one that
// has not.
func TestHibernatedWorldIsTheSame(t *testing.T) {
	w := hibernating(t).openWorld(t, sandbox.Spec{})
	call(t, w, `cd /tmp; mkdir -m 700 d; echo a > d/a; ln d/a d/b; ln -s a d/c; mkfifo d/p; truncate -s 1G d/hole
touch -d 2001-02-03T04:05:06.789 d/a; chmod 4711 d/a
printf x > /dev/shm/s; printf y > /var/tmp/y; chmod 1770 /var/tmp/y
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/tmp/d/s")
import os; os.setxattr("/tmp/d/a", "user.k", b"v")' || true
echo w > /work/w; echo h > ~/h; mkdir -p /work/x/y; touch -d 2001-01-01 /work/w
chmod 600 ~/h; cp -a /tmp/d/a /work/x/y/`)
	asleep(t, w, true)
	before := call(t, w, look)
	asleep(t, w, true)
	if after := call(t, w, look); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

// TestWhatKeepsAGuest wants a world to keep its guest for whatever would be gone with it.
func TestWhatKeepsAGuest(t *testing.T) {
	b := hibernating(t)
	queue := "python3 -c '" + `import ctypes
class attr(ctypes.Structure):
    _fields_ = [(n, ctypes.c_long) for n in ("flags", "most", "size", "now", "a", "b", "c", "d")]
l = ctypes.CDLL(None, use_errno=True)
assert l.mq_open(b"/q", 0o100, 0o600, ctypes.byref(attr(0, 1, 64))) >= 0, ctypes.get_errno()` + "'"
	for _, c := range []struct{ name, script, end string }{
		{"a process", "sleep 1000 & echo $! > /tmp/pid",
			"kill -9 $(cat /tmp/pid); while kill -0 $(cat /tmp/pid) 2>/dev/null; do :; done"},
		{"a process in a session of its own", "setsid sleep 1000 > /dev/null 2>&1 & echo $! > /tmp/pid",
			"kill -9 $(cat /tmp/pid); while kill -0 $(cat /tmp/pid) 2>/dev/null; do :; done"},
		{"a process that becomes another all the time",
			"setsid python3 -c '" + `import os
while not os.path.exists("/tmp/stop"): os.fork() and os._exit(0)
open("/tmp/pid", "w").write(str(os.getpid()))` + "' > /dev/null 2>&1 &",
			"touch /tmp/stop; until test -s /tmp/pid; do :; done; while kill -0 $(cat /tmp/pid) " +
				"2>/dev/null; do :; done"},
		{"shared memory", "ipcmk -M 4096", "ipcrm -a"},
		{"a semaphore", "ipcmk -S 1", "ipcrm -a"},
		{"a System V queue", "ipcmk -Q", "ipcrm -a"},
		{"a POSIX queue", queue, `python3 -c 'import ctypes; assert ctypes.CDLL(None).mq_unlink(b"/q") == 0'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := b.openWorld(t, sandbox.Spec{})
			call(t, w, c.script)
			asleep(t, w, false)
			call(t, w, c.end)
			asleep(t, w, true)
		})
	}
}

// TestNumbersGoOn wants no process to get the number of one that a command has noted.
func TestNumbersGoOn(t *testing.T) {
	w := hibernating(t).openWorld(t, sandbox.Spec{})
	last := 0
	for range 3 {
		asleep(t, w, last > 0)
		n, err := strconv.Atoi(strings.TrimSpace(call(t, w, "echo $BASHPID")))
		if err != nil || n <= last {
			t.Errorf("process %d comes after %d: %v", n, last, err)
		}
		last = n
	}
}

// TestJobsOfAHibernatedWorld wants commands in the background to be heard to their end, and
// to keep their numbers.
func TestJobsOfAHibernatedWorld(t *testing.T) {
	w := hibernating(t).openWorld(t, sandbox.Spec{})
	job, err := w.Launch(t.Context(), sandbox.Cmd{Script: "mkfifo /tmp/go; read -r go < /tmp/go; echo said; exit 3"})
	if err != nil {
		t.Fatal(err)
	}
	asleep(t, w, false)
	call(t, w, "until test -p /tmp/go; do :; done; echo > /tmp/go")
	for said := ""; ; {
		news, err := w.Job(t.Context(), job, sandbox.MaxJobWait)
		if err != nil {
			t.Fatal(err)
		}
		if said += string(news.Output); !news.Ended {
			continue
		}
		if news.Result.Exit != 3 || !strings.Contains(said, "said") {
			t.Errorf("it said %q and ended with %d", said, news.Result.Exit)
		}
		break
	}
	asleep(t, w, true)
	next, err := w.Launch(t.Context(), sandbox.Cmd{Script: "exit 4"})
	if err != nil || next != job+1 {
		t.Errorf("the next job is %d, after %d: %v", next, job, err)
	}
	if news, err := w.Job(t.Context(), job, 0); err != nil || !news.Ended || news.Result.Exit == 4 {
		t.Errorf("the first has become %+v: %v", news, err)
	}
	if err := w.StopJob(t.Context(), job); err != nil {
		t.Error(err)
	}
}

// TestHibernatedWorldEnds wants what is sealed, copied or closed without a guest to be whole.
func TestHibernatedWorldEnds(t *testing.T) {
	b := hibernating(t)
	w := b.openWorld(t, sandbox.Spec{})
	call(t, w, "echo kept > f; rm -f /work/none")
	asleep(t, w, true)
	copied, err := w.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asleep(t, w, true)
	sealed, err := w.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []sandbox.State{copied, sealed} {
		again := b.openWorld(t, sandbox.Spec{State: s})
		if got := call(t, again, "cat f"); got != "kept\n" {
			t.Errorf("it holds %q", got)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Release(); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.Exec(t.Context(), sandbox.Cmd{Script: "true"}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a sealed world answers: %v", err)
	}
}

// TestWakingFails wants a world that can't be opened again to be unavailable, and to leave
// nothing; and one whose caller does not wait to go on for the next.
func TestWakingFails(t *testing.T) {
	b := hibernating(t)
	w := b.openWorld(t, sandbox.Spec{})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Exec(gone, sandbox.Cmd{Script: "true"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	call(t, w, "true")
	asleep(t, w, true)
	if err := os.RemoveAll(filepath.Join(w.files.Dir(), plan.TopDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exec(t.Context(), sandbox.Cmd{Script: "true"}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("it works without its files: %v", err)
	}
	if _, err := w.Seal(t.Context()); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("it is sealed without its files: %v", err)
	}
}

// TestManyAskAHibernatedWorld at once: all of them are answered, and it hibernates again.
func TestManyAskAHibernatedWorld(t *testing.T) {
	w := hibernating(t).openWorld(t, sandbox.Spec{})
	for range 3 {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if r, err := w.Exec(t.Context(), sandbox.Cmd{Script: "echo x >> /tmp/n"}); err != nil || !r.OK() {
					t.Errorf("%+v: %v", r, err)
				}
			})
		}
		all.Wait()
	}
	if got := strings.TrimSpace(call(t, w, "wc -l < /tmp/n")); got != "24" {
		t.Errorf("%s of 24 calls wrote", got)
	}
	asleep(t, w, true)
}

// TestWhoHibernates wants those that wait longest to hibernate, where so many wait, and none
// of those that are asked something meanwhile.
func TestWhoHibernates(t *testing.T) {
	now, due := time.Unix(0, 0), []func(){}
	var slept []*world
	n := &naps{now: func() time.Time { return now }, nap: func(w *world) { slept = append(slept, w) },
		wait: func(_ time.Duration, f func()) { due = append(due, f) }}
	all := make([]world, keptAwake+3)
	for i := range all {
		n.idle(&all[i])
		now = now.Add(time.Millisecond)
	}
	if len(slept) > 0 || len(due) != 1 {
		t.Fatalf("%d sleep, and %d looks are due", len(slept), len(due))
	}
	n.forget(&all[1]) // it is asked something
	now = now.Add(shortWait)
	due[0]()
	if !slices.Equal(slept, []*world{&all[0], &all[2]}) || n.waiting.Len() != keptAwake {
		t.Errorf("%d sleep, %d wait", len(slept), n.waiting.Len())
	}
	n.idle(&all[1])
	if len(slept) != 3 || slept[2] != &all[3] {
		t.Errorf("%d sleep", len(slept))
	}
}

// BenchmarkHibernated says what a world takes that hibernates: of this process, and of what the
// kernel keeps for all (which others on the machine take from, too).
func BenchmarkHibernated(b *testing.B) {
	back := newNative(Options{Dir: passable(b)})
	back.naps.when = always
	const n = 200
	for b.Loop() {
		before, kernel := held(), slab(b)
		var all []sandbox.Sandbox
		for range n {
			sb, err := back.Open(b.Context(), sandbox.Spec{})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := sb.Exec(b.Context(), sandbox.Cmd{Script: "echo x > /tmp/x; echo y > y"}); err != nil {
				b.Fatal(err)
			}
			if sb.(*world).run.process() != nil {
				b.Fatal("a world has a process")
			}
			all = append(all, sb)
		}
		b.ReportMetric(float64(held()-before)/n/1024, "own-KiB/world")
		b.ReportMetric(float64(slab(b)-kernel)/n/1024, "kernel-KiB/world")
		for _, sb := range all {
			if err := sb.Close(); err != nil {
				b.Error(err)
			}
		}
	}
}

// held is what this process has in use, in bytes.
func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// slab is what the kernel can't give back, in bytes.
func slab(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		b.Fatal(err)
	}
	var sum int64
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if slices.Contains([]string{"SUnreclaim:", "Shmem:", "Percpu:", "KernelStack:", "PageTables:"}, f[0]) {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			sum += n << 10
		}
	}
	return sum
}
