package tree

import (
	"context"

	"cookoff/sandbox"
)

// Read gives files of a world by path, those left out that are not there or too large.
// nil: no path was asked for. Errors are the sandbox's.
func Read(ctx context.Context, sb sandbox.Sandbox, paths []string) (map[string]sandbox.Item, error) {
	if paths == nil {
		return nil, nil
	}
	out := map[string]sandbox.Item{}
	err := sb.FS().Pack(ctx, paths, func(it sandbox.Item) error {
		if !it.Gone && it.Left == "" {
			out[it.Path] = it
		}
		return nil
	})
	return out, err
}
