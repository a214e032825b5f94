package hosts_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/hand"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/hosts/tree"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// wrong is a host whose clock is off by hours, on a way that takes a while.
func wrong(t *testing.T, off, way time.Duration) *hosts.Host {
	cfg := hand.Config{Hello: protocol.Hello{Build: "b", Processors: 1},
		Cache: &tree.Cache{Dir: t.TempDir(), Limit: 1 << 20}, Now: func() time.Time { return time.Now().Add(off) },
		Make: func(context.Context, protocol.Setup) (sandbox.Backend, []string, error) {
			return native.New(native.Options{Dir: filepath.Join(t.TempDir(), "w")}), nil, nil
		}}
	ended := make(chan error, 1)
	h := &hosts.Host{Name: "a", Hello: protocol.Hello{Build: "b"}, Trees: &hosts.Trees{}, Link: link.Options{}}
	h.Dial = func(context.Context) (hosts.Conn, error) {
		ours, theirs := pair(t)
		go func() { ended <- hand.Serve(context.Background(), theirs, cfg) }()
		return &slow{wire{ours}, ours, way}, nil
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return h
}

// slow is a connection whose first byte takes a while.
type slow struct {
	hosts.Conn
	net  net.Conn
	took time.Duration
}

func (s *slow) Read(b []byte) (int, error) {
	if s.took > 0 {
		<-time.After(s.took)
		s.took = 0
	}
	return s.net.Read(b)
}

// TestWrongClock: by how much a host's clock is wrong is known, what the way took is none
// of it, and no limit, no sum and no change of a file depends on it. To such a host what
// comes from here is of the future, or long past.
func TestWrongClock(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Hour, 0, 5 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			h := wrong(t, off, 50*time.Millisecond)
			dir := t.TempDir()
			for _, name := range []string{"a", "b"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("1"), 0o600); err != nil {
					t.Fatal(err)
				}
				at := time.Now().Add(-off)
				if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
					t.Fatal(err)
				}
			}
			sb, err := h.Open(t.Context(), sandbox.Spec{Project: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			if got := h.Ahead().Round(time.Minute); got != off {
				t.Errorf("its clock is said to be %v ahead, and is %v", got, off)
			}
			was, err := sb.FS().Manifest(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "printf 2 > a; sleep 1000",
				Timeout: 300 * time.Millisecond})
			if err != nil || r.Reason != "timeout" || r.Duration < 300*time.Millisecond || r.Duration > time.Minute {
				t.Errorf("%+v, %v", r, err)
			}
			is, err := sb.FS().Manifest(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var changed []string
			for _, f := range is {
				if !slices.Contains(was, f) {
					changed = append(changed, f.Path)
				}
			}
			if !slices.Equal(changed, []string{"a"}) {
				t.Errorf("%q changed", changed)
			}
		})
	}
}

// TestCacheOfAnotherTime: trees that a hand kept are found whatever their times are, and
// those in use are not taken away.
func TestCacheOfAnotherTime(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := tree.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := &tree.Cache{Dir: kept, Limit: 1 << 20}
	fetch := func(e tree.Entry) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, e.Path)) }
	if _, err := first.Put(l, fetch); err != nil {
		t.Fatal(err)
	}
	for _, off := range []time.Duration{-20 * time.Hour, 20 * time.Hour} {
		at := time.Now().Add(off)
		if err := os.Chtimes(filepath.Join(kept, l.Digest()), at, at); err != nil {
			t.Fatal(err)
		}
		if (&tree.Cache{Dir: kept, Limit: 1 << 20}).Get(l.Digest()) == "" {
			t.Errorf("a tree of %v from now is not found", off)
		}
	}
}
