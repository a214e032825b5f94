// Package roots unpacks images of containers and directories into trees that worlds
// can have for their root. Nothing of an image is run, and nothing but its files is
// believed.
package roots

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/sandbox/trees"
)

// Limits bound what is unpacked.
type Limits struct {
	Bytes   int64 // of all files together
	Entries int   // of all layers together
}

// DefaultLimits are those of a large image.
func DefaultLimits() Limits { return Limits{Bytes: 32 << 30, Entries: 2_000_000} }

// Store keeps unpacked roots in a directory, by what they hold.
type Store struct {
	Dir     string
	Limits  Limits
	Several bool // for worlds with several users: files belong to whom the image says
}

// Open gives the root of a path: an archive of docker save or podman save, the
// directory of an OCI layout, or a directory of files. It is unpacked the first
// time. An error names what in it is refused.
func (s Store) Open(ctx context.Context, path string) (sandbox.Root, error) {
	r, err := s.open(ctx, path)
	if err != nil {
		return r, fmt.Errorf("root: %s: %w", path, err)
	}
	return r, nil
}

// Key says what a path holds: of an image, by its content.
func Key(path string) (string, error) {
	key, _, err := look(path)
	return key, err
}

// look gives the key of a path, and the image that it is; nil: it is a directory of
// files.
func look(path string) (string, v1.Image, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", nil, errors.New("there is no such file or directory")
	}
	if st.IsDir() && !isLayout(path) {
		key, err := treeKey(path)
		return key, nil, err
	}
	img, err := image(path, st)
	if err != nil {
		return "", nil, err
	}
	raw, err := img.RawConfigFile() // it names the content of every layer
	if err != nil {
		return "", nil, fmt.Errorf("reading the image: %w", err)
	}
	return fmt.Sprintf("image-%x", sha256.Sum256(raw)), img, nil
}

func (s Store) open(ctx context.Context, path string) (sandbox.Root, error) {
	key, img, err := look(path)
	switch {
	case err != nil:
		return sandbox.Root{}, err
	case img == nil:
		return s.keep(key, func(dir string) (map[string]trees.Owner, error) { return nil, s.copied(ctx, path, dir) })
	}
	return s.keep(key, func(dir string) (map[string]trees.Owner, error) { return s.unpack(ctx, img, dir) })
}

// severalKept ends the name of a root whose files belong to several users.
const severalKept = "-users"

// keep gives the root of a key, made by fill where it is not there yet.
func (s Store) keep(key string, fill func(dir string) (map[string]trees.Owner, error)) (sandbox.Root, error) {
	if s.Several {
		key += severalKept
	}
	at := filepath.Join(s.Dir, key)
	if r, ok := sealed(at); ok {
		return r, nil
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return sandbox.Root{}, err
	}
	tmp, err := temporary.Dir(s.Dir, "new-*")
	if err != nil {
		return sandbox.Root{}, err
	}
	defer removeAll(tmp)
	tree := filepath.Join(tmp, sandbox.RootTree)
	err = os.Mkdir(tree, 0o755)
	var owners map[string]trees.Owner
	if err == nil {
		owners, err = fill(tree)
	}
	if err == nil {
		err = complete(tree)
	}
	if err == nil {
		err = s.seal(tmp, owners)
	}
	if err == nil {
		err = os.Rename(tmp, at)
	}
	if r, ok := sealed(at); ok { // by this process, or by another meanwhile
		return r, nil
	}
	return sandbox.Root{}, err
}

// sealName is the file that is made last: its time is that of the root.
const sealName = "sealed"

// tick is how far the kernel's times of files may lag behind the clock.
const tick = 20 * time.Millisecond

func sealed(dir string) (sandbox.Root, bool) {
	st, err := os.Lstat(filepath.Join(dir, sealName))
	if err != nil {
		return sandbox.Root{}, false
	}
	return sandbox.Root{Dir: dir, Sealed: st.ModTime()}, true
}

// seal notes the sums of all files, gives them their owners, and notes when that was done.
func (s Store) seal(dir string, owners map[string]trees.Owner) error {
	tree := filepath.Join(dir, sandbox.RootTree)
	err := noteSums(tree)
	if err == nil && s.Several {
		err = trees.Own(tree, owners)
	}
	if err != nil {
		return err
	}
	time.Sleep(2 * tick)
	return os.WriteFile(filepath.Join(dir, sealName), nil, 0o600)
}

// treeKey says which files a directory holds, without reading them.
func treeKey(dir string) (string, error) {
	h := sha256.New()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "%q\n", abs)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		since := changed(info)
		if d.IsDir() { // being copied changes it
			since = 0
		}
		fmt.Fprintf(h, "%q %v %d %d %d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano(), since)
		return nil
	})
	return "tree-" + hex.EncodeToString(h.Sum(nil)), err
}

// unpack applies the layers of an image, the lowest first, and gives the owners of what is not root's.
func (s Store) unpack(ctx context.Context, img v1.Image, dir string) (map[string]trees.Owner, error) {
	layers, err := img.Layers()
	if err != nil {
		return nil, fmt.Errorf("reading the image: %w", err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading the image: %w", err)
	}
	if len(layers) != len(config.RootFS.DiffIDs) {
		return nil, fmt.Errorf("has %d layers, and its configuration names %d", len(layers), len(config.RootFS.DiffIDs))
	}
	if config.Architecture != "" && config.Architecture != processor || config.OS != "" && config.OS != "linux" {
		return nil, fmt.Errorf("is for %.20q/%.20q, and this machine is linux/%s", config.OS, config.Architecture, processor)
	}
	a, err := newApplier(dir, s.Limits)
	if err != nil {
		return nil, err
	}
	defer a.root.Close()
	a.several = s.Several
	for i, l := range layers {
		id, err := l.DiffID()
		if err == nil && id != config.RootFS.DiffIDs[i] {
			err = errors.New("is not the one that the configuration names")
		}
		if err == nil {
			err = a.layer(ctx, l)
		}
		if damaged(err) {
			return nil, fmt.Errorf("layer %d is damaged: %w\n"+
				"hint: save the image again (docker save, skopeo copy), and compare its digest with the registry's", i+1, err)
		}
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", i+1, err)
		}
	}
	return a.owners, a.modes()
}

// damaged reports whether an error says that compressed bytes are none, or not all.
func damaged(err error) bool {
	var data flate.CorruptInputError
	return errors.As(err, &data) || slices.ContainsFunc([]error{io.ErrUnexpectedEOF, gzip.ErrHeader, gzip.ErrChecksum,
		zstd.ErrMagicMismatch, zstd.ErrCRCMismatch, zstd.ErrUnexpectedBlockSize, zstd.ErrReservedBlockType,
		zstd.ErrWindowSizeExceeded}, func(of error) bool { return errors.Is(err, of) })
}
