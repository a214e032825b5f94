package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
	"cookoff/internal/hint"
	"cookoff/sandbox"
)

// Probe starts an agent in a world where it has nothing to do and no model, and sees
// whether it speaks its protocol. Its error is a problem of the set-up, in words for
// people. An agent that is one command is not tried: it can do nothing without a model.
func Probe(ctx context.Context, b sandbox.Backend, a agents.Installed) (acp.Agent, error) {
	if a.Protocol == agents.Exec {
		return acp.Agent{}, nil
	}
	sb, err := b.Open(ctx, sandbox.Spec{Network: sandbox.NoNetwork, ReadOnly: a.Mounts})
	if err != nil {
		return acp.Agent{}, err
	}
	defer sb.Close()
	next := cmp.Or(a.Again(), fmt.Sprintf("[agents.%s] in cookoff.toml says how it is started", a.Name))
	prog, err := start(ctx, sb, a.Run(agents.Values{Model: "none", Token: "none"}))
	if err != nil && ctx.Err() == nil {
		return acp.Agent{}, hint.New(next,
			"the agent %q can't be used: it does not start (an interpreter that the sandbox does not have?): %w",
			a.Name, err)
	}
	if err != nil {
		return acp.Agent{}, err
	}
	var noise []string
	client := acp.New(acp.Options{Out: prog, In: prog, Noise: func(line []byte) {
		if len(noise) < 5 {
			noise = append(noise, short(string(line)))
		}
	}})
	g, err := hello(ctx, client, a, nil)
	r, exited := leave(client, prog)
	if err == nil || ctx.Err() != nil {
		return g.Who, err
	}
	var rpc *acp.RPCError
	var gone *acp.GoneError
	next += fmt.Sprintf("; cookoff agents --ping %s tries it", a.Name)
	switch {
	case errors.As(err, &rpc) && rpc.Login():
		next = fmt.Sprintf("it has to take the token that cookoff gives it for a key: "+
			"env and files of [agents.%s] in cookoff.toml say where it looks for one", a.Name)
		err = fmt.Errorf("it wants somebody to log in: %w", err)
	case errors.As(err, &gone):
		err = errors.New(crashed(gone.Why, r, exited, noise))
	}
	return g.Who, hint.New(next, "the agent %q can't be used: %w", a.Name, err)
}
