package native

import (
	"cookoff/sandbox/trees"
	"errors"
	"io"
	"os"
	"strings"
)

// Close gives back what the backend holds on this machine between worlds: a
// directory and a control group. Files of states that are not released stay,
// and what still lives; Leftovers finds them later.
func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := &b.host
	if !b.groups.Leave() {
		return nil
	}
	if h.place.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(h.place.dir)
	for _, e := range entries {
		// The guest that containers are shown is the process's, not a world's.
		if e.Name() != lockName && e.Name() != scopeNote && !strings.HasPrefix(e.Name(), "guest") {
			return err
		}
	}
	err = errors.Join(err, trees.Remove(h.place.dir), h.place.lock.Close())
	h.place, h.guests = place{}, nil
	return err
}

// Close closes every backend that a choice led to.
func (c *chosen) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, b := range c.made {
		err = errors.Join(err, closeBackend(b))
	}
	return err
}

// Close closes the backend.
func (v *vouched) Close() error { return closeBackend(v.Backend) }

func closeBackend(b any) error {
	if c, ok := b.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
