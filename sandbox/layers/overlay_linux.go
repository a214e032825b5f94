package layers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// overlay stacks layers, and writes to a fresh one.
type overlay struct{ of *Files }

// layered is the mode of worlds that have layers.
func layered(f *Files) mode { return overlay{f} }

func (overlay) copied() bool { return false }

// below are the layers that the world started with.
func (o overlay) below(stratum) ([]stratum, error) { return o.of.lower, nil }

// lay plans what project and home rest on, and the mounts that the set-up
// finds open.
func (o overlay) lay(p *plan.Plan, spec sandbox.Spec) ([]*os.File, error) {
	l := stacker{Files: o.of}
	if p.TestOnlyOff.Has(plan.HiddenFiles) {
		spec.Hidden = nil
	}
	if len(spec.Hidden) > 0 {
		m := masker{agent: l.agent, top: filepath.Join(l.dir, maskDir, plan.TopWork), globs: spec.Hidden,
			several: l.several}
		if err := m.mask(l.lower); err != nil {
			return nil, fmt.Errorf("hiding files: %w", err)
		}
	}
	l.project(p, len(spec.Hidden) > 0)
	l.caches(p, spec)
	l.uppers(*p)
	return l.open, l.err
}

// again plans what was laid before, with new directories for the kernel: those of a mount
// that is gone are of no use to another.
func (o overlay) again(p *plan.Plan, spec sandbox.Spec) ([]*os.File, error) {
	l := stacker{Files: o.of}
	l.project(p, len(spec.Hidden) > 0)
	l.caches(p, spec)
	for _, d := range l.kernels(*p) {
		if l.err == nil {
			l.err = trees.Remove(filepath.Join(l.dir, d))
		}
	}
	l.makeKernels(*p)
	return l.open, l.err
}

// caches stacks what build caches rest on: what was kept for the task, and the libraries
// of Go and Python, where their programs are this machine's.
func (l *stacker) caches(p *plan.Plan, spec sandbox.Spec) {
	library := l.store.GoCache
	if spec.Root.Dir != "" {
		library = ""
	}
	python := l.store.Python(spec)
	if library == "" && python == "" && spec.Caches == "" {
		return
	}
	p.Caches = &plan.Tree{Upper: plan.TopCaches, Scratch: "kc"}
	l.add(p.Caches, spec.Caches)
	l.add(p.Caches, library)
	l.add(p.Caches, python)
}

// project stacks what project and home rest on: in one overlay where every
// stratum holds both, since that is the dearest part of opening a sandbox.
func (l *stacker) project(p *plan.Plan, masked bool) {
	lower := l.lower
	if masked {
		mask := filepath.Join(l.dir, maskDir)
		lower = append([]stratum{{work: filepath.Join(mask, plan.TopWork), both: mask}}, lower...)
	}
	if !slices.ContainsFunc(lower, func(s stratum) bool { return s.both == "" }) {
		p.Both = &plan.Tree{Upper: plan.TopDir, Scratch: "k"}
		for _, s := range lower {
			l.add(p.Both, s.both)
		}
		return
	}
	for _, s := range lower {
		l.add(&p.Work, s.work)
		l.add(&p.Home, s.home)
		if p.Rest != nil {
			l.add(&p.Rest.Tree, s.rest)
		}
	}
}

// uppers makes the directories that take the writes, and those that the kernel
// needs beside them.
func (l *stacker) uppers(p plan.Plan) {
	owned := []string{plan.TopDir, p.Work.Upper, p.Home.Upper}
	if p.Caches != nil {
		owned = append(owned, p.Caches.Upper)
	}
	for _, d := range owned {
		if l.err == nil {
			l.err = l.agent.MakeDir(filepath.Join(l.dir, d))
		}
	}
	l.makeKernels(p)
	if p.Rest != nil && l.err == nil {
		l.err = l.makeRest(p.Rest)
	}
}

// kernels names the directories that the kernel needs beside those.
func (l *stacker) kernels(p plan.Plan) []string {
	dirs := []string{p.Work.Scratch, p.Home.Scratch}
	if p.Both != nil {
		dirs = []string{p.Both.Scratch}
	}
	if p.Caches != nil {
		dirs = append(dirs, p.Caches.Scratch)
	}
	if p.Rest != nil {
		dirs = append(dirs, p.Rest.Scratch)
	}
	return dirs
}

func (l *stacker) makeKernels(p plan.Plan) {
	for _, d := range l.kernels(p) {
		if l.err == nil {
			l.err = os.Mkdir(filepath.Join(l.dir, d), 0o700)
		}
		if l.err == nil && l.super {
			l.err = l.agent.Own(filepath.Join(l.dir, d))
		}
	}
}

// stacker collects the lower layers of trees.
type stacker struct {
	*Files
	open []*os.File // mounts for the set-up
	err  error
}

// add puts dir below t. A directory of another user than the agent is shown
// as the agent's own by a mount that maps the one to the other.
func (l *stacker) add(t *plan.Tree, dir string) {
	if dir == "" || l.err != nil {
		return
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		l.err = fmt.Errorf("opening a layer: %w", err)
		return
	}
	if !users.IsRoot() || int(st.Uid) == l.agent.UID && !l.super {
		t.Lower = append(t.Lower, plan.Layer{Path: dir})
		return
	}
	open := func() (*os.File, error) { return l.store.Owners.Open(dir, int(st.Uid), l.agent.UID) }
	if int(st.Uid) == l.agent.UID {
		open = func() (*os.File, error) { return OpenMount(dir, 0) }
	}
	f, err := open()
	if err != nil {
		l.err = err
		return
	}
	t.Lower = append(t.Lower, plan.Layer{Path: dir, FD: plan.LayerFD + len(l.open)})
	l.open = append(l.open, f)
}
