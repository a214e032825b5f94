package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/client"
	"cookoff/sandbox/wire"
)

// setUpTime bounds the making of a sandbox.
const setUpTime = 60 * time.Second

// engineTime bounds it where another program does it: one without root may
// have to copy an image first.
const engineTime = 5 * time.Minute

// goCacheDir is where the warm Go build cache is inside.
const goCacheDir = "/var/cache/go-build"

// host is what was found out about this machine and is in use on it.
type host struct {
	place  place
	plain  bool               // no overlays here: worlds are copies
	uids   map[int]bool       // lent to sandboxes
	idmaps map[idmap]*os.File // user namespaces for mounts

	thread chan func() // what starts processes

	scope   *scope // where the control groups of worlds are; nil: not looked for yet, or noScope
	noScope error

	engines map[string]engine       // of containers, by image
	guests  map[string]guestProgram // for containers, by program
}

// world is an open sandbox.
type world struct {
	b   *backend
	dir string
	*client.Client
	uid    int // of the agent on the host
	from   *state
	lower  []stratum
	plain  bool     // project and home are copies
	parted bool     // the guest is another user than what it starts
	path   []string // where an image has its programs
	hidden []string // what the copy of the project leaves out
	kill   func()
	gone   chan struct{} // closed when no process of it is left
	errOut *bothEnds
	shut   func()   // ends the proxy inside; nil: there is none
	whole  *outside // nil: not the whole host is shown
	group  *group   // nil: the guest watches the limits

	mu     sync.Mutex
	sealed bool
	closed bool
}

var _ interface {
	sandbox.Starter
	sandbox.Background
	sandbox.Dialer
	sandbox.Copier
	sandbox.Partial
} = (*world)(nil)

// Open makes a sandbox.
func (b *backend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.foreign && len(spec.ToolPaths) > 0 {
		return nil, sandbox.Unavailable("opening a sandbox", fmt.Errorf("%s can't be shown: its programs are for %s, and a container runs Linux\nhint: drop tool_paths from [sandbox], and take an image that has them", spec.ToolPaths[0], runtime.GOOS))
	}
	_, ofImage := b.via.(*container)
	if err := checkSpec(&spec, ofImage); err != nil {
		return nil, sandbox.Unavailable("opening a sandbox", err)
	}
	w, err := b.open(ctx, spec)
	if err != nil && ctx.Err() == nil && b.noOverlay(err) {
		w, err = b.open(ctx, spec)
	}
	switch {
	case err == nil:
		return w, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, sandbox.Unavailable("opening a sandbox", err)
}

// open tries once, and leaves nothing behind when it fails.
func (b *backend) open(ctx context.Context, spec sandbox.Spec) (*world, error) {
	w := &world{b: b, gone: make(chan struct{}), plain: b.isPlain()}
	if err := w.open(ctx, spec); err != nil {
		w.abandon()
		return nil, err
	}
	return w, nil
}

func (b *backend) isPlain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.host.plain
}

// noOverlay reports whether err says for the first time that overlays can't
// be had here; from then on worlds are copies.
func (b *backend) noOverlay(err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.host.plain || !errors.Is(err, errMapped) && !strings.Contains(err.Error(), overlayFailed) {
		return false
	}
	b.host.plain = true
	return true
}

// open does the work; what it leaves half done, abandon takes away.
func (w *world) open(ctx context.Context, spec sandbox.Spec) error {
	if err := w.checkWhole(spec); err != nil {
		return err
	}
	if err := w.stack(spec); err != nil {
		return err
	}
	w.uid = w.b.lendUID()
	p, files, err := w.prepare(spec)
	defer closeAll(files)
	if err != nil {
		return err
	}
	if p.Whole != nil {
		w.whole = &outside{parts: p.Whole.Parts, opened: time.Now()}
	}
	w.group = w.b.group(w, spec.Limits)
	conn, err := w.start(files, &p)
	if err != nil {
		return err
	}
	w.Client = client.New(conn)
	if w.group == nil { // whom a limit of a group ends, the kernel counts too
		w.WatchMemory()
	}
	go w.serve()
	cfg := wire.Config{Env: environment(spec, p.GoCache != nil, w.path), Limits: spec.Limits, Copied: w.plain, Elsewhere: p.Whole != nil, Clock: w.b.foreign, Proxy: spec.Gate != nil,
		OwnNetwork: !p.Network, SocketBuffer: socketBuffer(), Watched: w.b.watches(w.group) && !w.b.testOnlyOff.has(seenMemory),
		Scope: p.Scope > 0, Memory: inMemory(w.dir), TestOnlyBlind: w.b.testOnlyOff.has(watchedLimits), TestOnlyCrowd: w.b.testOnlyOff.has(processLimit),
		TestOnlyDumpable: w.b.testOnlyOff.has(undumpable), TestOnlySparing: w.b.testOnlyOff.has(killedTree),
		TestOnlyReach: w.b.testOnlyOff.has(ownCalls)}
	cfg.Helper, cfg.Agent = p.Helper, p.Agent
	w.parted = len(p.Helper) > 0
	if err := wire.WriteFrame(conn, p.inner()); err != nil {
		return w.explain(sandbox.Unavailable("sending the plan", err))
	}
	patience := setUpTime
	if w.b.via != nil {
		patience = engineTime
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := w.Call(ctx, wire.OpConfig, cfg, nil); err != nil {
		return w.explain(err)
	}
	if w.whole != nil {
		if w.whole.left, err = readLeft(w.dir); err != nil {
			return err
		}
	}
	if spec.Gate != nil {
		w.shut = w.ServeGate(spec.Gate)
	}
	return nil
}

// explain adds what a dying guest said.
func (w *world) explain(err error) error {
	if w.b.via != nil {
		w.End(err) // whoever gave up waiting leaves a guest that lives
		w.kill()
		<-w.gone // then all is said
		return w.b.via.explain(err, w.errOut.String())
	}
	if s := w.errOut.String(); s != "" && errors.Is(err, sandbox.ErrUnavailable) && !strings.Contains(err.Error(), s) {
		return fmt.Errorf("%w\n%s", err, wire.Printable(s))
	}
	return err
}

// serve takes the guest's replies; a guest that breaks the protocol dies.
func (w *world) serve() {
	_ = w.Client.Serve()
	w.kill()
}

// via is another program that builds worlds and starts guests in them.
type via interface {
	// start prepares the start of a guest.
	start(w *world, p *plan) (*started, error)
	// explain makes an error of what the program said when no guest answered.
	explain(err error, said string) error
}

// started is a program that is about to run, and the connection to the guest
// that it will start.
type started struct {
	conn  io.ReadWriteCloser
	cmd   *exec.Cmd
	given []*os.File // open for cmd only
	// running is called once the program runs, and gives what kills the guest.
	// cmd ends when no process of the world is left.
	running func() (kill func(), err error)
}

// start runs the set-up.
func (w *world) start(layers []*os.File, p *plan) (io.ReadWriteCloser, error) {
	w.errOut = &bothEnds{}
	if w.b.via == nil {
		return w.startNative(layers, p)
	}
	s, err := w.b.via.start(w, p)
	if err != nil {
		return nil, err
	}
	err = w.run(s.cmd)
	closeAll(s.given)
	if err != nil {
		s.conn.Close()
		return nil, w.b.via.explain(fmt.Errorf("starting %s: %w", s.cmd.Args[0], err), "")
	}
	stop := w.kill
	if w.kill, err = s.running(); err != nil {
		stop()
		w.kill = stop
		s.conn.Close()
		<-w.gone
		return nil, w.b.via.explain(err, w.errOut.String())
	}
	w.kill = sync.OnceFunc(w.kill)
	return s.conn, nil
}

// run starts cmd.
func (w *world) run(cmd *exec.Cmd) error {
	w.group.hold(cmd)
	if err := w.b.onThread(cmd.Start); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // PID 1 is reaped after every process of its namespace
		close(w.gone)
	}()
	w.kill = sync.OnceFunc(func() { _ = cmd.Process.Kill() })
	return nil
}

// onThread calls start on a thread that lives as long as this process does: the
// kernel takes the end of the thread that started a process for the end of its
// parent.
func (b *backend) onThread(start func() error) error {
	b.mu.Lock()
	if b.host.thread == nil {
		b.host.thread = make(chan func())
		go func() {
			runtime.LockOSThread()
			for f := range b.host.thread {
				f()
			}
		}()
	}
	b.mu.Unlock()
	done := make(chan error, 1)
	b.host.thread <- func() { done <- start() }
	return <-done
}

// errForbidden says that this program may make no user namespaces here.
var errForbidden = errors.New("making namespaces")

// lendUID takes a user for one sandbox. Other cookoff processes take theirs
// from other places of the range.
func (b *backend) lendUID() int {
	if !isRoot() {
		return os.Getuid()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.host.uids == nil {
		b.host.uids = map[int]bool{}
	}
	uid := firstUID + os.Getpid()%1000*64
	for b.host.uids[uid] {
		uid++
	}
	b.host.uids[uid] = true
	return uid
}

func (b *backend) returnUID(uid int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.host.uids, uid)
}

// firstMax and lastMax bound what is kept of what a program says: a traceback
// says at its beginning why, most others do at their end.
const (
	firstMax = 2048
	lastMax  = 1024
)

// bothEnds keeps the beginning and the end of what is written to it.
type bothEnds struct {
	mu          sync.Mutex
	first, last []byte
	left        int64 // how much is left out between them
}

func (e *bothEnds) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(len(p), firstMax-len(e.first))
	e.first = append(e.first, p[:n]...)
	e.last = append(e.last, p[n:]...)
	if over := len(e.last) - lastMax; over > 0 {
		e.left += int64(over)
		e.last = bytes.Clone(e.last[over:])
	}
	return len(p), nil
}

func (e *bothEnds) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left == 0 {
		return string(e.first) + string(e.last)
	}
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", e.first, e.left, e.last)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// duplex is two pipes as one connection.
type duplex struct{ in, out *os.File }

func (d duplex) Read(b []byte) (int, error) { return d.in.Read(b) }

func (d duplex) Write(b []byte) (int, error) { return d.out.Write(b) }

func (d duplex) SetWriteDeadline(at time.Time) error { return d.out.SetWriteDeadline(at) }

func (d duplex) Close() error { return errors.Join(d.in.Close(), d.out.Close()) }

// pipes is a connection, and a program's standard input and output at the
// other end of it.
func pipes() (duplex, []*os.File, error) {
	stdin, out, err := os.Pipe()
	if err != nil {
		return duplex{}, nil, err
	}
	in, stdout, err := os.Pipe()
	if err != nil {
		closeAll([]*os.File{stdin, out})
		return duplex{}, nil, err
	}
	return duplex{in, out}, []*os.File{stdin, stdout}, nil
}
