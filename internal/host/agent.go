package host

import (
	"context"

	"cookoff/contestant/agents"
	"cookoff/internal/hint"
)

// Agent finds an agent program on this machine. Agents are programs for Linux.
func (h *Host) Agent(name string) (agents.Installed, error) {
	if !OnLinux {
		return agents.Installed{}, hint.New("run the comparison on Linux",
			"the agent %q can't be run: agents work in sandboxes of Linux with this machine's programs", name)
	}
	return h.Config.Agent(context.Background(), name)
}
