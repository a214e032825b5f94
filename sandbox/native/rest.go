package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/places"
	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/wire"
)

// errPlaces begins what refuses mounts.
const errPlaces = "mounts: "

// checkPlaces refuses directories that a world can't have.
func checkPlaces(spec *sandbox.Spec, layers bool) error {
	switch {
	case len(spec.Mounts) == 0:
		return nil
	case !layers:
		return fmt.Errorf(errPlaces + "only the native backend has them\nhint: backend: native, or --sandbox native")
	case spec.Filesystem == sandbox.Unrestricted:
		return fmt.Errorf(errPlaces + "with filesystem: unrestricted all of the host's directories are there\nhint: filesystem: project_only")
	case len(spec.Mounts) > places.Most:
		return fmt.Errorf(errPlaces+"%d of them\nhint: at most %d", len(spec.Mounts), places.Most)
	}
	var before []string
	for _, m := range spec.Mounts {
		why := places.Problem(m.At)
		if why == "" {
			why = places.Clash(m.At, before)
		}
		if why == "" && m.From != "" && !filepath.IsLocal(m.From) {
			why = fmt.Sprintf("%q does not lie in the project", m.From)
		}
		for _, shown := range append(toolMounts(*spec), spec.ReadOnly...) {
			if why == "" && places.Clash(m.At, []string{shown.Target}) != "" {
				why = fmt.Sprintf("%s is shown there, from this machine", shown.Target)
			}
		}
		if why != "" {
			return fmt.Errorf(errPlaces+"%s: %s", m.At, why)
		}
		before = append(before, m.At)
	}
	return nil
}

// rest plans what of a world's mounts is its own, and what is the project's.
func rest(spec sandbox.Spec) (*plan.Rest, error) {
	if len(spec.Mounts) == 0 && spec.Root.Dir == "" {
		return nil, nil
	}
	r := &plan.Rest{Root: spec.Root.Dir != "", Tree: plan.Tree{Upper: filepath.Join(plan.TopDir, plan.TopRest),
		Scratch: "kr"}}
	for _, m := range spec.Mounts {
		if m.From == "" {
			r.Own = append(r.Own, m.At)
			continue
		}
		r.Same = append(r.Same, plan.Same{From: filepath.Clean(m.From), At: m.At})
		if spec.Project == "" {
			continue // of a state, who left it may have taken it away
		}
		st, err := os.Lstat(filepath.Join(spec.Project, m.From))
		if err != nil || !st.IsDir() {
			return nil, fmt.Errorf(errPlaces+"%s: the project has no directory %q", m.At, m.From)
		}
	}
	return r, nil
}

// ownPlaces makes the directories that a world begins with beside project and
// home.
func (w *world) ownPlaces(r *plan.Rest) error {
	if err := w.ownDir(filepath.Join(w.dir, r.Upper)); err != nil || w.from != nil {
		return err
	}
	for _, at := range r.Own {
		dir := filepath.Join(w.dir, r.Upper)
		for name := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
			dir = filepath.Join(dir, name)
			if err := w.ownDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyPlaces is ownPlaces where there are no layers.
func (w *world) copyPlaces(r *plan.Rest, c trees.Copier) error {
	if err := w.ownPlaces(r); err != nil || w.from == nil {
		return err
	}
	return c.CopyRoot(w.lower[0].rest, filepath.Join(w.dir, r.Upper))
}

// kept are the directories that a world keeps what was written in.
func kept(r *plan.Rest) []string {
	if r == nil {
		return []string{plan.TopWork, plan.TopHome}
	}
	return []string{plan.TopWork, plan.TopHome, plan.TopRest}
}

// checkRoot refuses a root or a user that a world can't have.
func checkRoot(spec *sandbox.Spec, layers bool) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	what := "root"
	if spec.Root.Dir == "" {
		what = "user: root"
	}
	switch {
	case spec.User != sandbox.AgentUser && spec.User != sandbox.SuperUser:
		fail("unknown user %q\nhint: root, or nothing", spec.User)
	case spec.Root.Dir == "" && spec.User == sandbox.AgentUser:
	case !layers:
		fail("%s: only the native backend has it\nhint: backend: native, or --sandbox native", what)
	case spec.Filesystem == sandbox.Unrestricted:
		fail("%s: not with filesystem: unrestricted, which shows this machine's own\nhint: filesystem: project_only", what)
	case spec.Image != "":
		fail("%s: a world is made of an image or of a root of its own", what)
	}
	return errors.Join(errs...)
}

// keepsRest tells the guest what is part of the state beside project and home.
func keepsRest(cfg *wire.Config, p plan.Plan, spec sandbox.Spec) {
	switch {
	case p.Rest == nil:
	case p.Rest.Root:
		cfg.Places, cfg.Apart, cfg.Sealed, cfg.Elsewhere = []string{"/"}, apart(p), spec.Root.Sealed, true
	default:
		cfg.Places, cfg.Elsewhere = p.Rest.Own, true
	}
}

// bringLoader shows this program, with the libraries that it needs, to a world
// whose own root may have none, or others. A static program needs nothing.
func (w *world) bringLoader(p *plan.Plan) error {
	if p.Rest == nil || !p.Rest.Root {
		return nil
	}
	loader, _, err := needed(plan.SelfProgram)
	if loader == "" || err != nil {
		return err
	}
	g, err := w.b.guestFiles(plan.SelfProgram)
	if err != nil {
		return err
	}
	p.Loader = g.loader
	p.Mounts = append(p.Mounts, plan.ShownAt{Layer: plan.Layer{Path: g.dir}, Target: plan.GuestDir})
	return nil
}
