package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/runner/contents"
	"cookoff/runner/remake"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/trial/final"
	"cookoff/verify"
)

// Keep says which final states of a run are stored.
type Keep string

// What is kept. Failed means all that did not pass.
const (
	KeepAll    Keep = "all"
	KeepFailed Keep = "failed"
	KeepNone   Keep = "none"
)

// Bounds of what is stored of one trial, in bytes before compression.
const (
	maxBefore = 64 << 20
	maxAfter  = 256 << 20
	maxNames  = 16 << 20 // of the names of changed files
	maxStart  = 1 << 20  // of what the setup may always make the same; of the names of all that it touched
)

// caches are files that tools fill and can do without; they may be large, and
// no change of them ever counts.
var caches = []string{"~/.cache/", "~/.npm/_logs/", "~/.config/go/telemetry/"}

// keeps reports whether the final state may be stored.
func (a *attempt) keeps() bool {
	e := a.r.env
	return !a.unkept && e.States != nil && (e.Keep == KeepAll || e.Keep == KeepFailed)
}

// remember keeps the contents of what the staging made or changed: only the
// trial's own world has them, and only until the contestant acts.
func (a *attempt) remember(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) {
	a.before = &contents.Store{}
	if !a.keeps() {
		return
	}
	g := contents.Wanted{Versions: map[string]*final.File{}, Max: maxBefore, Secret: a.r.env.States.Secret}
	for _, f := range m {
		if f.Touched && f.Mode.IsRegular() && !isCache(f.Path) {
			g.Paths = append(g.Paths, f.Path)
			g.Versions[f.Path] = versionOf(f)
		}
	}
	if err := a.before.Gather(ctx, sb, g); err != nil && ctx.Err() == nil {
		a.notKept(err)
		return
	}
	a.staged = g.Versions
}

func (a *attempt) notKept(err error) {
	a.unkept = true
	a.out.Caveats = append(a.out.Caveats, fmt.Sprintf("the final state of trial %s is not stored: %v",
		a.rec.Trial, err))
	a.rec.Note("not kept", fmt.Sprintf("the final state is not stored: %v", err))
}

// kept is what a state is stored from.
type kept struct {
	start *verify.Start
	final sandbox.Manifest
	loop  verify.Loop
}

// keep stores the final state where the user wants it. What goes wrong is
// noted: it takes nothing from the outcome. The error is ctx's: the trial has then
// not ended, so that it leaves a state when the run goes on.
func (a *attempt) keep(ctx context.Context, k kept) error {
	if !a.keeps() || a.r.env.Keep == KeepFailed && a.out.Status == trial.Pass {
		return nil
	}
	ref, err := a.store(ctx, k)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		a.notKept(err)
	}
	a.out.State = ref
	return nil
}

// store writes what an attempt left, with the earlier version of changed files, and gives
// the reference that its outcome carries. It fails where the names alone are too much.
func (a *attempt) store(ctx context.Context, k kept) (*trial.StateRef, error) {
	st := &final.State{Trial: trial.Trial{ID: a.rec.Trial, Model: a.plan.Model, Task: a.id.Task, N: a.id.N},
		Attempt: a.id.Attempt, Tools: k.loop.Tools, Wrote: k.loop.Wrote}
	st.Changes, st.Caches = difference(k.start.Manifest(), k.final)
	if a.from == nil && a.t.Checks.Setup != "" { // else it is the project, or what the trial before left
		st.Start, st.StartSum = a.startDigest(k.start)
	}
	names := 0
	for _, c := range st.Changes {
		names += len(c.Path)
	}
	if names > maxNames {
		return nil, fmt.Errorf("the names of its %d changed files alone have %d MiB", len(st.Changes), names>>20)
	}
	before := contents.Wanted{Versions: map[string]*final.File{}, Max: maxBefore, Secret: a.r.env.States.Secret}
	after := contents.Wanted{Versions: map[string]*final.File{}, Max: maxAfter, Secret: before.Secret}
	for i := range st.Changes {
		c := &st.Changes[i]
		if v := a.staged[c.Path]; v != nil && c.Before != nil {
			c.Before = v
		} else if c.Before != nil {
			before.Paths = append(before.Paths, c.Path)
			before.Versions[c.Path] = c.Before
		}
		if c.After != nil {
			after.Paths = append(after.Paths, c.Path)
			after.Versions[c.Path] = c.After
		}
	}
	if err := a.fetch(ctx, before, a.from, sandbox.Agent); err != nil {
		return nil, err
	}
	if err := a.fetch(ctx, after, a.final, sandbox.Verify); err != nil {
		return nil, err
	}
	return a.r.env.States.Store(st, a.before.Data)
}

// startDigest gives what the setup touched, and the digest of the start; none where the names alone are too much. It
// has the contents of what not every start of the task has, and of the smallest of the rest: two
// starts of one second may have the same dates. Indexes of git are no part of the digest.
func (a *attempt) startDigest(start *verify.Start) (list []final.Change, sum string) {
	files := start.Lasting(start.Manifest())
	touched := slices.DeleteFunc(slices.Clone(files), func(f sandbox.File) bool { return !f.Touched || isCache(f.Path) })
	size, names, drawn := int64(0), 0, map[string]bool{}
	for _, f := range start.Drawn() {
		drawn[f.Path] = true
	}
	slices.SortFunc(touched, func(a, b sandbox.File) int { return cmp.Compare(a.Size, b.Size) })
	for _, f := range touched {
		size, names = size+f.Size, names+len(f.Path)
		v := a.staged[f.Path]
		if v == nil || size > maxStart && !drawn[f.Path] {
			v = versionOf(f)
		}
		list = append(list, final.Change{Path: f.Path, After: v})
	}
	for _, f := range start.Manifest() {
		if v := a.staged[f.Path]; v != nil && remake.IsGitIndex(f.Path) {
			list = append(list, final.Change{Path: f.Path, After: v})
		}
	}
	if names > maxStart {
		return nil, ""
	}
	slices.SortFunc(list, func(a, b final.Change) int { return strings.Compare(a.Path, b.Path) })
	return list, remake.Sum(a.t.Checks.Setup, files)
}

// fetch gathers contents from a fresh sandbox over a state, or the project.
func (a *attempt) fetch(ctx context.Context, g contents.Wanted, st sandbox.State, p sandbox.Profile) error {
	if len(g.Paths) == 0 {
		return nil
	}
	sb, err := a.r.Open(ctx, a.t, st, p)
	if err != nil {
		return err
	}
	defer sb.Close()
	return a.before.Gather(ctx, sb, g)
}

// difference gives what changed between two manifests, tools' caches aside,
// and how many files of those.
func difference(from, to sandbox.Manifest) (list []final.Change, cached int) {
	was, paths := map[string]sandbox.File{}, map[string]bool{}
	for _, f := range from {
		was[f.Path], paths[f.Path] = f, true
	}
	add := func(c final.Change) {
		if isCache(c.Path) {
			cached++
			return
		}
		list = append(list, c)
	}
	for _, f := range to {
		delete(paths, f.Path)
		old, there := was[f.Path]
		switch {
		case !there:
			add(final.Change{Path: f.Path, After: versionOf(f)})
		case old.Mode != f.Mode || old.Size != f.Size || old.Sum != f.Sum || old.Link != f.Link,
			old.Foreign() != f.Foreign():
			add(final.Change{Path: f.Path, Before: versionOf(old), After: versionOf(f)})
		}
	}
	for p := range paths {
		add(final.Change{Path: p, Before: versionOf(was[p])})
	}
	slices.SortFunc(list, func(a, b final.Change) int { return strings.Compare(a.Path, b.Path) })
	return list, cached
}

func isCache(path string) bool {
	return slices.ContainsFunc(caches, func(c string) bool { return strings.HasPrefix(path+"/", c) })
}

func versionOf(f sandbox.File) *final.File {
	return &final.File{Mode: f.Mode, Size: f.Size, Sum: f.Sum, Link: f.Link, Owner: f.Foreign()}
}
