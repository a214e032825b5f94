package sources

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"cookoff/internal/cachedir"
	"cookoff/interop/harbor/tasks"
	"cookoff/sandbox"
	"cookoff/sandbox/roots"
)

// HarborMachine answers for this machine, for the images that the user has as files, and for
// those that its engine builds.
func (f Finder) HarborMachine(ctx context.Context) tasks.Machine {
	m := tasks.ThisMachine()
	store := &images{ctx: ctx, dir: imagesDir(m.Home), held: map[string]func() (tasks.Machine, error){}}
	m.Image = store.find
	m.Build = (&building{store, f}).build
	return m
}

// imagesDir is where the user keeps images of containers: as the archives of docker save and
// podman save, or as OCI layouts.
func imagesDir(home string) string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "cookoff", "images")
	}
	return filepath.Join(home, ".local", "share", "cookoff", "images")
}

// images are those of the user.
type images struct {
	ctx  context.Context
	dir  string
	once sync.Once
	all  []named
	held map[string]func() (tasks.Machine, error) // by path
}

// named is an image by one of its names.
type named struct {
	name, path string
	about      roots.About
}

// list reads what images say of themselves, once. Files that are none are passed over.
func (s *images) list() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		about, err := roots.Read(path)
		if err != nil {
			continue
		}
		for _, name := range about.Names {
			s.all = append(s.all, named{name, path, about})
		}
	}
}

// find gives the image of a name.
func (s *images) find(name string) (tasks.Image, bool, error) {
	s.once.Do(s.list)
	for _, n := range s.all {
		if tasks.SameImage(n.name, name) {
			return s.image(n.path, n.about), true, nil
		}
	}
	return tasks.Image{}, false, nil
}

// image is what tasks know of an image.
func (s *images) image(path string, about roots.About) tasks.Image {
	if s.held[path] == nil {
		s.held[path] = sync.OnceValues(func() (tasks.Machine, error) { return s.holds(path) })
	}
	return tasks.Image{Path: path, Workdir: about.Workdir, Env: about.Env, User: about.User, Holds: s.held[path]}
}

// holds gives what is installed in an image, which is unpacked for it where that was not
// done before.
func (s *images) holds(path string) (tasks.Machine, error) {
	dir, err := cachedir.Path("roots")
	if err != nil {
		return tasks.Machine{}, err
	}
	store := roots.Store{Dir: dir, Limits: roots.DefaultLimits()}
	root, err := store.Open(s.ctx, path)
	if err != nil {
		return tasks.Machine{}, err
	}
	return tasks.MachineOf(filepath.Join(root.Dir, sandbox.RootTree))
}
