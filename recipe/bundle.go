package recipe

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// BundleRecipe is the name of the recipe within a bundle.
const BundleRecipe = "recipe.md"

// isBundle tells whether what follows is a bundle: a gzipped tar file.
func isBundle(r *bufio.Reader) bool {
	magic, err := r.Peek(2)
	return err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b})
}

// bundleRecipe reads the recipe out of a bundle. It unpacks nothing else.
func bundleRecipe(r io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading a bundle: %w", err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("a bundle without a %s", BundleRecipe)
		}
		if err != nil {
			return nil, fmt.Errorf("reading a bundle: %w", err)
		}
		if h.Name == BundleRecipe && h.Typeflag == tar.TypeReg {
			return limited(t)
		}
	}
}

// limited reads all of a recipe that is not too large to be one.
func limited(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the recipe: %w", err)
	}
	if len(content) > maxFileSize {
		return nil, fmt.Errorf("larger than %d MiB: this is no recipe", maxFileSize>>20)
	}
	return content, nil
}

// FromElsewhere tells whether the recipe was fetched, or lay in a bundle: then
// it is nobody's that the user need know.
func (r *Recipe) FromElsewhere() bool { return r.elsewhere }
