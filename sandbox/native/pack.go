package native

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// Pack asks for files in batches: what one answer holds is bounded, and the
// next is asked for once it was taken.
func (f files) Pack(ctx context.Context, paths []string, each func(sandbox.Item) error) error {
	for len(paths) > 0 {
		names, size := []guest.Name{}, 0
		for _, p := range paths[:min(len(paths), guest.MaxItems)] {
			if size += len(p); size > guest.MaxBatch/2 && len(names) > 0 {
				break
			}
			names = append(names, guest.Name(p))
		}
		got, err := ask[[]guest.Item](ctx, f.c, guest.OpPack, names)
		if err != nil {
			return err
		}
		if len(got) == 0 || len(got) > len(names) {
			return unavailable("pack", fmt.Errorf("%w: %d files for %d", guest.ErrFrame, len(got), len(names)))
		}
		for i, g := range got {
			if string(g.Path) != paths[i] || len(g.Data) > sandbox.MaxItem {
				return unavailable("pack", fmt.Errorf("%w: %q with %d bytes for %q", guest.ErrFrame, clean(string(g.Path)), len(g.Data), paths[i]))
			}
			it := sandbox.Item{Path: paths[i], Gone: g.Gone, Mode: g.Mode, Size: g.Size, Link: string(g.Link), Time: g.Time, Data: g.Data, Left: clean(string(g.Left))}
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
	var gone, dirs, rest []guest.Item
	for _, it := range items {
		if it.Mode.IsRegular() && int64(len(it.Data)) > sandbox.MaxItem {
			return &sandbox.FileError{Op: "unpack", Path: it.Path, Reason: fmt.Sprintf("more than %d bytes", sandbox.MaxItem)}
		}
		g := guest.Item{Path: guest.Name(it.Path), Gone: it.Gone, Mode: it.Mode, Size: it.Size, Link: guest.Name(it.Link), Time: it.Time, Data: it.Data, Left: guest.Name(it.Left)}
		switch {
		case it.Gone:
			gone = append(gone, g)
		case it.Mode.IsDir():
			dirs = append(dirs, g)
		default:
			rest = append(rest, g)
		}
	}
	deepest := func(a, b guest.Item) int {
		return cmp.Compare(strings.Count(string(b.Path), "/"), strings.Count(string(a.Path), "/"))
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
func (f files) place(ctx context.Context, items []guest.Item) error {
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < guest.MaxItems && size < guest.MaxBatch {
			size += len(items[n].Data)
			n++
		}
		if err := f.c.call(ctx, guest.OpUnpack, items[:n], nil); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
