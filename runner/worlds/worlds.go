// Package worlds opens the sandboxes of tasks, over copies of what tasks start with and what
// is prepared for them, before any model has a part in them.
package worlds

import (
	"cmp"
	"context"
	"slices"

	"cookoff/runner/lend"
	"cookoff/runner/project"
	"cookoff/runner/resolve"
	v1 "cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/verify"
)

// Worlds are the sandboxes of tasks.
type Worlds struct {
	*resolve.Values
	machine  Machine
	project  Project
	roots    roots                   // what worlds start with, by task
	made     map[string]sandbox.Root // of what they are made, by task; none: of this machine's programs
	prepared map[string]string       // host directories of what lies over that, by task
	warm     map[string]string       // host directories of build caches, by task
}

// Open makes a sandbox of a task: its clean start, or, copy-on-write, the files
// that another left.
func (w *Worlds) Open(ctx context.Context, t *resolve.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox,
	error) {
	return w.OpenWith(ctx, w.Spec(t, p), st, w.Gate(t))
}

// Opening opens worlds for the judge of a trial that began with from.
func (w *Worlds) Opening(t *resolve.Task, from sandbox.State) verify.Opening {
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		if st == nil {
			st = from
		}
		return w.Open(ctx, t, st, p)
	}
}

// OpenWith opens a sandbox whose way out, where the recipe allows one, is g.
func (w *Worlds) OpenWith(ctx context.Context, spec sandbox.Spec, st sandbox.State, g *gate.Gate) (sandbox.Sandbox,
	error) {
	if spec.Network == sandbox.AllowedNetwork {
		spec.Gate = g
	}
	if st != nil {
		spec.Project, spec.Prepared, spec.State = "", "", st
	}
	sb, err := w.machine.Backend.Open(ctx, spec)
	if err != nil || spec.Project == "" {
		return sb, err
	}
	if err := lend.Unseen(ctx, sb, w.roots.masked(spec.Project)); err != nil {
		sb.Close()
		return nil, err
	}
	return sb, nil
}

// Spec describes the sandbox of a task.
func (w *Worlds) Spec(t *resolve.Task, p sandbox.Profile) sandbox.Spec {
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
		ToolPaths:  w.machine.ToolPaths,
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
func (w *Worlds) startOf(t *resolve.Task) string {
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
func (w *Worlds) concealed() []string {
	return slices.Concat([]string{w.project.Dir}, w.Recipe.LocalFiles(), project.JudgeDirs(w.Recipe),
		project.GivenFiles(w.Recipe), w.project.Hidden, w.machine.Concealed)
}

// Gate makes the way out of one sandbox of a task; nil: recipe or task allow none. With
// the whole network there is no proxy, and the gate is that of web_fetch alone.
func (w *Worlds) Gate(t *resolve.Task) *gate.Gate {
	if t.Network == string(sandbox.NoNetwork) {
		return nil
	}
	switch s := w.Recipe.Sandbox; s.Network {
	case "allow":
		return &gate.Gate{Hosts: s.AllowHosts, Net: w.machine.Net}
	case "full":
		return &gate.Gate{Any: true, Net: w.machine.Net}
	}
	return nil
}

// Empty opens a sandbox of a task with nothing in it, uses it and seals it.
func (w *Worlds) Empty(ctx context.Context, t *resolve.Task) error {
	spec := w.Spec(t, sandbox.Agent)
	spec.Project, spec.Prepared, spec.Hidden = "", "", nil
	sb, err := w.OpenWith(ctx, spec, nil, w.Gate(t))
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

// Release gives up a state; nil: there is none.
func Release(st sandbox.State) error {
	if st == nil {
		return nil
	}
	return st.Release()
}
