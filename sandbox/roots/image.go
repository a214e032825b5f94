package roots

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// maxText is the size in bytes of what says what an image is made of: it is read
// into memory.
const maxText = 8 << 20

func isLayout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "oci-layout"))
	return err == nil
}

// image opens an archive, or the directory of an OCI layout.
func image(path string, st fs.FileInfo) (v1.Image, error) {
	if st.IsDir() {
		return ofLayout(path)
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("is neither a file nor a directory")
	}
	if plain, err := isPlain(path); err != nil {
		return nil, err
	} else if plain {
		return ofPlain(path)
	}
	if err := readable(path); err != nil {
		return nil, err
	}
	img, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return nil, fmt.Errorf("is no archive of one image, as docker save and podman save write it: %w", err)
	}
	return img, nil
}

// readable looks through an archive: what is read into memory must be small.
func readable(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	unfit := map[string]bool{} // for being read into memory
	for r, n := tar.NewReader(f), 0; ; n++ {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return textsFit(file, unfit)
		case err != nil:
			return fmt.Errorf("is no tar archive: %w", err)
		case strings.HasSuffix(h.Name, ".json") && h.Size > maxText:
			return fmt.Errorf("%.100q has %d bytes, at most %d are read", h.Name, h.Size, maxText)
		case h.Size > maxText || h.Typeflag == tar.TypeSymlink || h.Typeflag == tar.TypeLink:
			unfit[path.Clean(h.Name)] = true
		case n > 100_000:
			return errors.New("has more than 100,000 entries, which no archive of an image has")
		}
	}
}

// textsFit wants what says what an image is made of to be files, and small.
func textsFit(file string, unfit map[string]bool) error {
	const manifest = "manifest.json"
	if unfit[manifest] {
		return fmt.Errorf("its %s is a link", manifest)
	}
	list, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(file) })
	if err != nil {
		return fmt.Errorf("is no archive of an image, as docker save and podman save write it, nor of a root's own "+
			"files with a bin/bash, as docker export and tar of a directory do: %w", err)
	}
	for _, d := range list {
		if unfit[path.Clean(d.Config)] {
			return fmt.Errorf("its configuration %.100q is a link, or has more than %d bytes", d.Config, maxText)
		}
	}
	return nil
}

// ofLayout opens the one image of an OCI layout that is for this machine's
// processor.
func ofLayout(dir string) (v1.Image, error) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !d.Type().IsRegular() {
			err = fmt.Errorf("%.100q in it is no file", d.Name())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := small(filepath.Join(dir, "index.json"), "index"); err != nil {
		return nil, err
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("is no OCI layout: %w", err)
	}
	return ociLayout(dir).image(index, 0)
}

// ociLayout is the directory of one.
type ociLayout string

func (l ociLayout) image(index v1.ImageIndex, depth int) (v1.Image, error) {
	m, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("reading the index: %w", err)
	}
	var fits []v1.Descriptor
	for _, d := range m.Manifests {
		if d.Platform == nil || d.Platform.OS == "linux" && d.Platform.Architecture == processor {
			fits = append(fits, d)
		}
	}
	switch {
	case len(fits) == 0:
		return nil, fmt.Errorf("has no image for linux/%s", processor)
	case len(fits) > 1:
		return nil, fmt.Errorf("has %d images for linux/%s: a root is one", len(fits), processor)
	}
	if err := small(l.blob(fits[0].Digest), "manifest"); err != nil {
		return nil, err
	}
	switch {
	case fits[0].MediaType.IsIndex() && depth < 4:
		inner, err := index.ImageIndex(fits[0].Digest)
		if err != nil {
			return nil, err
		}
		return l.image(inner, depth+1)
	case !fits[0].MediaType.IsImage():
		return nil, fmt.Errorf("%s is no image", fits[0].MediaType)
	}
	img, err := index.Image(fits[0].Digest)
	if err != nil {
		return nil, err
	}
	its, err := img.Manifest()
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	for i, layer := range its.Layers {
		if st, err := os.Stat(l.blob(layer.Digest)); err != nil || st.Size() != layer.Size {
			return nil, fmt.Errorf("is no whole OCI layout: its layer %d of %d, %s, is missing or not of %d bytes",
				i+1, len(its.Layers), layer.Digest, layer.Size)
		}
	}
	return img, small(l.blob(its.Config.Digest), "configuration")
}

// small wants a text of a layout to be small, before it is read.
func small(path, what string) error {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("is no whole OCI layout: its %s is missing", what)
	}
	if st.Size() > maxText {
		return fmt.Errorf("its %s has %d bytes, at most %d are read", what, st.Size(), maxText)
	}
	return nil
}

// blob is where a layout keeps what has a digest.
func (l ociLayout) blob(h v1.Hash) string {
	return filepath.Join(string(l), "blobs", filepath.Base(h.Algorithm), filepath.Base(h.Hex))
}
