package native

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/container"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/layers"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/scratch"
	"cookoff/sandbox/shipped"
	"cookoff/sandbox/users"
)

// backend makes worlds of the running binary.
type backend struct {
	builder  launch.Builder
	space    *scratch.Space
	store    *layers.Store
	programs *shipped.Programs
	users    users.Pool
	groups   cgroup.Groups
	thread   launch.Thread // that starts the worlds' processes
	naps     naps

	testOnlyOff plan.Without
}

// newBackend makes a backend whose worlds are built by what builder gives for it.
func newBackend(o Options, builder func(*backend) launch.Builder) *backend {
	b := &backend{space: &scratch.Space{Base: o.Dir}}
	b.store = &layers.Store{Space: b.space, GoCache: o.GoCache, PythonCache: o.PythonCache, Owners: &layers.Owners{},
		Sums: o.Sums}
	b.programs = &shipped.Programs{Guest: o.Guest, ReadBuild: o.ReadBuild, Space: b.space}
	b.builder = builder(b)
	b.naps.when = hibernation(os.Getenv(hibernateVar))
	b.store.Layered = b.builder.Facts().Layers
	// Started by root, a program that builds worlds is another user: it may pass, and
	// see what is its own.
	b.space.Passable = !b.store.Layered && users.IsRoot()
	return b
}

// newContainer makes the backend that has podman or docker build the world
// from an image. image is that of worlds which name none.
func newContainer(o Options, image string) *backend {
	b := newBackend(o, func(b *backend) launch.Builder {
		return &container.Builder{Image: image, Programs: b.programs}
	})
	b.programs.Foreign = runtime.GOOS != "linux"
	return b
}

// Open makes a world.
func (b *backend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.programs.Foreign && len(spec.ToolPaths) > 0 {
		return nil, sandbox.Unavailable("opening a sandbox",
			fmt.Errorf("%s can't be shown: its programs are for %s, and a container runs Linux\n"+
				"hint: drop tool_paths from [sandbox], and take an image that has them",
				spec.ToolPaths[0], runtime.GOOS))
	}
	if spec.Root.Dir != "" { // its programs need others than this machine's
		spec.ToolPaths = nil
	}
	if err := checkSpec(&spec, b.builder.Facts()); err != nil {
		return nil, sandbox.Unavailable("opening a sandbox", err)
	}
	w, err := b.open(ctx, spec)
	if err != nil && ctx.Err() == nil && b.store.Refused(err) {
		w, err = b.open(ctx, spec)
	}
	switch {
	case err == nil:
		return w, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, sandbox.Unavailable("opening a sandbox", cramped(err))
}

// agent lends a world its user; worlds with several share those that there are.
func (b *backend) agent(spec sandbox.Spec) (users.Agent, error) {
	if !spec.User.Many() {
		return b.users.Lend(), nil
	}
	span, err := users.Spanned()
	return span.Agent(), err
}

// open tries once, and leaves nothing behind when it fails.
func (b *backend) open(ctx context.Context, spec sandbox.Spec) (*world, error) {
	agent, err := b.agent(spec)
	if err != nil {
		return nil, err
	}
	w := &world{b: b, spec: spec, agent: agent}
	if err := w.open(ctx); err != nil {
		err = w.files.Crowded(err)
		w.abandon()
		return nil, err
	}
	return w, nil
}

// Check opens a world and tries it.
func (b *backend) Check(ctx context.Context) error { return check(ctx, b, sandbox.Spec{}) }

// Close gives back what the backend holds on this machine between worlds: a
// directory and a control group. Files of states that are not released stay,
// and what still lives; scratch.Leftovers finds them later.
func (b *backend) Close() error {
	if !b.groups.Leave() {
		return nil
	}
	return b.space.Close()
}

// group makes the control group of a world that this program's own processes
// are in, which has the files in dir; nil where there can be none.
func (b *backend) group(dir string, l sandbox.Limits) *cgroup.Group {
	tmpfses := b.builder.Facts().Tmpfses
	if tmpfses == 0 {
		return nil
	}
	s, err := b.groups.Scope(b.space.NoteScope)
	if err != nil || b.testOnlyOff.Has(plan.ControlGroup) {
		return nil
	}
	g, err := s.Group(filepath.Base(dir), cgroup.LimitsOf(l, tmpfses, cgroup.InMemory(dir)))
	if err != nil {
		return nil // as where there is no scope: the limits are watched
	}
	return g
}
