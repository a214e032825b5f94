package native

import (
	"context"
	"fmt"
	"sort"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// files is the sandbox's file system, asked of the guest.
type files struct{ c *client }

func (f files) Read(ctx context.Context, path string, off, n int64) (sandbox.Chunk, error) {
	return ask[sandbox.Chunk](ctx, f.c, guest.OpRead, guest.ReadArgs{Path: path, Off: off, N: n})
}

func (f files) Write(ctx context.Context, path string, data []byte) error {
	if len(data) > guest.MaxFile {
		return &sandbox.FileError{Op: "write", Path: path, Reason: fmt.Sprintf("more than %d bytes at once", guest.MaxFile)}
	}
	return f.c.call(ctx, guest.OpWrite, guest.WriteArgs{Path: path, Bytes: guest.Bytes{Data: data}}, nil)
}

func (f files) List(ctx context.Context, dir string) ([]sandbox.Entry, error) {
	return ask[[]sandbox.Entry](ctx, f.c, guest.OpList, dir)
}

func (f files) Find(ctx context.Context, q sandbox.FindQuery) ([]string, bool, error) {
	got, err := ask[guest.Found](ctx, f.c, guest.OpFind, q)
	sort.Strings(got.Paths)
	return got.Paths, got.More, err
}

func (f files) Grep(ctx context.Context, q sandbox.GrepQuery) ([]sandbox.GrepLine, bool, error) {
	got, err := ask[guest.Lines](ctx, f.c, guest.OpGrep, q)
	return got.Lines, got.More, err
}

func (f files) Manifest(ctx context.Context, globs []string) (sandbox.Manifest, error) {
	m := sandbox.Manifest{}
	err := f.c.call(ctx, guest.OpManifest, globs, func(r guest.Reply) error {
		var part sandbox.Manifest
		err := guest.Decode(r.Body, &part)
		m = append(m, part...)
		return err
	})
	sort.Slice(m, func(i, j int) bool { return m[i].Path < m[j].Path })
	return m, err
}
