package roots

import (
	"fmt"
	"os"
	"path/filepath"

	"io"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// About is what an image says of itself. Nothing of it is believed, and nothing of it is run.
type About struct {
	Names   []string // as repository:tag
	Workdir string   // "": the root
	Env     []string // NAME=VALUE
	User    string   // that its programs run as; "": root
}

// Read gives what the image at a path says of itself, without unpacking it.
func Read(path string) (About, error) {
	st, err := os.Stat(path)
	if err != nil {
		return About{}, err
	}
	img, err := image(path, st)
	if err != nil {
		return About{}, err
	}
	c, err := img.ConfigFile()
	if err != nil {
		return About{}, fmt.Errorf("reading the image: %w", err)
	}
	a := About{Workdir: c.Config.WorkingDir, Env: c.Config.Env, User: c.Config.User}
	if st.IsDir() {
		a.Names, err = namesOfLayout(path)
	} else {
		a.Names, err = namesOfArchive(path)
	}
	return a, err
}

func namesOfArchive(path string) (names []string, err error) {
	list, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
	for _, d := range list {
		names = append(names, d.RepoTags...)
	}
	return names, err
}

// namesOfLayout gives those that tools note beside the images of a layout.
func namesOfLayout(dir string) (names []string, err error) {
	if err := small(filepath.Join(dir, "index.json"), "index"); err != nil {
		return nil, err
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	m, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range m.Manifests {
		for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
			if name := d.Annotations[key]; name != "" {
				names = append(names, name)
			}
		}
	}
	return names, nil
}
