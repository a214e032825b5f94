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
func (p *preparation) reach(ctx context.Context) error {
	if len(p.opt.Hosts) == 0 {
		return nil
	}
	local := p.env.Backend
	w := remote.Wanted{Names: p.opt.Hosts, Host: p.host, Recipe: p.recipe, Local: local, Tools: p.env.ToolPaths,
		Limit: p.atMost, CopySelf: p.opt.CopySelf,
		Mixed: slices.Contains(p.opt.Allow, MixedHosts), AtEnd: p.keep,
		Say:  func(text string) { p.opt.Notify(Notice{Text: text, Warning: true}) },
		Tell: func(text string) { p.opt.Notify(Notice{Text: text}) }}
	got, err := remote.Open(ctx, w)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return faults.Machinef("%w", err)
	}
	for _, line := range got.Mixed {
		p.opt.Notify(Notice{Kind: host.Asking, Text: "the hosts differ: " + line, Warning: true})
	}
	for _, line := range got.Slow {
		p.opt.Notify(Notice{Text: line + ": what is timed there is another time", Warning: true})
	}
	p.env.Seats, p.env.Backend, p.env.Preparing = got.Seats, got.Seats.Backend(), local
	p.env.Mixed = got.Mixed
	p.opt.Parallel, p.env.Cores = got.Seats.Room(), 0
	p.env.Programs = nil // they are the hosts'
	p.env.Tools = fmt.Sprintf("%x", sha256.Sum256([]byte(got.Tools)))
	return nil
}
