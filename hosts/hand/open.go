package hand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// relayed is a world whose guest can be asked by somebody else.
type relayed interface {
	Relay(conn io.ReadWriteCloser) error
}

// elsewhere is a gate that is served by the brain, over the guest's connection.
type elsewhere struct{}

func (elsewhere) Serve(func() (io.ReadWriteCloser, error)) {}

// open opens a world; then the stream is the connection to its guest.
func (h *hand) open(ctx context.Context, s *link.Stream, c protocol.Call) {
	w, err := h.opened(ctx, c.Open)
	if err != nil {
		_ = wire.WriteFrame(s, protocol.Failed(err)) // a brain that is gone needs no answer
		return
	}
	if err := wire.WriteFrame(s, protocol.Answer{}); err != nil {
		return // the link has ended, and with it all worlds
	}
	_ = w.(relayed).Relay(s)
}

// opened opens the world that a call asks for, with the programs of this machine that it
// may have.
func (h *hand) opened(ctx context.Context, o *protocol.Open) (sandbox.Sandbox, error) {
	if o == nil {
		return nil, errors.New("nothing to open")
	}
	b, tools, err := h.ready()
	if err != nil {
		return nil, err
	}
	spec, err := h.spec(o, tools)
	if err != nil {
		return nil, err
	}
	w, err := b.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	if _, ok := w.(relayed); !ok {
		return nil, errors.Join(errors.New("this sandbox can't be asked from another machine"), w.Close())
	}
	h.mu.Lock()
	taken := h.ended || h.worlds[o.World] != nil
	if !taken {
		h.worlds[o.World] = w
	}
	h.mu.Unlock()
	if taken {
		return nil, errors.Join(fmt.Errorf("there is no room for sandbox %d", o.World), w.Close())
	}
	return w, nil
}

// spec puts this machine's paths into what a world is described by.
func (h *hand) spec(o *protocol.Open, tools []string) (sandbox.Spec, error) {
	spec := o.Spec
	var errs []error
	at := func(digest string) string {
		if digest == "" {
			return ""
		}
		path := ""
		if filepath.Base(digest) == digest {
			path = h.Cache.Get(digest)
		}
		if path == "" {
			errs = append(errs, fmt.Errorf("the tree %.12q is not here any more", digest))
		}
		return path
	}
	spec.Project, spec.Prepared, spec.Caches, spec.Concealed = at(o.Project), at(o.Prepared), at(o.Caches), nil
	spec.Root = sandbox.Root{}
	if o.Root != "" { // its sums hold for files that are new now
		spec.Root = sandbox.Root{Dir: at(o.Root), Sealed: h.now()}
	}
	if len(o.ReadOnly) != len(spec.ReadOnly) {
		return spec, errors.New("mounts without trees")
	}
	for i, digest := range o.ReadOnly {
		spec.ReadOnly[i].Source = at(digest)
	}
	if spec.Filesystem == sandbox.Unrestricted {
		errs = append(errs, errors.New("filesystem: unrestricted shows the files of one machine, and no hand's"))
	}
	if h.setup.OwnTools && len(spec.ToolPaths) > 0 {
		spec.ToolPaths = tools
	}
	if o.Gate {
		spec.Gate = elsewhere{}
	}
	if o.Gateway {
		spec.Gateway = elsewhere{}
	}
	if o.State != 0 {
		h.mu.Lock()
		spec.State = h.states[o.State]
		h.mu.Unlock()
		if spec.State == nil {
			errs = append(errs, errNoState)
		}
	}
	return spec, errors.Join(errs...)
}
