package client

import (
	"context"
	"fmt"
	"sort"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// files is the sandbox's file system, asked of the guest.
type files struct{ c *Client }

func (f files) Read(ctx context.Context, path string, off, n int64) (sandbox.Chunk, error) {
	return ask[sandbox.Chunk](ctx, f.c, wire.OpRead, wire.ReadArgs{Path: path, Off: off, N: n})
}

func (f files) Write(ctx context.Context, path string, data []byte) error {
	if len(data) > wire.MaxFile {
		return &sandbox.FileError{Op: "write", Path: path,
			Reason: fmt.Sprintf("more than %d bytes at once", wire.MaxFile)}
	}
	return f.c.Call(ctx, wire.OpWrite, wire.WriteArgs{Path: path, Bytes: wire.Bytes{Data: data}}, nil)
}

func (f files) List(ctx context.Context, dir string) ([]sandbox.Entry, error) {
	return ask[[]sandbox.Entry](ctx, f.c, wire.OpList, dir)
}

func (f files) Find(ctx context.Context, q sandbox.FindQuery) ([]string, bool, error) {
	got, err := ask[wire.Found](ctx, f.c, wire.OpFind, q)
	sort.Strings(got.Paths)
	return got.Paths, got.More, err
}

func (f files) Grep(ctx context.Context, q sandbox.GrepQuery) ([]sandbox.GrepLine, bool, error) {
	got, err := ask[wire.Lines](ctx, f.c, wire.OpGrep, q)
	return got.Lines, got.More, err
}

func (f files) Manifest(ctx context.Context, globs []string) (sandbox.Manifest, error) {
	m := sandbox.Manifest{}
	args := wire.ManifestArgs{Globs: globs}
	if f.c.noted != nil && len(globs) == 0 {
		args.Data = f.c.noted()
	}
	err := f.c.Call(ctx, wire.OpManifest, args, func(r wire.Reply) error {
		part, err := wire.Part{Bytes: r.Bytes}.Files()
		m = append(m, part...)
		return err
	})
	sort.Slice(m, func(i, j int) bool { return m[i].Path < m[j].Path })
	return m, err
}
