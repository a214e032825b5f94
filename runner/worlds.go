package runner

import (
	"cmp"
	"context"
	"slices"

	"cookoff/runner/closing"
	"cookoff/runner/lend"
	"cookoff/runner/project"
	"cookoff/runner/resolve"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/verify"
)

// worlds are the sandboxes of tasks.
type worlds struct {
	*resolve.Values
	env      Env
	roots    roots                   // what worlds start with, by task
	made     map[string]sandbox.Root // of what they are made, by task; none: of this machine's programs
	prepared map[string]string       // host directories of what lies over that, by task
	warm     map[string]string       // host directories of build caches, by task
	late     *closing.Late           // sandboxes that are closed when the run is recorded; nil: none
}

// open makes a sandbox of a task: its clean start, or, copy-on-write, the files
// that another left.
func (w *worlds) open(ctx context.Context, t *resolve.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox,
	error) {
	return w.openWith(ctx, w.spec(t, p), st, w.gate(t))
}

// opening opens worlds for the judge of a trial that began with from.
func (w *worlds) opening(t *resolve.Task, from sandbox.State) verify.Opening {
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		if st == nil {
			st = from
		}
		return w.open(ctx, t, st, p)
	}
}

// openWith opens a sandbox whose way out, where the recipe allows one, is g.
func (w *worlds) openWith(ctx context.Context, spec sandbox.Spec, st sandbox.State, g *gate.Gate) (sandbox.Sandbox,
	error) {
	if spec.Network == sandbox.AllowedNetwork {
		spec.Gate = g
	}
	if st != nil {
		spec.Project, spec.Prepared, spec.State = "", "", st
	}
	sb, err := w.env.Backend.Open(ctx, spec)
	if err != nil || spec.Project == "" {
		return sb, err
	}
	if err := lend.Unseen(ctx, sb, w.roots.masked(spec.Project)); err != nil {
		sb.Close()
		return nil, err
	}
	return sb, nil
}

// spec describes the sandbox of a task.
func (w *worlds) spec(t *resolve.Task, p sandbox.Profile) sandbox.Spec {
	s := w.Recipe.Sandbox
	spec := sandbox.Spec{
		Filesystem: sandbox.Filesystem(s.Filesystem),
		Network:    sandbox.Network(s.Network),
		Project:    w.startOf(t),
		Prepared:   w.prepared[t.Name()],
		Caches:     w.warm[t.Name()],
		Hidden:     project.HiddenGlobs(t.Hidden),
		Profile:    p,
		Path:       t.Path,
		ToolPaths:  w.env.ToolPaths,
		Env:        project.Environment(s.Env, t.Env),
		Image:      cmp.Or(t.Image, s.Image),
		Mounts:     project.Mounts(w.Recipe, t.Task),
		Root:       w.made[t.Name()],
		User:       sandbox.User(cmp.Or(t.User, s.User)),
		Limits: sandbox.Limits{
			Processes: s.Processes, Memory: cmp.Or(t.Memory, s.Memory), Disk: cmp.Or(t.Disk, s.Disk),
			FileSize: s.FileSize, Call: cmp.Or(w.Recipe.Constraints.BashTimeout, v1.BashTimeout),
		},
	}
	if spec.Filesystem == sandbox.Unrestricted {
		spec.Concealed = w.concealed()
	}
	if t.Network == string(sandbox.NoNetwork) {
		spec.Network = sandbox.NoNetwork
	}
	if p == sandbox.Verify {
		spec.Network = sandbox.NoNetwork
		if t.VerifyEnv == "agent" {
			spec.Profile = sandbox.Agent
		}
	}
	return spec
}

// startOf gives the host directory whose content the worlds of a task start with; "":
// nothing.
func (w *worlds) startOf(t *resolve.Task) string {
	switch r := w.roots[t.Name()]; {
	case r != nil:
		return r.dir
	case t.Start.Base == nil:
		return t.Start.Dir // a trial that stands alone
	}
	return ""
}

// concealed is what not even a world with the whole host shows: the project's
// place, with the answers and the record of runs, and the files of the recipe.
func (w *worlds) concealed() []string {
	return slices.Concat([]string{w.env.Dir}, w.Recipe.LocalFiles(), project.JudgeDirs(w.Recipe),
		project.GivenFiles(w.Recipe), w.env.Hidden, w.env.Concealed)
}

// gate makes the way out of one sandbox of a task; nil: recipe or task allow none. With
// the whole network there is no proxy, and the gate is that of web_fetch alone.
func (w *worlds) gate(t *resolve.Task) *gate.Gate {
	if t.Network == string(sandbox.NoNetwork) {
		return nil
	}
	switch s := w.Recipe.Sandbox; s.Network {
	case "allow":
		return &gate.Gate{Hosts: s.AllowHosts, Net: w.env.Net}
	case "full":
		return &gate.Gate{Any: true, Net: w.env.Net}
	}
	return nil
}

// empty opens a sandbox of a task with nothing in it, uses it and seals it.
func (w *worlds) empty(ctx context.Context, t *resolve.Task) error {
	spec := w.spec(t, sandbox.Agent)
	spec.Project, spec.Prepared, spec.Hidden = "", "", nil
	sb, err := w.openWith(ctx, spec, nil, w.gate(t))
	if err != nil {
		return err
	}
	defer sb.Close()
	if _, err := sb.Exec(ctx, sandbox.Cmd{Script: ":"}); err != nil {
		return err
	}
	if _, err := sb.FS().Manifest(ctx, nil); err != nil {
		return err
	}
	st, err := sb.Seal(ctx)
	if err != nil {
		return err
	}
	return st.Release()
}
