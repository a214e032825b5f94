// Package patch takes what a contestant changed in the project as a patch, and puts
// that into another world: what else it left does not come along.
package patch

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Bounds of a patch: files that it makes, changes and removes, and bytes of content.
const (
	MaxFiles = 10_000
	MaxBytes = 64 << 20
)

// maxNames bounds the names in bytes of what git is asked about.
const maxNames = 12 << 20

// Patch is a change of a project's files.
type Patch struct {
	New, Changed, Removed []string // files and links; sorted
	// What differs and does not come along: Outside is not of the project; Unasked is of
	// git, ignored, or kept by programs.
	Outside, Unasked []string
	Final            sandbox.Manifest // of what was left
	items            []sandbox.Item
}

// RefusedError says why what was left can't be taken as a patch: that is the
// contestant's doing.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return "no patch of what was left: " + e.Why }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Sides are what a patch is made between.
type Sides struct {
	Start sandbox.Manifest // of the world in which the contestant began
	Left  sandbox.Sandbox  // what it left, in which nothing runs
	Base  sandbox.Sandbox  // a clean start, whose rules say what git ignores
}

// Take makes a patch. A *RefusedError is the contestant's doing, and p then has Final
// alone; any other error is the sandbox's.
func Take(ctx context.Context, s Sides) (p *Patch, err error) {
	p = &Patch{}
	if p.Final, err = s.Left.FS().Manifest(ctx, nil); err != nil {
		return nil, err
	}
	asked, err := p.sort(s.Start)
	if err != nil {
		return p, err
	}
	ignored, err := ignoredBy(ctx, s.Base, s.Start, asked)
	if err != nil {
		return p, err
	}
	asked = slices.DeleteFunc(asked, func(d tree.Difference) bool {
		if ignored[d.Path] {
			p.Unasked = append(p.Unasked, d.Path)
		}
		return ignored[d.Path]
	})
	slices.Sort(p.Unasked)
	if err := p.take(asked); err != nil {
		return p, err
	}
	p.empty(s.Start)
	return p, p.fill(ctx, s.Left)
}

// sort gives what may be part of the patch.
func (p *Patch) sort(start sandbox.Manifest) (asked []tree.Difference, err error) {
	names := 0
	for _, d := range tree.Differences(start, p.Final) {
		switch {
		case d.Path == sandbox.MoreFiles:
			return nil, refuse("it has more files than can be listed")
		case same(d) || bothDirs(d):
		case strings.HasPrefix(d.Path, "~/") || path.IsAbs(d.Path):
			p.Outside = append(p.Outside, d.Path)
		case ofGit(d.Path) || tree.KeptByPrograms(d.Path) || special(d.Is) && d.Was == nil:
			p.Unasked = append(p.Unasked, d.Path)
		case !dir(d.Was) && d.Was != nil || !dir(d.Is) && d.Is != nil:
			if names += len(d.Path) + 3; names > maxNames {
				return nil, refuse("the names of the files that it changes have more than %d MiB", maxNames>>20)
			}
			asked = append(asked, d)
		}
	}
	return asked, nil
}

func dir(f *sandbox.File) bool { return f != nil && f.Mode.IsDir() }

func bothDirs(d tree.Difference) bool { return dir(d.Was) && dir(d.Is) }

// same reports whether a patch has nothing to say: owners, attributes and times are
// no part of one.
func same(d tree.Difference) bool {
	if d.Was == nil || d.Is == nil {
		return false
	}
	a, b := *d.Was, *d.Is
	a.Mode, b.Mode = a.Mode&(fs.ModeType|fs.ModePerm), b.Mode&(fs.ModeType|fs.ModePerm)
	return tree.Differs(a, b) == ""
}

// special reports whether a file is none that a patch can hold: a pipe, a socket, a
// device.
func special(f *sandbox.File) bool {
	return f != nil && f.Mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0
}

// ofGit reports whether a path is git's own.
func ofGit(p string) bool { return slices.Contains(strings.Split(p, "/"), ".git") }

// take makes the items of the patch, without their contents.
func (p *Patch) take(asked []tree.Difference) error {
	if len(asked) > MaxFiles {
		return refuse("it changes %d files, and %d are allowed (%q, …)", len(asked), MaxFiles, asked[0].Path)
	}
	size := int64(0)
	for _, d := range asked {
		if why := trick(d.Path); why != "" {
			return refuse("%q: %s", d.Path, why)
		}
		if special(d.Is) {
			return refuse("%q was a file and is a pipe, a socket or a device", d.Path)
		}
		switch {
		case d.Is == nil || dir(d.Is):
			p.Removed = append(p.Removed, d.Path)
			p.items = append(p.items, sandbox.Item{Path: d.Path, Gone: true})
			continue
		case d.Was == nil || dir(d.Was):
			p.New = append(p.New, d.Path)
		default:
			p.Changed = append(p.Changed, d.Path)
		}
		if size += d.Is.Size; d.Is.Size > sandbox.MaxItem {
			return refuse("%q has %d MiB, and a file may have %d", d.Path, d.Is.Size>>20, sandbox.MaxItem>>20)
		}
		if size > MaxBytes {
			return refuse("the files that it changes have more than %d MiB (%q, …)", MaxBytes>>20, asked[0].Path)
		}
		p.items = append(p.items, sandbox.Item{Path: d.Path, Mode: d.Is.Mode & (fs.ModeType | fs.ModePerm),
			Link: d.Is.Link})
	}
	return nil
}

// trick says why a name is none that a patch may hold; "": it may.
func trick(p string) string {
	if !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) {
		return "the name has characters that are not for names"
	}
	for name := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
			return "the name stands for .git elsewhere"
		}
	}
	return ""
}

// empty removes directories of the start that hold nothing any more.
func (p *Patch) empty(start sandbox.Manifest) {
	removed := map[string]bool{}
	for _, it := range p.items {
		removed[it.Path] = it.Gone
	}
	holds := map[string]bool{}
	for _, f := range start {
		if f.Mode.IsDir() || removed[f.Path] {
			continue
		}
		for d := path.Dir(f.Path); d != "." && !holds[d]; d = path.Dir(d) {
			holds[d] = true
		}
	}
	for _, f := range start {
		if _, there := tree.Lookup(p.Final, f.Path); !f.Mode.IsDir() || there || holds[f.Path] ||
			!below(removed, f.Path) {
			continue
		}
		p.items = append(p.items, sandbox.Item{Path: f.Path, Gone: true})
	}
}

// below reports whether anything in a directory was removed.
func below(removed map[string]bool, dir string) bool {
	for p, gone := range removed {
		if gone && strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

// fill reads the contents of what is new or changed.
func (p *Patch) fill(ctx context.Context, left sandbox.Sandbox) error {
	at := map[string]int{}
	var paths []string
	for i, it := range p.items {
		if it.Mode.IsRegular() && !it.Gone {
			at[it.Path], paths = i, append(paths, it.Path)
		}
	}
	if paths == nil {
		return nil
	}
	return left.FS().Pack(ctx, paths, func(got sandbox.Item) error {
		if got.Gone || got.Left != "" || !got.Mode.IsRegular() {
			return refuse("%q can't be read", got.Path)
		}
		p.items[at[got.Path]].Data = got.Data
		return nil
	})
}

// Apply makes the change in a world. Links on the way are not followed.
func (p *Patch) Apply(ctx context.Context, to sandbox.Sandbox) error {
	if len(p.items) == 0 {
		return nil
	}
	return to.FS().Unpack(ctx, p.items)
}

// String says in a sentence what it takes and what it leaves.
func (p *Patch) String() string {
	var parts []string
	add := func(what string, list []string) {
		switch n := len(list); {
		case n == 1:
			parts = append(parts, fmt.Sprintf("1 %s (%s)", what, list[0]))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s (%s, …)", n, what, list[0]))
		}
	}
	add("changed", p.Changed)
	add("new", p.New)
	add("removed", p.Removed)
	taken := strings.Join(parts, ", ")
	if taken == "" {
		taken = "nothing"
	}
	parts = nil
	add("outside of the project", p.Outside)
	add("that git or programs leave aside", p.Unasked)
	if parts == nil {
		return "taken: " + taken
	}
	return "taken: " + taken + "; left: " + strings.Join(parts, ", ")
}
