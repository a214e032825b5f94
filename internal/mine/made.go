package mine

import (
	"context"

	"cookoff/sandbox"
)

// untouched gives files as a world had them before any test ran, those that there were none of as gone: tests
// rewrite what was prepared, too, as cargo does a lockfile that git ignores. Where nothing was prepared the files of
// commits are all that a world begins with.
func (w *world) untouched(ctx context.Context, paths []string) (items []sandbox.Item, err error) {
	if w.prepared == "" || len(paths) == 0 {
		for _, p := range paths {
			items = append(items, sandbox.Item{Path: p, Gone: true})
		}
		return items, nil
	}
	if w.first == nil {
		if w.first, err = w.again(ctx); err != nil {
			return nil, err
		}
	}
	err = w.first.FS().Pack(ctx, paths, func(it sandbox.Item) error {
		if it.Gone = it.Gone || w.tracked[it.Path]; it.Gone {
			it = sandbox.Item{Path: it.Path, Gone: true}
		}
		if it.Left == "" {
			items = append(items, it)
		}
		return nil
	})
	return items, err
}
