package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
)

// Bounds of a manifest.
const (
	manifestTime = 5 * time.Minute
	manifestPart = 2000 // entries a frame
)

// manifest describes project and home, in several replies.
func (s *server) manifest(id uint64, globs []Name) (any, error) {
	var part []File
	until := time.Now().Add(manifestTime)
	add := func(prefix string) visit {
		return func(dir int, rel string, e Entry) error {
			f := File{Path: Name(prefix + rel), Mode: e.Mode, Size: e.Size, Link: e.Link}
			if !matches(globs, string(f.Path)) {
				return nil
			}
			if e.Mode.IsRegular() {
				f.Sum = sum(dir, string(e.Name))
			}
			if part = append(part, f); len(part) < manifestPart {
				return nil
			}
			b, err := json.Marshal(part)
			if err != nil {
				return err
			}
			part = part[:0]
			return s.send(Reply{ID: id, More: true, Body: b})
		}
	}
	for _, root := range []struct{ dir, prefix string }{{sandbox.WorkDir, ""}, {sandbox.HomeDir, "~/"}} {
		if err := walk(root.dir, until, add(root.prefix)); err != nil {
			return nil, fmt.Errorf("describing %s: %w", root.dir, err)
		}
	}
	return part, nil
}

func matches(globs []Name, p string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if ok, _ := doublestar.Match(string(g), p); ok {
			return true
		}
	}
	return false
}

// sum is the SHA-256 of a file; "" when it can't be read.
func sum(dir int, name string) string {
	f, err := openEntry(dir, path.Base(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
