package html

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/internal/ui/text"
	"cookoff/trial/final"

	"github.com/rogpeppe/go-internal/diff"
)

// maxCompared is the largest file that is compared at all, in bytes.
const maxCompared = 2 << 20

// changes are what an attempt left: files that differ from where it began.
type changes struct {
	note  string // why the files are not shown
	count int
	files []fileChange // the first of them
}

// fileChange is what became of one file.
type fileChange struct {
	Path, What, Facts string
	Diff              string // unified, "" where there is none to show
	Left              int    // lines of the diff that are left out
}

// In says that the events which follow are of the journal, or bundle, at that
// path: what trials left is read from beside it, or from within. Without, only
// how much they changed is known. done is called behind the last event.
func (t *Transcripts) In(journal string) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.beside.of(journal)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		end()
	}
}

func newFileChange(x final.Change, r room) fileChange {
	f := fileChange{Path: visibleLine(x.Path)}
	switch {
	case x.Before == nil && x.After == nil:
		return f // of a later version
	case x.Before == nil:
		f.What, f.Facts = "created", describe(x.After)
	case x.After == nil:
		f.What, f.Facts = "deleted", describe(x.Before)
	default:
		f.What, f.Facts = "changed", differs(x.Before, x.After)
	}
	old, oldWhy := textOf(x.Before)
	now, newWhy := textOf(x.After)
	if why := oldWhy + newWhy; why != "" {
		if oldWhy != "" {
			why = oldWhy
		}
		f.Facts = visibleLine(strings.Trim(f.Facts+", "+why, ", "))
		return f
	}
	f.Diff, f.Left = unified(old, now, r)
	return f
}

// describe says what a version is.
func describe(v *final.File) string {
	switch {
	case v.Mode.IsDir():
		return "directory, " + modeText(v.Mode)
	case v.Mode&fs.ModeSymlink != 0:
		return "link"
	case !v.Mode.IsRegular():
		return "no file of bytes"
	}
	return fmt.Sprintf("%s, %s", modeText(v.Mode), sizeText(v.Size))
}

// differs says how two versions differ beside their content.
func differs(a, b *final.File) string {
	if a.Mode.Type() != b.Mode.Type() {
		return describe(a) + " → " + describe(b)
	}
	var out []string
	if a.Mode != b.Mode {
		out = append(out, modeText(a.Mode)+" → "+modeText(b.Mode))
	}
	if a.Size != b.Size && a.Mode.IsRegular() {
		out = append(out, sizeText(a.Size)+" → "+sizeText(b.Size))
	}
	return strings.Join(out, ", ")
}

// modeText gives the permission bits as chmod takes them.
func modeText(m fs.FileMode) string {
	bits := uint32(m.Perm())
	for bit, value := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000,
		fs.ModeSticky: 0o1000} {
		if m&bit != 0 {
			bits |= value
		}
	}
	return fmt.Sprintf("%04o", bits)
}

func sizeText(n int64) string { return text.Count(int(n), "byte") }

// textOf gives what a diff compares, or why it can't.
func textOf(v *final.File) (content []byte, why string) {
	switch {
	case v == nil || v.Mode.IsDir():
		return nil, ""
	case v.Mode&fs.ModeSymlink != 0:
		return []byte("→ " + v.Link + "\n"), ""
	case v.Missing != "":
		return nil, "not kept: " + v.Missing
	case len(v.Data) > maxCompared:
		return nil, "too large to be compared here"
	case bytes.IndexByte(v.Data, 0) >= 0 || !utf8.Valid(v.Data):
		return nil, "not text"
	}
	return v.Data, ""
}

// unified compares two texts; left is how many lines of the diff were too many.
func unified(old, now []byte, r room) (shown string, left int) {
	d := string(diff.Diff("a", old, "b", now))
	at := strings.Index(d, "\n@@ ")
	if at < 0 {
		return "", 0
	}
	all := strings.Split(strings.TrimSuffix(d[at+1:], "\n"), "\n")
	if left = max(len(all)-r.lines, 0); left > 0 {
		all = all[:r.lines]
	}
	for i, l := range all {
		all[i] = text.Lines(cut(l, r.line))
	}
	return strings.Join(all, "\n"), left
}

type dataChanges struct {
	Count int          `json:"count"`
	Note  string       `json:"note,omitempty"`
	Files []dataChange `json:"files,omitempty"`
	More  int          `json:"more,omitempty"` // files that are left out
}

type dataChange struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Facts string `json:"facts,omitempty"`
	Diff  any    `json:"diff,omitempty"` // string, or number of one of Texts
	Left  int    `json:"left,omitempty"` // lines of Diff that are left out
}

// changes gives as many of the changes as have room.
func (f *fitter) changes(c *changes) *dataChanges {
	if c == nil {
		return nil
	}
	d := &dataChanges{Count: c.count, Note: c.note}
	f.did = f.did || len(c.files) > f.limit.entries
	files := slices.Clip(c.files[:min(len(c.files), f.limit.entries)])
	for _, x := range files {
		d.Files = append(d.Files, dataChange{x.Path, x.What, x.Facts, f.text(x.Diff), x.Left})
	}
	if len(c.files) > 0 {
		d.More = c.count - len(files)
	}
	return d
}
