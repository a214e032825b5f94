// Package apply takes what a trial changed over into the user's project: each
// file three ways, as the trial found it, as it left it, and as the user has
// it now.
package apply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"cookoff/trial/final"
)

// Plan is what applying a trial's changes would do to a project.
type Plan struct {
	Actions   []Action   // in the order in which they are carried out
	Conflicts []Conflict // while there is one, nothing can be applied
	Left      []Left     // what is never applied
	Same      int        // changes that the project has already
	dir       string
}

// Action is one file that would be written, made or removed. Now is what the
// project has, Then what it will have; nil: no such file.
type Action struct {
	Path   string
	Now    *File
	Then   *File
	Merged bool // the user's own changes of the file are kept
}

// Conflict is a change that does not fit what the project has now.
type Conflict struct {
	Path   string
	Why    string
	Other  bool  // the project has it otherwise than the trial found it
	Before *File // as the trial found it, as far as that is kept
	After  *File // as the trial left it
}

// Left is a change that is shown and never applied, and why.
type Left struct {
	Path, Why string
	Change    final.Change
}

// File is a file, directory or link: type and permission bits, content or
// target.
type File struct {
	Mode fs.FileMode
	Data []byte
	Link string
}

// New finds out what applying st to the project at dir would do. Links of the
// project are never followed, and nothing is written. Its error is that of
// reading the project.
func New(dir string, st *final.State) (*Plan, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &Plan{dir: dir}
	for _, c := range st.Changes {
		if why := never(c); why != "" {
			if !ofDirectories(c) { // what lies in them is said
				p.Left = append(p.Left, Left{c.Path, why, c})
			}
			continue
		}
		if err := p.add(root, c); err != nil {
			return nil, err
		}
	}
	p.order()
	return p, nil
}

func ofDirectories(c final.Change) bool {
	return (c.Before == nil || c.Before.Mode.IsDir()) && (c.After == nil || c.After.Mode.IsDir())
}

// never says why a change is not for the project, whatever it has.
func never(c final.Change) string {
	if strings.HasPrefix(c.Path, "~/") {
		return "is in the home of the sandbox"
	}
	local := filepath.IsLocal(filepath.FromSlash(c.Path)) && !strings.ContainsRune(c.Path, 0)
	if !local || filepath.Separator != '/' && strings.ContainsRune(c.Path, filepath.Separator) {
		return "is no path below the project"
	}
	for name := range strings.SplitSeq(c.Path, "/") {
		switch strings.ToLower(name) {
		case ".git": // its configuration and hooks run programs
			return "is the repository's own: it could run programs"
		case ".cookoff":
			return "is cookoff's own"
		}
	}
	return ""
}

// add decides about one change.
func (p *Plan) add(root *os.Root, c final.Change) error {
	now, blocked, err := read(root, c.Path)
	if err != nil {
		return err
	}
	if p.makesDir(blocked) {
		blocked = ""
	}
	before, after := fileOf(c.Before), fileOf(c.After)
	conflict := func(format string, args ...any) {
		p.Conflicts = append(p.Conflicts, Conflict{Path: c.Path, Why: fmt.Sprintf(format, args...), Before: before,
			After: after})
	}
	if why := cannot(c); why != "" {
		conflict("%s", why)
		return nil
	}
	switch {
	case blocked != "" && after == nil:
		p.Same++
	case blocked != "":
		conflict("%q is no directory in the project", blocked)
	case same(now, after):
		p.Same++
	case c.Before != nil && c.Before.Missing != "":
		conflict("it can't be told whether it is still as the trial found it: its content was not kept (%s)",
			c.Before.Missing)
	case same(now, before):
		p.Actions = append(p.Actions, Action{Path: c.Path, Now: now, Then: after})
	case now != nil && now.Mode.IsDir() && after == nil:
		p.Actions = append(p.Actions, Action{Path: c.Path, Now: now}) // removed only if nothing is left in it
	default:
		then, why := merge(before, now, after)
		if why != "" {
			conflict("%s", why)
			p.Conflicts[len(p.Conflicts)-1].Other = true
			return nil
		}
		if same(now, then) {
			p.Same++
			return nil
		}
		p.Actions = append(p.Actions, Action{Path: c.Path, Now: now, Then: then, Merged: true})
	}
	return nil
}

// makesDir reports whether the plan, as far as it is made, puts a directory at
// name. Changes come sorted: what lies below comes later.
func (p *Plan) makesDir(name string) bool {
	return slices.ContainsFunc(p.Actions, func(a Action) bool {
		return a.Path == name && a.Then != nil &&
			a.Then.Mode.IsDir()
	})
}

// cannot says why what a trial left can't be made anywhere.
func cannot(c final.Change) string {
	v := c.After
	switch {
	case v == nil || v.Mode.IsDir():
		return ""
	case v.Missing != "":
		return fmt.Sprintf("its content was not kept (%s)", v.Missing)
	case v.Mode&fs.ModeSymlink != 0:
		to := path.Join(path.Dir(c.Path), v.Link)
		if path.IsAbs(v.Link) || !filepath.IsLocal(filepath.FromSlash(to)) {
			return fmt.Sprintf("it is a link out of the project, to %q", v.Link)
		}
		return ""
	case !v.Mode.IsRegular():
		return "it is no regular file, directory or link"
	}
	return ""
}

// merge joins the user's changes of a file with the trial's, or says why that
// can't be done.
func merge(before, now, after *File) (*File, string) {
	switch {
	case before == nil && now != nil:
		return nil, "the project has another file of that name"
	case now == nil && after == nil:
		return nil, ""
	case now == nil:
		return nil, "the project does not have it: it was removed since, or the task's setup made it"
	case after == nil:
		return nil, "the trial removed it, and the project has changed it since"
	case !before.Mode.IsRegular() || !now.Mode.IsRegular() || !after.Mode.IsRegular():
		return nil, "the project has changed it since"
	}
	then := &File{Mode: after.Mode}
	switch {
	case now.Mode != before.Mode && after.Mode == before.Mode:
		then.Mode = now.Mode
	case now.Mode != before.Mode && after.Mode != now.Mode:
		return nil, fmt.Sprintf("the project has made it %v, the trial %v", now.Mode, after.Mode)
	}
	var ok bool
	if then.Data, ok = mergeText(before.Data, now.Data, after.Data); !ok {
		return nil, "the project and the trial have changed the same lines"
	}
	return then, ""
}

// mergeText joins two changes of a text. Changes of the same or of adjoining
// lines are refused unless they are one and the same.
func mergeText(before, now, after []byte) ([]byte, bool) {
	switch {
	case bytes.Equal(before, now):
		return after, true
	case bytes.Equal(before, after), bytes.Equal(now, after):
		return now, true
	case !isText(before) || !isText(now) || !isText(after):
		return nil, false
	}
	x, y := udiff.Lines(string(before), string(now)), udiff.Lines(string(before), string(after))
	for _, a := range x {
		for _, b := range y {
			if a != b && a.Start <= b.End && b.Start <= a.End {
				return nil, false
			}
		}
	}
	edits, ok := udiff.Merge(x, y)
	if !ok {
		return nil, false
	}
	out, err := udiff.Apply(string(before), edits)
	return []byte(out), err == nil
}

func isText(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsRune(b, 0) }

// fileOf is a stored version as a file of a project; set-user-ID and the like
// are not taken over.
func fileOf(v *final.File) *File {
	if v == nil {
		return nil
	}
	return &File{v.Mode & (fs.ModeType | fs.ModePerm), v.Data, v.Link}
}

// same reports whether two files are alike. Permissions count for regular
// files alone.
func same(a, b *File) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case a.Mode.IsRegular() && b.Mode.IsRegular():
		return a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
	}
	return a.Mode.Type() == b.Mode.Type() && a.Link == b.Link
}

// read gives what the project has at a path, nil when nothing. blocked names
// what stands on the way and is no directory.
func read(root *os.Root, name string) (f *File, blocked string, err error) {
	for i, r := range name {
		if r != '/' {
			continue
		}
		st, err := root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		if !st.IsDir() {
			return nil, name[:i], nil
		}
	}
	st, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	f = &File{Mode: st.Mode() & (fs.ModeType | fs.ModePerm)}
	switch {
	case f.Mode.IsRegular() && st.Size() <= final.MaxContent:
		f.Data, err = root.ReadFile(name)
	case f.Mode.IsRegular(): // nothing that is stored can be like it
		f.Mode |= fs.ModeIrregular
	case f.Mode&fs.ModeSymlink != 0:
		f.Link, err = root.Readlink(name)
	}
	return f, "", err
}

// order puts what is removed first, deepest first, then what is made, parents
// first.
func (p *Plan) order() {
	slices.SortStableFunc(p.Actions, func(a, b Action) int {
		switch x, y := a.Then == nil, b.Then == nil; {
		case x && y:
			return strings.Compare(b.Path, a.Path)
		case x:
			return -1
		case y:
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
}
