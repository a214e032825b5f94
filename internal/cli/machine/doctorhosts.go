package machine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/remote"
)

// hostsTime bounds the look at hosts.
const hostsTime = 30 * time.Second

// lookHosts reaches the hosts of the configuration. None is needed.
func lookHosts(ctx context.Context, c *cli.Common) []finding {
	h, err := c.Host()
	if err != nil {
		return nil // the configuration is a line of its own
	}
	var names []string
	var out []finding
	for _, name := range slices.Sorted(maps.Keys(h.Config.Hosts())) {
		if engine := h.Config.Hosts()[name].Engine; engine != "" { // looking could mean to wait for an allocation
			out = append(out, finding{Kind: "host", Name: name, OK: true,
				Detail: "machines of " + engine + ": cookoff hosts " + name + " tries them"})
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, hostsTime)
	defer cancel()
	all, err := remote.Look(ctx, remote.Wanted{Names: names, Host: h, AtEnd: c.AtEnd.Add}, nil)
	if err != nil && len(all) == 0 {
		return append(out, finding{Kind: "host", Name: strings.Join(names, ","), Detail: err.Error()})
	}
	for _, l := range all {
		f := finding{Kind: "host", Name: l.Name, OK: l.OK, Detail: l.Error}
		if l.OK {
			f.Detail = fmt.Sprintf("%s, a sandbox opens in %.0fms there, a message takes %.2fms there and back",
				l.Machine, l.OpenMS, l.TripMS)
		}
		if wrong := l.WrongClock(); l.OK && wrong != "" {
			f.OK, f.Detail = false, fmt.Sprintf("its clock is %s: "+
				"a run is refused there until it is set, or with --allow mixed-hosts", wrong)
		}
		out = append(out, f)
	}
	return out
}
