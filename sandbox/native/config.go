package native

import (
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// config is what the guest of a world is told.
func (w *world) config(p plan.Plan, path []string, group *cgroup.Group) wire.Config {
	off, spec := w.b.testOnlyOff, w.spec
	cfg := wire.Config{Env: environment(spec, w.caches(p), path), Limits: spec.Limits,
		Copied: w.files.Copied(), Elsewhere: p.Whole != nil, Clock: w.b.programs.Foreign, Proxy: spec.Gate != nil,
		Gateway: spec.Gateway != nil, OwnNetwork: !p.Network, SocketBuffer: socketBuffer(),
		Watched: w.b.builder.Facts().Tmpfses > 0 && group == nil && !off.Has(plan.SeenMemory),
		Scope:   p.Scope > 0, Memory: cgroup.InMemory(p.Dir), Helper: p.Helper, Agent: p.Agent,
		TestOnlyBlind: off.Has(plan.WatchedLimits), TestOnlyCrowd: off.Has(plan.ProcessLimit),
		TestOnlyDumpable: off.Has(plan.Undumpable), TestOnlySparing: off.Has(plan.KilledTree),
		TestOnlyReach: off.Has(plan.OwnCalls)}
	switch { // what is part of the state beside project and home
	case p.Rest == nil:
	case p.Rest.Root:
		cfg.Places, cfg.Apart, cfg.Sealed, cfg.Elsewhere = []string{"/"}, apart(p), spec.Root.Sealed, true
	default:
		cfg.Places, cfg.Elsewhere = p.Rest.Own, true
	}
	return cfg
}
