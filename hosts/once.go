package hosts

import (
	"context"
	"sync"
)

// placement is something that is done once, by one at a time: again where it failed.
type placement struct {
	turn chan struct{}
	done bool
}

func (p *placement) once(ctx context.Context, do func() error) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	if p.done {
		return nil
	}
	err := do()
	p.done = err == nil
	return err
}

// keyed keeps what was made for a key, once, by whoever asks first.
type keyed[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]func() (V, error)
}

func (k *keyed[K, V]) get(key K, read func() (V, error)) (V, error) {
	k.mu.Lock()
	f := k.all[key]
	if f == nil {
		if k.all == nil {
			k.all = map[K]func() (V, error){}
		}
		f = sync.OnceValues(read)
		k.all[key] = f
	}
	k.mu.Unlock()
	return f()
}
