package footprint

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"cookoff/verify/passages"
	"cookoff/verify/tree"
)

// What was done to a line of a document or of a file of settings. It counts only where a solution changes the file:
// elsewhere the whole file is protected.
const (
	lineGone    = "line removed"
	lineOther   = "line changed"
	lineMarked  = "line marked otherwise"
	partTouched = "part touched"
)

// parts begins the keys of deeds to a part of a file of settings in which lines have changed.
const parts = "part "

// ofLine says what was done to a line of each kind.
var ofLine = map[passages.Kind]string{passages.Gone: lineGone, passages.Other: lineOther, passages.Marks: lineMarked}

// lines notes which lines of a document or of a file of settings are no longer there as they were.
func (o *observer) lines(d tree.Difference) {
	was := o.texts.was[d.Path]
	if d.Was == nil || !d.Was.Mode.IsRegular() || was.Path == "" || was.Left != "" || !passages.Are(d.Path) {
		return
	}
	var text []byte
	if d.Is != nil {
		is, read := o.texts.is[d.Path]
		if !read || is.Left != "" || !d.Is.Mode.IsRegular() || o.harmless(d) == Rewritten {
			return
		}
		text = is.Data
	}
	changes, touched := passages.Changes(d.Path, was.Data, text)
	for _, c := range changes {
		at := d.Path
		if c.Section != "" {
			at += "#" + c.Section
		}
		key := fmt.Sprintf("line %s %x %d", d.Path, sha256.Sum256([]byte(c.Line)), c.Nth)
		o.add(Deed{Key: key, Path: at, What: ofLine[c.Kind]})
	}
	for _, name := range touched {
		at := d.Path + "#" + name
		o.add(Deed{Key: parts + at, Path: at, What: partTouched})
	}
}

// ofLines reports whether a deed is to a line of a document.
func (d Deed) ofLines() bool {
	return slices.Contains([]string{lineGone, lineOther, lineMarked, partTouched}, d.What)
}

// mayLoseLine reports whether a deed to a line is not held against anybody: the whole file is protected, or the line
// has changed in a part that a solution changes, too.
func (f *learnt) mayLoseLine(d Deed) bool {
	return d.What == partTouched || d.What == lineMarked || !f.Has("content "+fileOf(d.Path)) ||
		d.What == lineOther && (d.Path == fileOf(d.Path) || f.Has(parts+d.Path))
}
