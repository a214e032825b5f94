package lookup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing/fstest"

	"cookoff/recipe/gitsource"
)

// BundleRecipe is the name of the recipe within a bundle.
const BundleRecipe = "recipe.md"

// BundleBeside is the directory of a bundle with what lies in directories beside the recipe that it
// names.
const BundleBeside = "beside"

// maxBundled is how many bytes of a bundle are looked through, unpacked: the
// recipe and its files come first.
const maxBundled = 256 << 20

// isBundle tells whether what follows is a bundle: a gzipped tar file.
func isBundle(r *bufio.Reader) bool {
	magic, err := r.Peek(2)
	return err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b})
}

// bundleRecipe reads the recipe out of a bundle. It unpacks nothing else.
func bundleRecipe(r io.Reader) ([]byte, error) {
	var content []byte
	err := eachBundled(r, func(h *tar.Header, file io.Reader) (more bool, err error) {
		if h.Name == BundleRecipe {
			content, err = limited(file, 0)
		}
		return content == nil, err
	})
	if err == nil && content == nil {
		err = fmt.Errorf("a bundle without a %s", BundleRecipe)
	}
	return content, err
}

// eachBundled calls f for the regular files of a bundle, one after another,
// while it wants more.
func eachBundled(r io.Reader, f func(h *tar.Header, file io.Reader) (more bool, err error)) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("reading a bundle: %w", err)
	}
	unpacked := &io.LimitedReader{R: z, N: maxBundled}
	for t := tar.NewReader(unpacked); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) || unpacked.N <= 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a bundle: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if more, err := f(h, t); err != nil || !more {
			return err
		}
	}
}

// BundleFiles gives the files that lie in the directory dir of a bundle, by
// their names there; nil where path is no bundle. Nothing is unpacked.
func BundleFiles(path, dir string) (map[string][]byte, error) {
	tree, err := bundled(path, dir, gitsource.MaxFile, func(name string) bool { return !strings.ContainsAny(name, "/\\") })
	if tree == nil || err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, f := range tree {
		files[name] = f.Data
	}
	return files, nil
}

// BundleTree gives what lies below the directory dir of a bundle; nil where path is no
// bundle, or nothing lies there. Nothing is unpacked.
func BundleTree(path, dir string) (fs.FS, error) {
	tree, err := bundled(path, dir, maxBundled, func(string) bool { return true })
	if len(tree) == 0 || err != nil {
		return nil, err
	}
	return tree, nil
}

// bundled gives the files below a directory of a bundle, whose names are valid and which have
// no more than so many bytes together; nil where path is no bundle.
func bundled(path, dir string, most int, valid func(name string) bool) (fstest.MapFS, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a bundle: %w", err)
	}
	defer f.Close()
	b := bufio.NewReader(f)
	if !isBundle(b) {
		return nil, nil
	}
	files, size := fstest.MapFS{}, 0 // the file system in memory that the standard library has
	err = eachBundled(b, func(h *tar.Header, file io.Reader) (bool, error) {
		name, in := strings.CutPrefix(h.Name, dir+"/")
		if !in {
			return true, nil
		}
		if name == "." || !fs.ValidPath(name) || strings.ContainsRune(name, 0) || !valid(name) {
			return false, fmt.Errorf("reading a bundle: %q is no name of a file in %s", h.Name, dir)
		}
		content, err := limited(file, 0)
		if size += len(content); err == nil && size > most {
			err = fmt.Errorf("reading a bundle: more than %d MiB in %s", most>>20, dir)
		}
		files[name] = &fstest.MapFile{Data: content, Mode: fs.FileMode(h.Mode & 0o755)}
		return true, err
	})
	return files, err
}

// limited reads all of a recipe that is not too large to be one; size is how
// large it seems to be.
func limited(r io.Reader, size int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), gitsource.MaxFile)+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(r, gitsource.MaxFile+1))
	content := buf.Bytes()
	if err != nil {
		return nil, fmt.Errorf("reading the recipe: %w", err)
	}
	if len(content) > gitsource.MaxFile {
		return nil, fmt.Errorf("larger than %d MiB: this is no recipe", gitsource.MaxFile>>20)
	}
	return content, nil
}
