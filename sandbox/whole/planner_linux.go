package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// CopiedMax is the largest file, in bytes, that is copied into a directory that is made
// anew; larger ones are shown read-only.
const CopiedMax = 1 << 20

// Bounds of what is put together: a directory that would take more is left out.
const (
	maxPlaces = 1500

	smallNames = 32 // of a directory that is copied
	smallBytes = 256 << 10
)

// planner finds out what a world with the whole host is made of, and makes its
// directories.
type planner struct {
	in        string // the directory of the world, on the host
	spec      sandbox.Spec
	mounts    []trees.Mounted
	holes     []string // what no overlay may have below it
	concealed []string // what is not shown
	links     map[string]string
	tops      []top // where what is written goes
	tree      plan.WholeTree
	err       error
}

// top says that what is written below at goes to dir. Of a directory that is
// made anew, that is all there is.
type top struct {
	at, dir string
	new     bool
}

// Show plans the host's tree, makes in the directory of the plan what that takes, and
// puts it into the plan. Of the host is concealed what the caller wants, and what is
// cookoff's own: trials is the directory of all worlds.
func Show(p *plan.Plan, spec sandbox.Spec, trials string) (*Outside, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("reading the mounts: %w", err)
	}
	defer f.Close()
	pl := &planner{in: p.Dir, spec: spec, links: map[string]string{}}
	if pl.mounts, err = trees.ParseMounts(f); err != nil {
		return nil, err
	}
	pl.tree.ReadOnly = spec.Profile == sandbox.Verify
	for _, m := range pl.mounts {
		pl.holes = append(pl.holes, m.At)
	}
	if err := pl.conceal(trials, !p.TestOnlyOff.Has(plan.HiddenFiles)); err != nil {
		return nil, err
	}
	if err := pl.mkdir(plan.ElseDir, 0o755); err != nil {
		return nil, err
	}
	if err := pl.mkdir(plan.KernelDir, 0o700); err != nil {
		return nil, err
	}
	pl.split("/", "")
	pl.whiteouts()
	pl.own(*p)
	if pl.err != nil {
		return nil, pl.err
	}
	p.Whole = &pl.tree
	return &Outside{parts: pl.tree.Parts, since: time.Now()}, nil
}

func (p *planner) mkdir(name string, mode fs.FileMode) error {
	dir := filepath.Join(p.in, name)
	if err := os.Mkdir(dir, mode); err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}

// conceal finds what is cookoff's own, and what the caller wants concealed, by
// every name that it has.
func (p *planner) conceal(trials string, hide bool) error {
	var places []string
	real := func(path string) {
		abs, err := filepath.Abs(path)
		if err != nil || path == "" {
			return
		}
		if r, err := filepath.EvalSymlinks(abs); err == nil {
			places = append(places, r)
		}
	}
	real(trials)
	for _, b := range places { // what takes the writes lies in it
		p.holes = append(p.holes, trees.Aliases(p.mounts, b)...)
	}
	if hide {
		real(os.TempDir())
		if self, err := os.Executable(); err == nil {
			real(self)
		}
		for _, c := range p.spec.Concealed {
			real(c)
		}
	}
	for _, path := range places {
		if path == "/" {
			return errors.New("all of the host would be concealed: " +
				"the project, or a file of cookoff's own, is the root directory\n" +
				"hint: stand in a directory of the project's own")
		}
		p.concealed = append(p.concealed, trees.Aliases(p.mounts, path)...)
	}
	return nil
}

// replaced reports whether the world has something of its own there.
func replaced(path string) bool {
	return slices.Contains([]string{"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", sandbox.WorkDir,
		sandbox.HomeDir, plan.CacheDir}, path)
}

// leave says that something of the host is not shown.
func (p *planner) leave(path, why string) {
	p.tree.Left = append(p.tree.Left, path+": "+why)
}

// passed reports whether what is at path is not shown: it is not even looked at,
// since to look at a file system of another machine may take for ever.
func (p *planner) passed(path string) bool {
	if replaced(path) || slices.Contains(p.concealed, path) {
		return true
	}
	kind := ""
	for _, m := range p.mounts {
		if m.At == path {
			kind = m.Kind
		}
	}
	if kind == "" || trees.IsLocal(kind) {
		return false
	}
	if !trees.IsKernels(kind) {
		p.leave(path, "its file system, "+kind+", may be another machine's")
	}
	return true
}

func (p *planner) holeBelow(path string) bool {
	return slices.ContainsFunc(p.holes, func(h string) bool { return h != path && trees.Below(h, path) })
}

// split makes a directory anew, with what is in the host's. own is where, on
// the host; "" for the root, which the set-up makes.
func (p *planner) split(at, own string) {
	entries, err := os.ReadDir(at)
	if err != nil {
		p.leave(at, plainReason(err))
		return
	}
	for _, e := range entries {
		if p.err != nil {
			return
		}
		path := filepath.Join(at, e.Name())
		to := ""
		if own != "" {
			to = filepath.Join(own, e.Name())
		}
		if !p.passed(path) {
			p.entry(path, to)
		} else if to != "" && !slices.Contains(p.concealed, path) {
			p.keep(os.Mkdir(to, 0o755)) // the place is there, and empty
		}
	}
}

func (p *planner) keep(err error) {
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("showing the host: %w", err)
	}
}

// entry shows one name of a directory that is made anew.
func (p *planner) entry(path, to string) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return // it has just gone
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		p.link(path, to, &st)
	case unix.S_IFREG:
		p.file(path, to, &st)
	case unix.S_IFDIR:
		p.dir(path, to, &st)
	}
}

func (p *planner) link(path, to string, st *unix.Stat_t) {
	target, err := os.Readlink(path)
	switch {
	case err != nil:
	case to != "":
		p.keep(os.Symlink(target, to))
		p.keep(p.like(to, st))
	default: // relative, so that it leads nowhere else while the world is made
		target = strings.TrimPrefix(filepath.Join("/", target), "/")
		p.links[path] = "/" + target
		p.tree.Parts = append(p.tree.Parts, plan.Part{At: path, Kind: plan.Linked, Link: target})
	}
}

// file copies a small file, so that it can be changed, and shows a large one.
func (p *planner) file(path, to string, st *unix.Stat_t) {
	if to != "" && st.Size <= CopiedMax {
		b, err := os.ReadFile(path)
		if err != nil {
			return // nobody can read it inside either
		}
		p.keep(os.WriteFile(to, b, 0o600))
		p.keep(p.like(to, st))
		p.keep(unix.UtimesNano(to, []unix.Timespec{st.Atim, st.Mtim}))
		return
	}
	if to != "" {
		p.keep(os.WriteFile(to, nil, 0o600))
	}
	p.tree.Parts = append(p.tree.Parts, plan.Part{At: path, Kind: plan.ShowFile})
}

// dir shows a directory: by an overlay, or made anew where there are holes in
// it that an overlay can't have.
func (p *planner) dir(path, to string, st *unix.Stat_t) {
	if len(p.tree.Parts) >= maxPlaces {
		p.leave(path, "there is too much beside it")
		return
	}
	deep := p.holeBelow(path) || to != "" && isSmall(path)
	if to != "" {
		p.keep(os.Mkdir(to, 0o700))
		p.keep(p.like(to, st))
	}
	open := enters(path, st)
	if to != "" && (deep || !open) {
		p.fillNew(path, to, open)
		return
	}
	own := plan.Part{At: path, Kind: plan.Overlaid, Own: strconv.Itoa(len(p.tree.Parts))}
	upper := filepath.Join(p.in, plan.ElseDir, own.Own)
	p.keep(os.Mkdir(upper, 0o700))
	p.keep(p.like(upper, st))
	if deep || !open {
		own.Kind = plan.NewDirectory
		p.tree.Parts = append(p.tree.Parts, own)
		p.fillNew(path, upper, open)
		return
	}
	p.tree.Parts = append(p.tree.Parts, own)
	p.tops = append(p.tops, top{at: path, dir: upper})
	p.keep(os.Mkdir(filepath.Join(p.in, plan.KernelDir, own.Own), 0o700))
}

// isSmall reports whether a directory is so small that it is sooner copied than
// covered by an overlay: the /etc of a container, which has mounts in it, holds
// dozens of such.
func isSmall(path string) bool {
	names, bytes := 0, int64(0)
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if names++; d.Type().IsRegular() {
			if st, err := d.Info(); err == nil {
				bytes += st.Size()
			}
		}
		if names > smallNames || bytes > smallBytes {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && names <= smallNames && bytes <= smallBytes
}

// fillNew fills a directory that is made anew, where anybody inside gets into it.
func (p *planner) fillNew(at, dir string, open bool) {
	p.tops = append(p.tops, top{at, dir, true})
	if open && p.err == nil {
		p.split(at, dir)
	}
}

// enters reports whether the agent may pass through a directory of the host's.
func enters(path string, st *unix.Stat_t) bool {
	if users.IsRoot() {
		return st.Mode&0o001 != 0
	}
	return unix.Access(path, unix.X_OK) == nil
}

// like gives a copy the mode, and where that is possible the owner, of what it
// is a copy of.
func (p *planner) like(path string, st *unix.Stat_t) error {
	if users.IsRoot() {
		if err := os.Lchown(path, int(st.Uid), int(st.Gid)); err != nil {
			return err
		}
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return nil
	}
	return unix.Chmod(path, st.Mode&0o1777)
}

// plainReason is an error without the operation and the path.
func plainReason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}
