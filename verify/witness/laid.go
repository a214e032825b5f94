package witness

import (
	"bytes"
	"context"
	"slices"

	"cookoff/sandbox"
)

// HasPath reports whether an item has a path.
func HasPath(items []sandbox.Item, p string) bool {
	return slices.ContainsFunc(items, func(it sandbox.Item) bool { return it.Path == p })
}

// hasGone reports whether an item says that there is no file of a path.
func hasGone(items []sandbox.Item, p string) bool {
	return slices.ContainsFunc(items, func(it sandbox.Item) bool { return it.Path == p && it.Gone })
}

// exchanged names the first of the judge's files that is another by now: code
// under a check may write what the check goes on to read.
func exchanged(ctx context.Context, sb sandbox.Sandbox, items []sandbox.Item) (string, error) {
	var paths []string
	for _, it := range items {
		if it.Mode.IsRegular() && !it.Gone {
			paths = append(paths, it.Path)
		}
	}
	if paths == nil {
		return "", nil
	}
	other := ""
	err := sb.FS().Pack(ctx, paths, func(got sandbox.Item) error {
		i := slices.IndexFunc(items, func(it sandbox.Item) bool { return it.Path == got.Path })
		if other == "" && (i < 0 || got.Gone || !got.Mode.IsRegular() || !bytes.Equal(got.Data, items[i].Data)) {
			other = got.Path
		}
		return nil
	})
	if err != nil || other == "" {
		return "", err
	}
	return "the judge's file " + other + " was changed while the check ran", nil
}
