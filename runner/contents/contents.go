// Package contents keeps what is in the files that a trial changed, on disk.
package contents

import (
	"context"
	"errors"
	"fmt"
	"os"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/trial/final"
)

// Store holds contents of files, by their SHA-256, in a file that has no
// name: a trial that changed much must not fill the memory.
type Store struct {
	file *os.File
	at   map[string]extent
	end  int64
}

type extent struct{ off, size int64 }

// put keeps the content of v.
func (c *Store) put(v *final.File, data []byte) error {
	v.Keep(data)
	v.Data = nil
	if _, ok := c.at[v.Content]; ok {
		return nil
	}
	if c.file == nil {
		f, err := temporary.File("", "cookoff-*")
		if err != nil {
			return err
		}
		c.file = f
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
	}
	if _, err := c.file.WriteAt(data, c.end); err != nil {
		return err
	}
	if c.at == nil {
		c.at = map[string]extent{}
	}
	c.at[v.Content] = extent{c.end, int64(len(data))}
	c.end += int64(len(data))
	return nil
}

// Data gives the content of v back.
func (c *Store) Data(v *final.File) ([]byte, error) {
	x, ok := c.at[v.Content]
	if !ok {
		return nil, errors.New("a content that was not kept")
	}
	b := make([]byte, x.size)
	_, err := c.file.ReadAt(b, x.off)
	return b, err
}

// Close gives the disk back; a nil Store has none.
func (c *Store) Close() {
	if c != nil && c.file != nil {
		c.file.Close()
	}
}

// Gather fetches the contents of files from a sandbox, at most max bytes more:
// each of versions that has one gets it, or the reason why not.
func (c *Store) Gather(ctx context.Context, sb sandbox.Sandbox, g Wanted) error {
	end := c.end + g.Max
	return sb.FS().Pack(ctx, g.Paths, func(it sandbox.Item) error {
		v := g.Versions[it.Path]
		v.Time = it.Time
		if !v.Mode.IsRegular() {
			return nil
		}
		secret := g.Secret(it.Data)
		switch {
		case it.Gone || it.Mode != v.Mode || it.Size != v.Size:
			v.Missing = "is no longer what it was"
		case it.Left != "":
			v.Missing = it.Left
		case secret != "":
			v.Missing = "holds the value of " + secret
		case c.end+int64(len(it.Data)) > end:
			v.Missing = fmt.Sprintf("more than %d MiB of changed files", g.Max>>20)
		default:
			return c.put(v, it.Data)
		}
		return nil
	})
}

// Wanted is what Gather fetches.
type Wanted struct {
	Paths    []string
	Versions map[string]*final.File
	Max      int64
	Secret   func([]byte) string // the name of a secret that stands in it
}
