package native

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// files is the sandbox's file system, asked of the guest.
type files struct{ c *client }

func (f files) Read(ctx context.Context, path string, off, n int64) (sandbox.Chunk, error) {
	got, err := ask[guest.Piece](ctx, f.c, guest.OpRead, guest.ReadArgs{Path: guest.Name(path), Off: off, N: n})
	return sandbox.Chunk{Data: got.Data, Size: got.Size, Mode: got.Mode}, err
}

func (f files) Write(ctx context.Context, path string, data []byte) error {
	if len(data) > guest.MaxFile {
		return &sandbox.FileError{Op: "write", Path: path, Reason: fmt.Sprintf("more than %d bytes at once", guest.MaxFile)}
	}
	return f.c.call(ctx, guest.OpWrite, guest.WriteArgs{Path: guest.Name(path), Bytes: guest.Bytes{Data: data}}, nil)
}

func (f files) List(ctx context.Context, dir string) ([]sandbox.Entry, error) {
	got, err := ask[[]guest.Entry](ctx, f.c, guest.OpList, guest.Name(dir))
	if err != nil {
		return nil, err
	}
	entries := make([]sandbox.Entry, 0, len(got))
	for _, e := range got {
		entries = append(entries, sandbox.Entry{Name: string(e.Name), Mode: e.Mode, Size: e.Size, Link: string(e.Link)})
	}
	return entries, nil
}

func (f files) Find(ctx context.Context, q sandbox.FindQuery) ([]string, bool, error) {
	got, err := ask[guest.Found](ctx, f.c, guest.OpFind, q)
	if err != nil {
		return nil, false, err
	}
	paths := make([]string, 0, len(got.Paths))
	for _, p := range got.Paths {
		paths = append(paths, string(p))
	}
	sort.Strings(paths)
	return paths, got.More, nil
}

func (f files) Grep(ctx context.Context, q sandbox.GrepQuery) ([]sandbox.GrepLine, bool, error) {
	got, err := ask[guest.Lines](ctx, f.c, guest.OpGrep, q)
	if err != nil {
		return nil, false, err
	}
	lines := make([]sandbox.GrepLine, 0, len(got.Lines))
	for _, l := range got.Lines {
		lines = append(lines, sandbox.GrepLine{Path: string(l.Path), Line: l.Line, Text: string(l.Text), Match: l.Match})
	}
	return lines, got.More, nil
}

func (f files) Manifest(ctx context.Context, globs []string) (sandbox.Manifest, error) {
	names := make([]guest.Name, 0, len(globs))
	for _, g := range globs {
		names = append(names, guest.Name(g))
	}
	m := sandbox.Manifest{}
	err := f.c.call(ctx, guest.OpManifest, names, func(r guest.Reply) error {
		var part []guest.File
		if err := json.Unmarshal(r.Body, &part); err != nil {
			return err
		}
		for _, e := range part {
			m = append(m, sandbox.File{Path: string(e.Path), Mode: e.Mode, Size: e.Size, Sum: e.Sum, Link: string(e.Link),
				Owner: e.Owner, Attrs: e.Attrs, Touched: e.Touched})
		}
		return nil
	})
	sort.Slice(m, func(i, j int) bool { return m[i].Path < m[j].Path })
	return m, err
}
