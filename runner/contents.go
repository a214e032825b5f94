package runner

import (
	"context"
	"errors"
	"fmt"
	"os"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/trial"
)

// contents are contents of files, by their SHA-256, kept in a file that has no
// name: a trial that changed much must not fill the memory.
type contents struct {
	file *os.File
	at   map[string]extent
	end  int64
}

type extent struct{ off, size int64 }

// put keeps the content of v.
func (c *contents) put(v *trial.FileVersion, data []byte) error {
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

// data gives the content of v back.
func (c *contents) data(v *trial.FileVersion) ([]byte, error) {
	x, ok := c.at[v.Content]
	if !ok {
		return nil, errors.New("a content that was not kept")
	}
	b := make([]byte, x.size)
	_, err := c.file.ReadAt(b, x.off)
	return b, err
}

func (c *contents) close() {
	if c != nil && c.file != nil {
		c.file.Close()
	}
}

// gather fetches the contents of files from a sandbox, at most max bytes more:
// each of versions that has one gets it, or the reason why not.
func (c *contents) gather(ctx context.Context, sb sandbox.Sandbox, g gathering) error {
	end := c.end + g.max
	return sb.FS().Pack(ctx, g.paths, func(it sandbox.Item) error {
		v := g.versions[it.Path]
		v.Time = it.Time
		if !v.Mode.IsRegular() {
			return nil
		}
		secret := g.secret(it.Data)
		switch {
		case it.Gone || it.Mode != v.Mode || it.Size != v.Size:
			v.Missing = "is no longer what it was"
		case it.Left != "":
			v.Missing = it.Left
		case secret != "":
			v.Missing = "holds the value of " + secret
		case c.end+int64(len(it.Data)) > end:
			v.Missing = fmt.Sprintf("more than %d MiB of changed files", g.max>>20)
		default:
			return c.put(v, it.Data)
		}
		return nil
	})
}

// gathering is what gather fetches.
type gathering struct {
	paths    []string
	versions map[string]*trial.FileVersion
	max      int64
	secret   func([]byte) string // the name of a secret that stands in it
}
