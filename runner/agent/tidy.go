package agent

import (
	"context"
	"fmt"
	"strings"

	"cookoff/sandbox"
)

// ownFiles gives those of an agent's own files that are to be removed at the end: what
// lies in the project already is the project's, though the agent may use it.
func ownFiles(ctx context.Context, sb sandbox.Sandbox, state []string) (own []string) {
	var inside []string
	for _, path := range state {
		if strings.HasPrefix(path, "~/") {
			own = append(own, path)
		} else {
			inside = append(inside, path)
		}
	}
	if len(inside) == 0 {
		return own
	}
	_ = sb.FS().Pack(ctx, inside, func(i sandbox.Item) error { // what can't be read is left, and judged
		if i.Gone {
			own = append(own, i.Path)
		}
		return nil
	})
	return own
}

// tidy removes the agent's own files: they are none of what it leaves. What can't be
// removed is left, and judged.
func (c *Contestant) tidy(ctx context.Context, own []string) {
	if len(own) == 0 || ctx.Err() != nil {
		return
	}
	var gone []sandbox.Item
	for _, path := range own {
		gone = append(gone, sandbox.Item{Path: path, Gone: true})
	}
	if err := c.sb.FS().Unpack(ctx, gone); err != nil {
		c.note("agent", fmt.Sprintf("its own files %s were not removed: %v", strings.Join(own, ", "), err))
	}
}
