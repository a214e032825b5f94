package cookoff

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/internal/remote"
)

// MixedHosts is the permission that lets a comparison run on hosts whose tools differ.
const MixedHosts = "mixed-hosts"

// reach has the trials run on the hosts that are asked for, once all of them answer.
func (c *Comparison) reach(ctx context.Context) error {
	if len(c.opt.Hosts) == 0 {
		return nil
	}
	local := c.env.Backend
	w := remote.Wanted{Names: c.opt.Hosts, Host: c.host, Recipe: c.recipe, Local: local, Tools: c.env.ToolPaths,
		Limit: c.atMost, CopySelf: c.opt.CopySelf,
		Mixed: slices.Contains(c.opt.Allow, MixedHosts), AtEnd: c.keep,
		Say:  func(text string) { c.opt.Notify(Notice{Text: text, Warning: true}) },
		Tell: func(text string) { c.opt.Notify(Notice{Text: text}) }}
	got, err := remote.Open(ctx, w)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return faults.Machinef("%w", err)
	}
	for _, line := range got.Mixed {
		c.opt.Notify(Notice{Kind: host.Asking, Text: "the hosts differ: " + line, Warning: true})
	}
	for _, line := range got.Slow {
		c.opt.Notify(Notice{Text: line + ": what is timed there is another time", Warning: true})
	}
	c.env.Seats, c.env.Backend, c.env.Preparing = got.Seats, got.Seats.Backend(), local
	c.env.Mixed = got.Mixed
	c.opt.Parallel, c.env.Cores = got.Seats.Room(), 0
	c.env.Programs = nil // they are the hosts'
	c.env.Tools = fmt.Sprintf("%x", sha256.Sum256([]byte(got.Tools)))
	return nil
}
