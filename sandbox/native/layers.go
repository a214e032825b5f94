package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
)

// stratum are directories on the host that project, home and the rest of a world
// lie on. Each may be "". both is the directory that holds all of them, under the
// names of TopWork, TopHome and TopRest, or "" where they have none in common.
type stratum struct{ work, home, rest, both string }

// newStratum is a directory with all of them in it.
func newStratum(dir string) stratum {
	return stratum{work: filepath.Join(dir, plan.TopWork), home: filepath.Join(dir, plan.TopHome),
		rest: filepath.Join(dir, plan.TopRest), both: dir}
}

// stack finds what the world starts with, newest first.
func (w *world) stack(spec sandbox.Spec) error {
	if spec.State != nil {
		st, ok := spec.State.(*state)
		if !ok || st.by != w.b {
			return errOther
		}
		if err := st.hold(); err != nil {
			return err
		}
		w.from, w.lower = st, st.layers
		return nil
	}
	if spec.Prepared != "" {
		made := stratum{work: filepath.Join(spec.Prepared, plan.TopWork), home: filepath.Join(spec.Prepared, plan.TopHome)}
		if rest := filepath.Join(spec.Prepared, plan.TopRest); spec.Root.Dir != "" && isDir(rest) {
			made.rest = rest
		}
		w.lower = append(w.lower, made)
		if w.copied() {
			return errors.New("what prepare: made needs overlays, and this sandbox has none\nhint: the native backend has them on Linux 5.11 or later, with TMPDIR on a file system that takes user attributes; or have the setup do it")
		}
	}
	if spec.Root.Dir != "" {
		w.lower = append(w.lower, stratum{rest: filepath.Join(spec.Root.Dir, sandbox.RootTree)})
	}
	if spec.Project == "" {
		return nil
	}
	dir, err := filepath.Abs(spec.Project)
	if err != nil {
		return err
	}
	if st, err := os.Stat(dir); err != nil {
		return fmt.Errorf("opening the project: %w", err)
	} else if !st.IsDir() {
		return fmt.Errorf("opening the project: %s is not a directory", dir)
	}
	w.lower = append(w.lower, stratum{work: dir})
	return nil
}

// prepare makes the trial's directory and the plan, with the mounts that the
// set-up finds open.
func (w *world) prepare(spec sandbox.Spec) (plan.Plan, []*os.File, error) {
	if err := w.makeDir(); err != nil {
		return plan.Plan{}, nil, err
	}
	p := plan.Plan{
		Dir: w.dir, Limits: spec.Limits, Switch: isRoot() && !w.super, Super: w.super, Hostname: "sandbox",
		Inside: !w.b.builder.facts().layers, Image: spec.Image,
		Network: spec.Network == sandbox.FullNetwork || w.b.testOnlyOff.Has(plan.OwnNetwork), TestOnlyOff: w.b.testOnlyOff,
		Work: plan.Tree{Upper: plan.TopDir + "/" + plan.TopWork, Scratch: "kw",
			ReadOnly: spec.Filesystem == sandbox.ReadOnly},
		Home: plan.Tree{Upper: plan.TopDir + "/" + plan.TopHome, Scratch: "kh"},
	}
	var err error
	if p.Mounts, err = shown(spec); err != nil {
		return p, nil, err
	}
	if p.Rest, err = rest(spec); err != nil {
		return p, nil, err
	}
	if err := w.bringLoader(&p); err != nil {
		return p, nil, err
	}
	files, err := w.fileMode.open(w, &p, spec)
	return p, files, err
}

// shown gives everything that is mounted read-only.
func shown(spec sandbox.Spec) ([]plan.ShownAt, error) {
	var all []plan.ShownAt
	tools := toolMounts(spec)
	for i, m := range append(tools, spec.ReadOnly...) {
		abs, err := filepath.Abs(m.Source)
		if err != nil || !filepath.IsAbs(m.Target) {
			return nil, fmt.Errorf("a mount at %q, which is not absolute", m.Target)
		}
		all = append(all, plan.ShownAt{Layer: plan.Layer{Path: abs}, Target: m.Target, Own: i >= len(tools)})
	}
	return all, nil
}

// ownDir makes a directory of the agent's.
func (w *world) ownDir(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return os.Lchown(path, w.uid, w.gid())
}

func (w *world) gid() int {
	if isRoot() {
		return w.uid
	}
	return os.Getgid()
}

// idmap is a change of owner, of users and groups alike.
type idmap struct{ from, to int }

// toolMounts shows tool chains, where no directory of the system holds them, at
// their own places.
func toolMounts(spec sandbox.Spec) []sandbox.Mount {
	var ms []sandbox.Mount
	for _, t := range spec.ToolPaths {
		if t = filepath.Clean(t); !slices.ContainsFunc([]string{"/usr", "/nix/store", "/gnu/store"},
			func(d string) bool { return trees.Below(t, d) }) {
			ms = append(ms, sandbox.Mount{Source: t, Target: t})
		}
	}
	return ms
}

// reachable gives a path of a file or directory that the agent's user may see:
// for root, which runs nothing as itself, a copy where that user may not, and a
// copy for another machine, which sees only some directories.
func (w *world) reachable(path string, n int) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err != nil || !w.b.foreign && (!isRoot() || openToAll(path, st)) {
		return path, err
	}
	at := filepath.Join(w.dir, "x"+strconv.Itoa(n))
	if !st.IsDir() {
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(at, b, st.Mode().Perm())
		}
		if err == nil {
			err = os.Lchown(at, w.uid, w.gid())
		}
		return at, err
	}
	if err := w.ownDir(at); err != nil {
		return "", err
	}
	c := trees.Copier{UID: w.uid, GID: w.gid()}
	return at, c.Copy(path, at)
}

// openToAll reports whether every user may go to path and read it.
func openToAll(path string, st fs.FileInfo) bool {
	need := fs.FileMode(0o4)
	if st.IsDir() {
		need = 0o5
	}
	if st.Mode().Perm()&need != need {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err != nil || st.Mode().Perm()&1 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}

// errMapped says that a file system has no mounts with changed owners.
var errMapped = errors.New("mapping the owner of a layer")

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
