package client

import (
	"context"
	"io"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// feedSize bounds one piece of input, so that it fits a frame with ease.
const feedSize = 1 << 20

// program is a program inside, as the host sees it.
type program struct {
	c  *Client
	id uint64

	reading sync.Mutex
	left    []byte // of the last output
	mu      sync.Mutex
	result  *sandbox.Result
}

// Read waits for output. It is not interrupted: the end of the program, or of
// the sandbox, ends it.
func (p *program) Read(b []byte) (int, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for len(p.left) == 0 {
		if _, ended := p.Result(); ended {
			return 0, io.EOF
		}
		got, err := ask[wire.Drained](context.Background(), p.c, wire.OpDrain, p.id)
		if err != nil {
			return 0, err
		}
		if p.left = got.Data; got.Ended != nil {
			p.mu.Lock()
			p.result = got.Ended
			p.mu.Unlock()
		}
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *program) Write(b []byte) (int, error) {
	for n := 0; n < len(b); n += feedSize {
		piece := b[n:min(n+feedSize, len(b))]
		if err := p.c.Call(context.Background(), wire.OpFeed,
			wire.FeedArgs{Program: p.id, Bytes: wire.Bytes{Data: piece}}, nil); err != nil {
			return n, err
		}
	}
	return len(b), nil
}

func (p *program) Close() error {
	if _, ended := p.Result(); ended {
		return nil
	}
	return p.c.Call(context.Background(), wire.OpFeed, wire.FeedArgs{Program: p.id, Close: true}, nil)
}

func (p *program) Result() (sandbox.Result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.result == nil {
		return sandbox.Result{}, false
	}
	return *p.result, true
}

func (p *program) Resize(ctx context.Context, w sandbox.Window) error {
	return p.c.Call(ctx, wire.OpResize, wire.ResizeArgs{Program: p.id, Window: w}, nil)
}

func (p *program) Kill(ctx context.Context) error {
	return p.c.Call(ctx, wire.OpKill, p.id, nil)
}
