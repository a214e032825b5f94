package native

import (
	"testing"

	"cookoff/sandbox"
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

// wake opens a world that hibernates from its first call on.
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
const look = `cd /; find /work /home/agent /tmp /var/tmp /run /dev/shm -printf '%p %M %u %g %n %s %b %T@ %C@ %l\n' | sort
find /work /home/agent /tmp /var/tmp /run /dev/shm -type f ! -name .counted -exec md5sum {} + | sort
getfattr -Rd /tmp /work 2>/dev/null; env | sort; umask; ulimit -a; id; pwd; stat -f -c '%s %b %f %c %d' /tmp; cat /proc/mounts | cut -d' ' -f2- | sort`

// TestHibernatedWorldIsTheSame wants a world that has hibernated not to be told from one that
// has not.
func TestHibernatedWorldIsTheSame(t *testing.T) {
	w := hibernating(t).openWorld(t, sandbox.Spec{})
	call(t, w, `cd /tmp; mkdir -m 700 d; echo a > d/a; ln d/a d/b; ln -s a d/c; mkfifo d/p; truncate -s 1G d/hole
touch -d 2001-02-03T04:05:06.789 d/a; chmod 4711 d/a; printf x > /dev/shm/s; printf y > /var/tmp/y; chmod 1770 /var/tmp/y
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/tmp/d/s"); import os; os.setxattr("/tmp/d/a", "user.k", b"v")' || true
echo w > /work/w; echo h > ~/h; mkdir -p /work/x/y; touch -d 2001-01-01 /work/w; chmod 600 ~/h; cp -a /tmp/d/a /work/x/y/`)
	asleep(t, w, true)
	before := call(t, w, look)
	asleep(t, w, true)
	if after := call(t, w, look); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}
