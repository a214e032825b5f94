package hosts_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/hand"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/hosts/tree"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/sandbox/sandboxtest"

	"golang.org/x/sys/unix"
)

// wire is a connection that nobody says anything beside.
type wire struct{ net.Conn }

func (wire) Stderr() string { return "" }

// pair makes both ends of a connection.
func pair(t testing.TB) (ours, theirs net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "end")
		if ends[i], err = net.FileConn(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return ends[0], ends[1]
}

// quick are the times of links in tests that wait for a silence.
var quick = link.Options{Beat: 20 * time.Millisecond, Silence: 10, Stall: 50}

// serve has a hand of this process serve a connection, and gives what it ends with.
func serve(t testing.TB, conn io.ReadWriteCloser, o link.Options) chan error {
	t.Helper()
	ended, cfg := make(chan error, 1), config(t, o)
	go func() { ended <- hand.Serve(context.Background(), conn, cfg) }()
	return ended
}

// config is that of a hand of this process.
func config(t testing.TB, o link.Options) hand.Config {
	return hand.Config{
		Hello: protocol.Hello{Build: "b", Version: "cookoff of a test", Processors: 3}, Link: o,
		Cache: &tree.Cache{Dir: t.TempDir(), Limit: 1 << 30},
		Make: func(context.Context, protocol.Setup) (sandbox.Backend, []string, error) {
			return native.New(native.Options{Dir: filepath.Join(t.TempDir(), "w")}), nil, nil
		},
	}
}

// open gives a host with a hand of this process.
func open(t testing.TB, o link.Options) *hosts.Host {
	t.Helper()
	var hands []chan error
	h := &hosts.Host{Name: "a", Hello: protocol.Hello{Build: "b", Version: "cookoff of a test"}, Trees: &hosts.Trees{},
		Link: o}
	h.Dial = func(context.Context) (hosts.Conn, error) {
		ours, theirs := pair(t)
		hands = append(hands, serve(t, theirs, o))
		return wire{ours}, nil
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		for _, ended := range hands {
			<-ended // with every world closed
		}
	})
	return h
}

// TestPromises: a hand keeps what the backend behind it promises.
func TestPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for half a minute: every promise is tried through a stream")
	}
	accepted := []sandboxtest.Accepted{
		{Name: "Unrestricted", Why: "a hand shows no files of its machine"},
		{Name: "UnrestrictedLimits", Why: "a hand shows no files of its machine"}}
	for _, name := range []string{"Bombs", "Disk", "FileCount", "FileSize", "Giants", "HostileTrees", "HostUnchanged",
		"HostUnreachable", "Processes", "Tmp", "Places", "PlacesFill"} {
		accepted = append(accepted, sandboxtest.Accepted{Name: name,
			Why: "the backend's alone: it tries them itself, and the stream has no part in it"})
	}
	sandboxtest.Run(t, open(t, link.Options{}), accepted...)
}

// TestBuilds: another build is refused by both ends, with both versions.
func TestBuilds(t *testing.T) {
	h := open(t, link.Options{})
	h.Hello = protocol.Hello{Build: "c", Version: "cookoff of another test"}
	_, err := h.Open(t.Context(), sandbox.Spec{})
	if err == nil || !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "cookoff of a test") ||
		!strings.Contains(err.Error(), "cookoff of another test") {
		t.Error(err)
	}
}

// TestBanner: what an engine prints before the hand speaks is no matter, and a
// command that is no hand is shown with what it said.
func TestBanner(t *testing.T) {
	h := open(t, link.Options{})
	dial := h.Dial
	h.Dial = func(ctx context.Context) (hosts.Conn, error) {
		c, err := dial(ctx)
		return banner{c, strings.NewReader("Welcome to build-2!\nLast login: today\n")}, err
	}
	if err := h.Check(t.Context()); err != nil {
		t.Error(err)
	}
	other := &hosts.Host{Name: "b", Trees: &hosts.Trees{},
		Dial: hosts.Command([]string{"sh", "-c", "echo hello; echo no cookoff here >&2"}, os.Environ())}
	err := other.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "hello") || !strings.Contains(err.Error(), "no cookoff here") {
		t.Error(err)
	}
	flood := &hosts.Host{Name: "c", Trees: &hosts.Trees{}, Dial: hosts.Command([]string{"yes"}, os.Environ())}
	if err := flood.Check(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "it said: … y\ny\n") || len(err.Error()) > 200 {
		t.Errorf("what is much is shown whole: %v", err)
	}
}

// banner is a connection that says something first.
type banner struct {
	hosts.Conn
	first *strings.Reader
}

func (b banner) Read(p []byte) (int, error) {
	if b.first.Len() > 0 {
		return b.first.Read(p)
	}
	return b.Conn.Read(p)
}

// TestLost: whichever way a host is lost, what is under way there fails as the
// sandbox's fault within the silence that is allowed, its worlds end, and the host is
// reached again until it was lost too often.
func TestLost(t *testing.T) {
	for name, lose := range map[string]func(ours, theirs *plug){
		"cut":            func(ours, _ *plug) { ours.Close() },
		"silent":         func(ours, theirs *plug) { ours.pull(); theirs.pull() },
		"silent one way": func(_, theirs *plug) { theirs.pull() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, quick)
			var ours, theirs *plug
			var ended chan error
			h.Dial = func(context.Context) (hosts.Conn, error) {
				a, b := pair(t)
				ours, theirs = newPlug(a), newPlug(b)
				ended = serve(t, theirs, quick)
				return wire{ours}, nil
			}
			for range hosts.MaxFaults {
				sb, err := h.Open(t.Context(), sandbox.Spec{})
				if err != nil {
					t.Fatal(err)
				}
				told := make(chan error)
				go func() {
					_, err := sb.Exec(context.Background(), sandbox.Cmd{Script: "sleep 1000"})
					told <- err
				}()
				lose(ours, theirs)
				err = <-told
				var lost *sandbox.HostError
				if !errors.Is(err, sandbox.ErrUnavailable) || !errors.As(err, &lost) || lost.Host != "a" {
					t.Errorf("what was under way ended with %v", err)
				}
				if err := sb.Close(); err != nil {
					t.Error(err)
				}
				if err := <-ended; err == nil {
					t.Error("the hand ended without a reason")
				}
			}
			if _, err := h.Open(t.Context(), sandbox.Spec{}); err == nil || !strings.Contains(err.Error(),
				"given up after 3 faults") {
				t.Errorf("a host that was lost three times opens worlds: %v", err)
			}
		})
	}
}

// TestJobCancelled: a command that ends because everything on its host does has not failed by
// itself, also where it ends first.
func TestJobCancelled(t *testing.T) {
	h := open(t, link.Options{})
	cfg := config(t, link.Options{})
	cfg.Settle = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	h.Dial = func(context.Context) (hosts.Conn, error) {
		ours, theirs := pair(t)
		go func() { ended <- hand.Serve(ctx, theirs, cfg) }()
		return wire{ours}, nil
	}
	sb, err := h.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "echo a"}); err != nil || !r.OK() {
		t.Fatal(r, err)
	}
	told := make(chan error)
	go func() {
		_, err := sb.Exec(context.Background(), sandbox.Cmd{Script: "echo > ends; kill -TERM $$"})
		told <- err
	}()
	for r := (sandbox.Result{Exit: 1}); !r.OK(); { // until the other one ends
		if r, err = sb.Exec(t.Context(), sandbox.Cmd{Script: "until [ -e ends ]; do sleep 0.01; done"}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	var lost *sandbox.HostError
	if err := <-told; !errors.As(err, &lost) || !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("it ended with %v", err)
	}
	<-ended
}

// plug is a connection that can be pulled: then it takes everything and nothing
// comes, without a word.
type plug struct {
	net.Conn
	pulled chan struct{}
	closed chan struct{}
}

func newPlug(c net.Conn) *plug { return &plug{c, make(chan struct{}), make(chan struct{})} }

func (p *plug) pull() { close(p.pulled) }

func (p *plug) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	select {
	case <-p.pulled:
		<-p.closed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (p *plug) Write(b []byte) (int, error) {
	select {
	case <-p.pulled:
		return len(b), nil
	default:
		return p.Conn.Write(b)
	}
}

func (p *plug) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return p.Conn.Close()
}
