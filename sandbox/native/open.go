package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/client"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// host is what was found out about this machine and is in use on it.
type host struct {
	place  place
	plain  bool               // no overlays here: worlds are copies
	uids   map[int]bool       // lent to sandboxes
	idmaps map[idmap]*os.File // user namespaces for mounts

	thread chan func() // what starts processes

	engines map[string]engine       // of containers, by image
	guests  map[string]guestProgram // for containers, by program
}

// world is an open sandbox.
type world struct {
	b   *backend
	dir string
	*client.Client
	fileMode
	uid    int // of the agent on the host
	from   *state
	lower  []stratum
	parted bool // the guest is another user than what it starts
	rest   *plan.Rest
	super  bool     // commands run as root of its namespace
	path   []string // where an image has its programs
	kill   func()
	gone   chan struct{} // closed when no process of it is left
	first  int           // PID 1 of it, as it is called here, where the builder starts that itself
	errOut *bothEnds
	shut   func()        // ends the proxy and the gateway inside; nil: it did not open
	group  *cgroup.Group // nil: the guest watches the limits

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
	sandbox.Waker
} = (*world)(nil)

// Open makes a sandbox.
func (b *backend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.foreign && len(spec.ToolPaths) > 0 {
		return nil, sandbox.Unavailable("opening a sandbox",
			fmt.Errorf("%s can't be shown: its programs are for %s, and a container runs Linux\nhint: drop tool_paths from [sandbox], and take an image that has them", spec.ToolPaths[0], runtime.GOOS))
	}
	if spec.Root.Dir != "" { // its programs need others than this machine's
		spec.ToolPaths = nil
	}
	if err := checkSpec(&spec, b.builder.facts()); err != nil {
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
	w := &world{b: b, gone: make(chan struct{})}
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
	if b.host.plain || !errors.Is(err, errMapped) && !strings.Contains(err.Error(), plan.OverlayFailed) {
		return false
	}
	b.host.plain = true
	return true
}

// open does the work; what it leaves half done, abandon takes away.
func (w *world) open(ctx context.Context, spec sandbox.Spec) error {
	var err error
	if w.fileMode, err = w.b.mode(spec); err != nil {
		return err
	}
	w.super = spec.User == sandbox.SuperUser
	if err := w.stack(spec); err != nil {
		return err
	}
	w.uid = w.b.lendUID()
	p, files, err := w.prepare(spec)
	defer closeAll(files)
	if err != nil {
		return err
	}
	w.rest = p.Rest
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
	cfg := wire.Config{Env: environment(spec, cachesOf(p, spec), w.path), Limits: spec.Limits, Copied: w.copied(),
		Elsewhere: p.Whole != nil, Clock: w.b.foreign, Proxy: spec.Gate != nil, Gateway: spec.Gateway != nil,
		OwnNetwork: !p.Network, SocketBuffer: socketBuffer(), Watched: w.b.watches(w.group) &&
			!w.b.testOnlyOff.Has(plan.SeenMemory),
		Scope: p.Scope > 0, Memory: cgroup.InMemory(w.dir), TestOnlyBlind: w.b.testOnlyOff.Has(plan.WatchedLimits),
		TestOnlyCrowd:    w.b.testOnlyOff.Has(plan.ProcessLimit),
		TestOnlyDumpable: w.b.testOnlyOff.Has(plan.Undumpable), TestOnlySparing: w.b.testOnlyOff.Has(plan.KilledTree),
		TestOnlyReach: w.b.testOnlyOff.Has(plan.OwnCalls)}
	keepsRest(&cfg, p, spec)
	cfg.Helper, cfg.Agent = p.Helper, p.Agent
	w.parted = len(p.Helper) > 0
	if err := wire.WriteFrame(conn, p.Inner()); err != nil {
		return w.explain(sandbox.Unavailable("sending the plan", err))
	}
	ctx, cancel := context.WithTimeout(ctx, w.b.builder.facts().patience)
	defer cancel()
	if err := w.Call(ctx, wire.OpConfig, cfg, nil); err != nil {
		return w.explain(err)
	}
	if err := w.opened(w.dir); err != nil {
		return err
	}
	w.shut = w.ServeGates(spec.Gate, spec.Gateway)
	return nil
}

// explain adds what a dying guest said.
func (w *world) explain(err error) error {
	w.End(err) // whoever gave up waiting leaves a guest that lives
	w.kill()
	<-w.gone // then all is said
	return w.b.builder.explain(err, w.errOut.String())
}

// serve takes the guest's replies; a guest that breaks the protocol dies.
func (w *world) serve() {
	_ = w.Client.Serve()
	w.kill()
}

// run starts cmd.
func (w *world) run(cmd *exec.Cmd) error {
	w.group.Hold(cmd)
	if err := w.b.onThread(cmd.Start); err != nil {
		return err
	}
	w.first = cmd.Process.Pid
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

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
