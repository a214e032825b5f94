package client

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Pack asks for files in batches: what one answer holds is bounded, and the
// next is asked for once it was taken.
func (f files) Pack(ctx context.Context, paths []string, each func(sandbox.Item) error) error {
	for len(paths) > 0 {
		names, size := []string{}, 0
		for _, p := range paths[:min(len(paths), wire.MaxItems)] {
			if size += len(p); size > wire.MaxBatch/2 && len(names) > 0 {
				break
			}
			names = append(names, p)
		}
		got, err := ask[[]sandbox.Item](ctx, f.c, wire.OpPack, names)
		if err != nil {
			return err
		}
		if len(got) == 0 || len(got) > len(names) {
			return sandbox.Unavailable("pack", fmt.Errorf("%w: %d files for %d", wire.ErrFrame, len(got), len(names)))
		}
		for i, it := range got {
			if it.Path != paths[i] || len(it.Data) > sandbox.MaxItem {
				return sandbox.Unavailable("pack", fmt.Errorf("%w: %q with %d bytes for %q", wire.ErrFrame,
					wire.Clean(it.Path), len(it.Data), paths[i]))
			}
			it.Left = wire.Clean(it.Left)
			if err := each(it); err != nil {
				return err
			}
		}
		paths = paths[len(got):]
	}
	return nil
}

// Unpack makes room first, then directories, then what they hold; the modes
// and times of directories come last, when nothing changes them any more.
func (f files) Unpack(ctx context.Context, items []sandbox.Item) error {
	var gone, dirs, rest []sandbox.Item
	for _, it := range items {
		if it.Mode.IsRegular() && int64(len(it.Data)) > sandbox.MaxItem {
			return &sandbox.FileError{Op: "unpack", Path: it.Path,
				Reason: fmt.Sprintf("more than %d bytes", sandbox.MaxItem)}
		}
		switch {
		case it.Gone:
			gone = append(gone, it)
		case it.Mode.IsDir():
			dirs = append(dirs, it)
		default:
			rest = append(rest, it)
		}
	}
	deepest := func(a, b sandbox.Item) int {
		return cmp.Compare(strings.Count(b.Path, "/"), strings.Count(a.Path, "/"))
	}
	slices.SortStableFunc(gone, deepest)
	slices.SortStableFunc(dirs, deepest)
	open := slices.Clone(dirs)
	slices.Reverse(open)
	for i := range open {
		open[i].Mode |= fs.ModeDir | 0o700
	}
	return f.place(ctx, slices.Concat(gone, open, rest, dirs))
}

// place sends items in batches that fit a frame.
func (f files) place(ctx context.Context, items []sandbox.Item) error {
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < wire.MaxItems && size < wire.MaxBatch {
			size += len(items[n].Data)
			n++
		}
		if err := f.c.Call(ctx, wire.OpUnpack, items[:n], nil); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
