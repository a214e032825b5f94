package guest

import (
	"encoding/json"
	"fmt"
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
	sums := summer{}
	until := time.Now().Add(manifestTime)
	add := func(prefix string) visit {
		return func(dir int, rel string, e Entry) error {
			f := File{Path: Name(prefix + rel), Mode: e.Mode, Size: e.Size, Link: e.Link, Touched: !e.changed.Before(s.began)}
			if !matches(globs, string(f.Path)) {
				return nil
			}
			if e.Mode.IsRegular() {
				f.Sum = sums.of(dir, path.Base(string(e.Name)))
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
		if err := (walker{until: until, see: add(root.prefix), shut: true}).walk(root.dir); err != nil {
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
