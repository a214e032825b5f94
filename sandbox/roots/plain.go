package roots

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// isPlain reports whether an archive, perhaps packed with gzip, holds the files of a root themselves, as tar of a
// directory and docker export write it. Errors are the file's.
func isPlain(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	r := tar.NewReader(f)
	head, err := bufio.NewReader(io.NewSectionReader(f, 0, 2)).Peek(2)
	if err == nil && head[0] == 0x1f && head[1] == 0x8b {
		unpacked, err := gzip.NewReader(f)
		if err != nil {
			return false, err
		}
		r = tar.NewReader(unpacked)
	}
	for range DefaultLimits().Entries {
		h, err := r.Next()
		if err != nil {
			return false, nil // it has none, or is no archive: it is said where it is opened
		}
		switch name := path.Clean("/" + h.Name); {
		case slices.Contains([]string{"/manifest.json", "/index.json", "/oci-layout"}, name):
			return false, nil
		case name == "/bin/bash" || name == "/usr/bin/bash":
			return true, nil
		}
	}
	return false, nil
}

// ofPlain is the image that such an archive is the one layer of, for this machine's processor.
func ofPlain(file string) (v1.Image, error) {
	layer, err := tarball.LayerFromFile(file)
	if err != nil {
		return nil, errors.Join(errors.New("is no archive of files"), err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", processor
	return mutate.ConfigFile(img, config)
}
