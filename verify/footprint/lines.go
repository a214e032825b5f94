package footprint

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
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
	valuesKnown = "values compared" // of the file, beside its lines
)

// ofValue begins the keys of differences in what a file of settings says, whatever its lines are.
const ofValue = "value "

// parts begins the keys of differences in a part of a file of settings in which lines have changed.
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
	beside := o.texts.freshBeside(d.Path, text, o.from, o.bounds.About)
	all := bytes.Join(append([][]byte{text}, beside...), []byte("\n---\n")) // which begins a document of YAML, and is no line
	old := unmarked(was.Data)
	changes, touched := passages.Changes(d.Path, old, text)
	if len(beside) > 0 {
		ofAll, _ := passages.Changes(d.Path, old, all)
		changes = stillGone(changes, ofAll)
	}
	o.passages("line ", d.Path, changes, touched)
	if changes, touched, ok := passages.Values(d.Path, old, text); ok {
		if ofAll, _, ok := passages.Values(d.Path, old, all); ok && len(beside) > 0 {
			changes = stillGone(changes, ofAll)
		}
		o.passages(ofValue, d.Path, changes, touched)
		o.add(Difference{Key: valuesKnown + " " + d.Path, Path: d.Path, What: valuesKnown})
	}
}

// freshBeside are the texts of new files in the directory of a file, or that its text has come to name by where they
// lie, with names that end alike, that something reads: what was in it may lie in them now. A copy that somebody keeps
// of the file, before he changes it, takes nothing over.
func (t texts) freshBeside(p string, text []byte, from snapshot, about string) (list [][]byte) {
	for _, other := range slices.Sorted(maps.Keys(t.is)) {
		_, had := tree.Lookup(from.files, other)
		fresh := t.is[other]
		near := path.Dir(other) == path.Dir(p) || namesByPath(t.was[p].Data, text, other)
		if !had && near && path.Ext(other) == path.Ext(p) && fresh.Left == "" &&
			!ofCopies.MatchString(path.Base(other)) && (text == nil || !isCopy(t.was[p].Data, fresh.Data)) &&
			t.isRead(other, about) {
			list = append(list, fresh.Data)
		}
	}
	return list
}

// namesByPath reports whether a text has come to name a file by its directory and its name, in a line that is no
// comment.
func namesByPath(was, text []byte, file string) bool {
	named := path.Join(path.Base(path.Dir(file)), path.Base(file))
	if bytes.Contains(was, []byte(named)) {
		return false
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if bytes.Contains(line, []byte(named)) && !commented.Match(line) {
			return true
		}
	}
	return false
}

// commented is a line of one, in whatever language of settings or documents.
var commented = pattern.New(`^(#|;|//|<!--|--)`)

// isRead reports whether something reads a new file: a text that was changed names it, or one names all files of its
// directory, or all that end as it does, as the task may (about). Settings of tools that name those (.editorconfig,
// .gitattributes) read none.
func (t texts) isRead(fresh, about string) bool {
	ending, all := "*"+path.Ext(fresh), path.Base(path.Dir(fresh))+"/*"
	namesAll := func(p string, text sandbox.Item) bool {
		return !strings.HasPrefix(path.Base(p), ".") && (len(ending) > 1 && bytes.Contains(text.Data, []byte(ending)) ||
			bytes.Contains(text.Data, []byte(all)))
	}
	if namesAll("checks", sandbox.Item{Data: []byte(about)}) {
		return true
	}
	for p, text := range t.is {
		if p != fresh && (bytes.Contains(text.Data, []byte(path.Base(fresh))) || namesAll(p, text)) {
			return true
		}
	}
	for p, text := range t.was {
		if namesAll(p, text) {
			return true
		}
	}
	return false
}

// ofCopies are names of copies that nobody reads.
var ofCopies = pattern.New(`(?i)(^|[^a-z])(bak|backup|old|orig|original|copy|before|previous|prev|saved?)([^a-z]|$)`)

// isCopy reports whether a text is all of another, or nearly.
func isCopy(was, fresh []byte) bool {
	lines, has, kept := linesOf(was), linesOf(fresh), 0
	for line := range lines {
		if has[line] {
			kept++
		}
	}
	return 10*kept >= 9*len(lines)
}

// linesOf are the lines of a text that say something.
func linesOf(text []byte) map[string]bool {
	set := map[string]bool{}
	for line := range bytes.Lines(text) {
		if line := string(bytes.TrimSpace(line)); line != "" {
			set[line] = true
		}
	}
	return set
}

// stillGone are changes but for lines that are gone no more as often with more text beside.
func stillGone(changes, ofAll []passages.Change) []passages.Change {
	left := map[string]int{}
	for _, c := range ofAll {
		if c.Kind == passages.Gone {
			left[c.Line]++
		}
	}
	return slices.DeleteFunc(changes, func(c passages.Change) bool {
		if c.Kind != passages.Gone {
			return false
		}
		left[c.Line]--
		return left[c.Line] < 0
	})
}

// passages notes what was done to lines of a file, or to its values, as the beginning of the keys says.
func (o *observer) passages(kind, p string, changes []passages.Change, touched []string) {
	for _, c := range changes {
		at := p
		if c.Section != "" {
			at += "#" + c.Section
		}
		key := fmt.Sprintf("%s%s %x %d", kind, p, sha256.Sum256([]byte(c.Line)), c.Nth)
		why := ""
		if c.Row > 0 {
			why = fmt.Sprintf("line %d of the start", c.Row)
		}
		o.add(Difference{Key: key, Path: at, What: ofLine[c.Kind], Why: why})
	}
	for _, name := range touched {
		at := p + "#" + name
		o.add(Difference{Key: parts + at, Path: at, What: partTouched})
	}
}

// inOneView leaves out the differences in lines of a file whose values say that nothing is lost which a solution does
// not change, and those to its values else.
func inOneView(f *Footprint, list []Difference) []Difference {
	lost := map[string]bool{} // files of whose values something is
	known := map[string]bool{}
	for _, d := range list {
		known[fileOf(d.Path)] = known[fileOf(d.Path)] || d.What == valuesKnown
		if strings.HasPrefix(d.Key, ofValue) && !f.covers(d) && !f.Allowed.lets(d) {
			lost[fileOf(d.Path)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(d Difference) bool {
		p := fileOf(d.Path)
		return d.What == valuesKnown || strings.HasPrefix(d.Key, ofValue) ||
			strings.HasPrefix(d.Key, "line ") && d.ofLines() && known[p] && !lost[p]
	})
}

// ofLines reports whether a difference is to a line of a document.
func (d Difference) ofLines() bool {
	return slices.Contains([]string{lineGone, lineOther, lineMarked, partTouched, valuesKnown}, d.What)
}

// mayLoseLine reports whether a difference in a line is not held against anybody: the whole file is protected, or the
// line has changed in a part that a solution changes, too.
func (f *learnt) mayLoseLine(d Difference) bool {
	return d.What == partTouched || d.What == valuesKnown || d.What == lineMarked || !f.Has("content "+fileOf(d.Path)) ||
		d.What == lineOther && (d.Path == fileOf(d.Path) || f.Has(parts+d.Path))
}
