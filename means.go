package cookoff

import (
	"context"
	"errors"
	"io"
	"slices"

	"cookoff/contestant"
	"cookoff/internal/host"
	"cookoff/internal/played"
	"cookoff/internal/pressure"
	"cookoff/internal/repairdirs"
	"cookoff/internal/standstill"
	"cookoff/internal/version"
	"cookoff/model"
	"cookoff/model/replay"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
)

// means are what a recipe is run with.
type means struct {
	host    *host.Host
	chains  host.Chains
	own     []repairdirs.Dir // repairs of the recipe and of the options
	beside  []repairdirs.Dir // repairs of the recipe
	writer  *replay.Writer   // of what is asked; nil: nobody writes
	secrets map[string]string
	confirm *float64 // above how much money the user wants to be asked
}

// choose finds what a recipe is run with, and makes what its names are checked
// against. atEnd takes what is to be closed in the end.
func choose(ctx context.Context, o *Options, r *recipe.Recipe, atEnd func(io.Closer)) (*means, runner.Env, error) {
	none := runner.Env{}
	m := &means{}
	cfg, err := o.config()
	if err != nil {
		return nil, none, err
	}
	m.host = &host.Host{Dir: o.Dir, Getenv: o.Getenv, Config: cfg, Sandbox: o.Sandbox, Notify: o.Notify, AtEnd: atEnd}
	m.secrets, m.confirm = cfg.Secrets(), cfg.Confirm
	if m.beside, err = repairdirs.Beside(o.rel, r); err != nil {
		return nil, none, err
	}
	m.own = append(slices.Clone(m.beside), repairdirs.At(o.Repairs...)...)
	lib, err := repairdirs.Load(m.own)
	if err != nil {
		return nil, none, err
	}
	m.chains = m.host.ChainsFor(ctx, r)
	backend, err := m.host.Backend(r, "", m.chains.Paths)
	if err != nil {
		return nil, none, err
	}
	store := m.host.Prepare()
	store.Network = !r.FromElsewhere() // else once it is agreed to
	env := runner.Env{
		Machine: worlds.Machine{Backend: backend, ToolPaths: m.chains.Paths, Prepare: store, Warm: m.host.Warm(),
			Tools: host.Programs(m.chains.Paths)},
		Meters:  runner.Meters{Clock: o.Clock, Pressure: pressure.Meter, Still: standstill.Meter},
		Project: worlds.Project{Dir: o.Dir, Hidden: repairdirs.Paths(m.own), Secrets: m.secrets},
		Repairs: lib,
		Allow:   append(slices.Clone(o.Allow), cfg.Allowed(r)...),
		Version: version.Read().Version,
	}
	if r.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		env.Concealed = m.host.Concealed()
	}
	env.Providers = m.providers(o, r)
	return m, env, nil
}

// providers are who answers: the providers of the configuration, or a recording.
func (m *means) providers(o *Options, r *recipe.Recipe) runner.Providers {
	cfg := m.host.Config
	out := runner.Providers{Chat: func(id string) (model.Chat, error) {
		return cfg.Chat(contestant.Model(r.Behind(id)))
	},
		Agent: m.host.Agent, Prices: cfg.Prices(), Slots: cfg.Slots}
	if o.Offline {
		out.Chat = func(id string) (model.Chat, error) {
			chat, err := cfg.Chat(contestant.Model(r.Behind(id)))
			if _, ok := errors.AsType[*model.AuthError](err); ok {
				err = nil
			}
			return chat, err
		}
	}
	if o.Record {
		m.writer = replay.NewWriter(m.secrets)
	}
	out.Chat = played.Chats(o.Dir, out.Chat, o.Replay, m.writer)
	out.Served, out.Offline = played.Served(o.Replay, m.writer)
	return out
}
