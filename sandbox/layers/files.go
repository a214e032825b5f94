// Package layers keeps the files of worlds on the host: what a world starts with, what
// it writes, and the states that it leaves. A world is a stack of layers of which the
// newest takes the writes, or, where the kernel mounts no overlays, a copy.
package layers

import (
	"errors"
	"os"
	"path/filepath"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/scratch"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
	"cookoff/sandbox/whole"
)

// Files are the files of one world.
type Files struct {
	dir     string // on the host; "": not made
	agent   users.Agent
	super   bool // commands run as root of the world's namespace
	several bool // which has other users
	most    sandbox.Limits

	store   *Store
	mode    mode
	lower   []stratum // what it starts with, newest first
	from    *State    // whose files those are; nil: none's
	rest    *plan.Rest
	outside *whole.Outside // nil: it shows none of the host
}

// Dir is the world's directory on the host.
func (f *Files) Dir() string { return f.dir }

// Copied reports whether what the world starts with was written for it.
func (f *Files) Copied() bool { return f.mode.copied() }

// Lay makes what the world starts with, and puts it into p, in which everything that
// is shown read-only stands already. It gives mounts for the set-up.
func (f *Files) Lay(p *plan.Plan, spec sandbox.Spec) (mounts []*os.File, err error) {
	f.place(p, spec)
	if p.Rest, err = restOf(spec); err != nil {
		return nil, err
	}
	f.rest = p.Rest
	mounts, err = f.mode.lay(p, spec)
	if err != nil || spec.Filesystem != sandbox.Unrestricted {
		return mounts, err
	}
	own, err := scratch.Root(f.store.Space.Base)
	if err == nil {
		f.outside, err = whole.Show(p, spec, own)
	}
	return mounts, err
}

// Again puts what was laid before into p, for a world whose guest had gone, as Lay does.
func (f *Files) Again(p *plan.Plan, spec sandbox.Spec) (mounts []*os.File, err error) {
	f.place(p, spec)
	if f.rest != nil {
		r := *f.rest
		r.Lower = nil
		p.Rest = &r
	}
	return f.mode.again(p, spec)
}

// place says where project and home are kept.
func (f *Files) place(p *plan.Plan, spec sandbox.Spec) {
	p.Dir = f.dir
	p.Work = plan.Tree{Upper: plan.TopDir + "/" + plan.TopWork, Scratch: "kw",
		ReadOnly: spec.Filesystem == sandbox.ReadOnly}
	p.Home = plan.Tree{Upper: plan.TopDir + "/" + plan.TopHome, Scratch: "kh"}
}

// Built is to be called once the world stands.
func (f *Files) Built() error { return f.outside.Built(f.dir) }

// NotShown says what of the host a world with Unrestricted lacks, and why.
func (f *Files) NotShown() []string { return f.outside.NotShown() }

// ChangedElsewhere names what was changed outside of project and home.
func (f *Files) ChangedElsewhere() (some []string, more int) { return f.outside.Changed() }

// Freeze makes a state of the files. No process of the world may live any more, and
// the Files are of no use afterwards.
func (f *Files) Freeze() (*State, error) {
	if err := f.outside.Forget(f.dir); err != nil {
		return nil, err
	}
	s, err := f.stateIn(f.dir)
	if err != nil {
		return nil, err
	}
	f.from = nil // the state holds it now
	return s, nil
}

// stateIn makes a state of what was written, in dir.
func (f *Files) stateIn(dir string) (*State, error) {
	top := newStratum(filepath.Join(dir, plan.TopDir))
	below, err := f.mode.below(top)
	return &State{store: f.store, dir: dir, layers: append([]stratum{top}, below...), below: f.from,
		several: f.several}, err
}

// Copy makes a state of the files as they are now. Processes may write
// meanwhile: what they have not finished is in the copy as it happens to be.
func (f *Files) Copy() (_ *State, err error) {
	dir, err := f.store.Space.New()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, trees.Remove(dir))
		}
	}()
	if err := f.copyTop(filepath.Join(dir, plan.TopDir)); err != nil {
		return nil, err
	}
	s, err := f.stateIn(dir)
	if err == nil && f.from != nil {
		err = f.from.hold()
	}
	if err != nil {
		return nil, err
	}
	f.outside.Look(f.dir)
	return s, nil
}

// copyTop copies the top layer of the world.
func (f *Files) copyTop(to string) error {
	c := trees.Copier{Live: true, Layer: !f.Copied()}
	if c.UID, c.GID = f.agent.CopyOwner(); f.several {
		c.UID, c.GID, c.Several = -1, -1, true
	}
	kept := []string{plan.TopWork, plan.TopHome}
	if f.rest != nil {
		kept = append(kept, plan.TopRest)
	}
	for _, d := range append([]string{""}, kept...) {
		if err := f.agent.MakeDir(filepath.Join(to, d)); err != nil {
			return err
		}
	}
	for _, d := range kept {
		if err := c.CopyRoot(filepath.Join(f.dir, plan.TopDir, d), filepath.Join(to, d)); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the files. No process of the world may live any more.
func (f *Files) Remove() error {
	var err error
	if f.from != nil {
		err = f.from.drop()
		f.from = nil
	}
	if f.dir != "" {
		err = errors.Join(err, trees.Remove(f.dir))
	}
	return err
}
