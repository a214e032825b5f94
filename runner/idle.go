package runner

import "cookoff/runner/loop"

// idle reports whether nothing was done in a trial's world since it was staged: by no
// call, no hook, no server, no agent program and no trial before it.
func (a *attempt) idle(used loop.Used) bool {
	return a.agent == nil && a.hand == nil && len(used.Calls) == 0 && len(a.sessions) == 0 && len(a.own.Files) == 0 &&
		len(a.r.Hooks) == 0 && a.out.Counters.ToolCalls == 0
}
