package files

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
	"cookoff/sandbox/noted"
	"cookoff/sandbox/wire"
)

// Bounds of a manifest. A tree can be made so that its names alone are more
// than anybody has memory for; who asks is told that there is more.
const (
	manifestTime  = 5 * time.Minute
	manifestPart  = 2000      // entries a frame
	manifestNames = 4 << 20   // bytes of names a frame
	manifestSize  = 160 << 20 // bytes of all frames
	maxPath       = 64 << 10  // bytes of a path; no program can use one of 4 KiB
)

// manifest describes project and home, in several parts; it gives the last.
func (s Server) manifest(a wire.ManifestArgs, more func(wire.Part) error) (any, error) {
	d := &describer{began: s.Began, more: more, globs: a.Globs, noted: a.Data, sums: summer{}, of: s}
	until := time.Now().Add(manifestTime)
	type root struct{ dir, prefix string }
	roots := []root{{sandbox.WorkDir, ""}, {sandbox.HomeDir, "~/"}}
	for _, p := range s.Places {
		roots = append(roots, root{p, strings.TrimSuffix(p, "/") + "/"})
	}
	for _, root := range roots {
		d.prefix = root.prefix
		if err := (walker{until: until, see: d.entry, shut: true}).walk(root.dir); err != nil {
			return nil, fmt.Errorf("describing %s: %w", root.dir, err)
		}
		if d.sent > manifestSize {
			return wire.PartOf([]sandbox.File{{Path: sandbox.MoreFiles}}), nil
		}
	}
	return wire.PartOf(d.part), nil
}

// describer gathers the entries of a manifest, and sends them as they come.
type describer struct {
	began  time.Time // what changed since is touched
	more   func(wire.Part) error
	globs  []string
	noted  noted.List
	prefix string
	sums   summer
	of     Server

	part  []sandbox.File
	names int // bytes in part
	sent  int // bytes
}

func (d *describer) entry(dir int, rel string, e entry) error {
	if len(rel) > maxPath {
		return fs.SkipDir
	}
	if strings.HasPrefix(d.prefix, "/") && e.Mode.IsDir() && d.of.apart(d.prefix+rel) {
		return fs.SkipDir
	}
	f := sandbox.File{Path: d.prefix + rel, Mode: e.Mode, Size: e.Size, Link: e.Link,
		Touched: !e.changed.Before(d.began)}
	if !matches(d.globs, f.Path) {
		return nil
	}
	f.Owner = e.owner
	known := noted.File{}
	if e.Mode.IsRegular() {
		known = d.noted.Find(e.inode, e.changed.UnixNano())
	}
	if f.Sum = known.Sum; !known.Plain {
		f.Attrs = attrs(dir, path.Base(e.Name), e.Mode)
	}
	if e.Mode.IsRegular() && f.Sum == "" {
		f.Sum = d.sealedSum(dir, e)
	}
	if e.Mode.IsRegular() && f.Sum == "" {
		f.Sum = d.sums.of(dir, path.Base(e.Name))
	}
	d.part = append(d.part, f)
	if d.names += len(f.Path) + len(f.Link); len(d.part) < manifestPart && d.names < manifestNames {
		return nil
	}
	part := wire.PartOf(d.part)
	if d.sent += len(part.Data); d.sent > manifestSize {
		return fs.SkipAll
	}
	d.part, d.names = d.part[:0], 0
	return d.more(part)
}

func matches(globs []string, p string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, p); ok {
			return true
		}
	}
	return false
}

// sealedSum is the sum of a file that nobody has changed since it was made, as it
// was noted then; "" of any other.
func (d *describer) sealedSum(dir int, e entry) string {
	if !strings.HasPrefix(d.prefix, "/") || !e.changed.Before(d.of.Sealed) {
		return ""
	}
	return noted.Of(fmt.Sprintf("/proc/self/fd/%d/%s", dir, e.Name))
}
