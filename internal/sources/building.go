package sources

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/text"
	"cookoff/interop/harbor/tasks"
	"cookoff/sandbox/container"
	"cookoff/sandbox/roots"
)

// building has an engine build images. They lie beside the user's own, by what they were
// made of, so that each is built once.
type building struct {
	images *images
	finder Finder
}

// build gives the image of a Dockerfile; false: it is not here, and nobody asked to build.
func (g *building) build(b tasks.Build) (tasks.Image, bool, error) {
	sum, err := sumOf(b)
	if err != nil {
		return tasks.Image{}, false, err
	}
	at := filepath.Join(g.images.dir, "built-"+sum+".tar")
	if !files.IsRegular(at) {
		if !g.finder.Build {
			return tasks.Image{}, false, nil
		}
		if err := g.make(b, sum, at); err != nil {
			return tasks.Image{}, false, fmt.Errorf("building its image: %w", err)
		}
	}
	about, err := roots.Read(at)
	if err != nil {
		return tasks.Image{}, false, fmt.Errorf("%s: %w", at, err)
	}
	return g.images.image(at, about), true, nil
}

// errSlow is why a build was ended.
var errSlow = errors.New("it takes longer than the task's build_timeout_sec (600 where it says none)")

// make builds an image into a file, as a whole or not at all.
func (g *building) make(b tasks.Build, sum, at string) error {
	ctx, stop := context.WithTimeoutCause(g.images.ctx, b.Time, errSlow)
	defer stop()
	if engine := container.Engine(); engine != "" {
		g.finder.Notify(host.Notice{Text: fmt.Sprintf("%s builds the image of %s, and what that runs has its network "+
			"(at most %s; Ctrl-C gives it up, and what it runs by then may go on)", engine, text.Line(b.Task), b.Time)})
	}
	if err := os.MkdirAll(g.images.dir, 0o755); err != nil {
		return err
	}
	tmp, err := temporary.Dir(g.images.dir, ".building-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if b.Context == "" {
		b.Context = filepath.Join(tmp, "empty")
		if err := os.Mkdir(b.Context, 0o700); err != nil {
			return err
		}
	}
	made := filepath.Join(tmp, "image.tar")
	if err := container.Make(ctx, container.Build{Dockerfile: b.Dockerfile, Context: b.Context,
		Name: "localhost/cookoff-harbor:" + sum, To: made}); err != nil {
		return err
	}
	return os.Rename(made, at)
}

// sumOf sums what an image is made of: a Dockerfile, and the files that it may copy.
func sumOf(b tasks.Build) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(b.Dockerfile), b.Dockerfile)
	if b.Context == "" {
		return fmt.Sprintf("%x", h.Sum(nil)[:12]), nil
	}
	root, err := os.OpenRoot(b.Context)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v ", name, info.Mode())
		switch {
		case info.Mode().Type() == fs.ModeSymlink:
			to, err := root.Readlink(name)
			fmt.Fprintf(h, "%q", to)
			return err
		case d.IsDir():
			return nil
		case !info.Mode().IsRegular():
			return fmt.Errorf("%q is neither a file nor a directory", name)
		}
		return addFile(h, root, name)
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:12]), err
}

func addFile(h io.Writer, root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(h, f)
	fmt.Fprintf(h, " %d\n", n)
	return err
}
