package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// copied fills project and home by copying, where there are no overlays: a world
// is then slower to open, and is otherwise the same.
type copied struct {
	of     *Files
	from   string   // the project
	hidden []string // what the copy of it leaves out
}

func (*copied) copied() bool { return true }

// below are no layers: the newest holds everything, once what was hidden is back.
func (c *copied) below(top stratum) ([]stratum, error) { return nil, c.unhide(top) }

// lay copies.
func (c *copied) lay(p *plan.Plan, spec sandbox.Spec) ([]*os.File, error) {
	f := c.of
	p.Work.Plain, p.Home.Plain = true, true
	if err := validGlobs(spec.Hidden); err != nil {
		return nil, err
	}
	top := newStratum(filepath.Join(f.dir, plan.TopDir))
	for _, d := range []string{top.both, top.work, top.home} {
		if err := f.agent.MakeDir(d); err != nil {
			return nil, err
		}
	}
	t := trees.Copier{}
	t.UID, t.GID = f.agent.CopyOwner()
	if p.Rest != nil {
		p.Rest.Plain = true
		err := f.makeRest(p.Rest)
		if err == nil && f.from != nil {
			err = t.CopyRoot(f.lower[0].rest, filepath.Join(f.dir, p.Rest.Upper))
		}
		if err != nil {
			return nil, err
		}
	}
	if len(f.lower) == 0 {
		return nil, nil
	}
	return nil, c.fill(top, f.lower[0], spec.Hidden, t) // of a state, this is all of it
}

// again has nothing to do: all lies there.
func (c *copied) again(p *plan.Plan, _ sandbox.Spec) ([]*os.File, error) {
	p.Work.Plain, p.Home.Plain = true, true
	if p.Rest != nil {
		p.Rest.Plain = true
	}
	return nil, nil
}

// fill copies home, and of the project what is not hidden.
func (c *copied) fill(top, from stratum, globs []string, t trees.Copier) error {
	if from.home != "" {
		if err := t.Copy(from.home, top.home); err != nil {
			return err
		}
	}
	if c.from = from.work; from.work == "" {
		return nil
	}
	t.Skip = func(rel string) bool {
		if !hidden(globs, rel) {
			return false
		}
		c.hidden = append(c.hidden, rel)
		return true
	}
	return t.Copy(from.work, top.work)
}

func validGlobs(globs []string) error {
	for _, g := range globs {
		if !doublestar.ValidatePattern(g) {
			return errors.New("not a valid glob: " + g)
		}
	}
	return nil
}

// hidden reports whether a glob matches the path.
func hidden(globs []string, rel string) bool {
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, filepath.ToSlash(rel)); ok {
			return true
		}
	}
	return false
}

// unhide puts what was hidden from a copied world back under what it left, as
// if it had been there all the time: where its directory is gone, it is gone,
// and what was made in its place stays. No process of the world lives any
// more, and no link that it left is followed.
func (c *copied) unhide(top stratum) error {
	if len(c.hidden) == 0 {
		return nil
	}
	back, err := lend(os.Lstat, os.Chmod, top.work)
	if err != nil {
		return err
	}
	defer back()
	to, err := os.OpenRoot(top.work)
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := os.OpenRoot(c.from)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, rel := range c.hidden {
		if err := c.restore(from, to, rel); err != nil {
			return fmt.Errorf("putting back %.200q, which was hidden: %w", rel, err)
		}
	}
	return nil
}

// errNoDir says that a directory is gone, or is something else now.
var errNoDir = errors.New("no directory")

// lend gives the owner the rights in a directory that an agent may have taken
// from it, until they are given back. errNoDir: there is none.
func lend(stat func(string) (fs.FileInfo, error), chmod func(string, fs.FileMode) error, dir string) (back func(),
	err error) {
	st, err := stat(dir)
	switch {
	case err != nil, !st.IsDir():
		return func() {}, errNoDir
	case st.Mode()&0o700 == 0o700:
		return func() {}, nil
	}
	return func() { _ = chmod(dir, st.Mode()) }, chmod(dir, st.Mode()|0o700)
}

// restore puts one file or directory back.
func (c *copied) restore(from, to *os.Root, rel string) error {
	for i, r := range rel {
		if r != filepath.Separator {
			continue
		}
		back, err := lend(to.Lstat, to.Chmod, rel[:i])
		defer back()
		if errors.Is(err, errNoDir) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	src, err := from.Lstat(rel)
	if err != nil {
		return err
	}
	st, err := to.Lstat(rel)
	switch {
	case err == nil && st.IsDir() && src.IsDir():
		return c.restoreEntries(from, to, rel)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case src.IsDir():
		if err := to.Mkdir(rel, 0o700); err != nil {
			return err
		}
		if err := c.restoreEntries(from, to, rel); err != nil {
			return err
		}
	default:
		return c.restoreFile(from, to, rel, src.Mode())
	}
	return c.like(to, rel, src.Mode())
}

// restoreFile puts a file or link back where nothing is.
func (c *copied) restoreFile(from, to *os.Root, rel string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		b, err := from.ReadFile(rel)
		if err == nil {
			err = to.WriteFile(rel, b, 0o600)
		}
		if err != nil {
			return err
		}
	case mode&fs.ModeSymlink != 0:
		t, err := from.Readlink(rel)
		if err == nil {
			err = to.Symlink(t, rel)
		}
		if err != nil {
			return err
		}
	default:
		return nil
	}
	return c.like(to, rel, mode)
}

// like gives what was put back to the agent, with the mode it had.
func (c *copied) like(to *os.Root, rel string, mode fs.FileMode) error {
	if users.IsRoot() {
		if err := to.Lchown(rel, c.of.agent.UID, c.of.agent.GID); err != nil {
			return err
		}
	}
	if mode&fs.ModeSymlink != 0 {
		return nil
	}
	return to.Chmod(rel, mode.Perm())
}

func (c *copied) restoreEntries(from, to *os.Root, rel string) error {
	d, err := from.Open(rel)
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	d.Close()
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := c.restore(from, to, filepath.Join(rel, n)); err != nil {
			return err
		}
	}
	return nil
}
