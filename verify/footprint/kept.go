package footprint

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/passages"
	"cookoff/verify/tree"
)

// What was done to a file that took nothing away: it says the same in other words, or has
// all its lines and more.
const (
	Rewritten = "written anew, and says the same"
	Grown     = "more lines"
	Edited    = "a line or two edited"
	Tidied    = "without sums that nothing asks for"
	Released  = "a higher version of the project"
	Declared  = "declares more"
)

// maxCompared bounds the bytes of files at the start whose texts are kept to be compared.
const maxCompared = 4 << 20

// toCompare chooses of a state the files whose texts are compared, as many as may be
// kept.
func toCompare(files sandbox.Manifest, limit int64) *reading {
	r := &reading{}
	for _, f := range files {
		hasRoom := f.Size <= alike.MaxSize && r.size+f.Size <= limit && len(r.files) < maxObeyed
		if f.Mode.IsRegular() && hasRoom && hasTextToCompare(f.Path) {
			r.want(f, alike.MaxSize)
		}
	}
	return r
}

// hasTextToCompare reports whether a file is called as those are whose texts are compared, and is the project's own.
func hasTextToCompare(p string) bool {
	return (alike.Comparable(p) || mayLookOn(p) || passages.Are(p)) && !alike.Foreign(p) &&
		(!inGit(p) || alike.IsIgnore(p))
}

// compared reads what of the files of a state, which are other than at the start, can be
// compared. Errors are the sandbox's.
func compared(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest) (map[string]sandbox.Item, error) {
	var files sandbox.Manifest
	for _, d := range tree.Differences(s.Files, m) {
		if d.Is == nil || d.Was == nil || d.Was.Sum == d.Is.Sum {
			continue
		}
		if _, held := s.Texts[d.Path]; held && d.Is.Size <= alike.MaxSize {
			files = append(files, *d.Is)
		}
	}
	return toCompare(files, 2*maxCompared).read(ctx, sb)
}

// harmless says what was done to the text of a file, where nothing was taken away; "": it
// is another. Tests may have more lines where the referee runs them as they were, lists of
// what git leaves out where no check asks git.
func (o *observer) harmless(d tree.Difference) string {
	was, is := o.texts.was[d.Path], o.texts.is[d.Path]
	if was.Path == "" || is.Path == "" || was.Left != "" || is.Left != "" || !is.Mode.IsRegular() {
		return ""
	}
	switch {
	case alike.Same(d.Path, was.Data, is.Data):
		return Rewritten
	case path.Base(d.Path) == "go.sum" &&
		alike.Tidied(was.Data, is.Data, o.texts.now(path.Join(path.Dir(d.Path), "go.mod"))):
		return Tidied
	case alike.Runs(d.Path) && !o.bounds.Referee, alike.IsIgnore(d.Path) && o.bounds.AsksGit:
		return ""
	case alike.Grown(d.Path, was.Data, is.Data):
		return Grown
	case alike.Edited(d.Path, was.Data, is.Data) && !strings.Contains(o.bounds.About, path.Base(d.Path)):
		return Edited
	}
	return o.bounds.declares(d.Path, was.Data, is.Data)
}

// declares says whether a file has come to name a higher version of the project, of which the task does not speak, or
// to declare more; "": neither.
func (b Bounds) declares(p string, was, is []byte) string {
	text, higher := is, false
	if !b.speaksOf("version") {
		text, higher = alike.Unreleased(p, was, is)
	}
	switch {
	case higher && (bytes.Equal(was, text) || alike.Same(p, was, text)):
		return Released
	case alike.Declared(p, was, text):
		return Declared
	}
	return ""
}

// speaksOf reports whether prompt or checks have a word.
func (b Bounds) speaksOf(word string) bool { return strings.Contains(strings.ToLower(b.About), word) }

// texts are those of files, at the start and now.
type texts struct{ was, is map[string]sandbox.Item }

// now is the text of a file that is compared, changed or not.
func (t texts) now(p string) []byte {
	if is, changed := t.is[p]; changed {
		return is.Data
	}
	return t.was[p].Data
}

// TakenBack are the tests and settings of the start, as the referee has them in place of
// those that have come to have more lines.
func (f *Footprint) TakenBack(list []Deed, s *Start) (items []sandbox.Item) {
	for _, d := range list {
		if d.What == Grown && alike.Runs(d.Path) && !f.Asked(d.Path) {
			it := s.Texts[d.Path]
			it.Path = path.Clean(d.Path)
			it.Mode = it.Mode & fs.ModePerm
			items = append(items, it)
		}
	}
	return items
}

// aside reports whether a deed takes nothing away.
func (d Deed) aside() bool {
	switch d.What {
	case Closed, Committed, Rewritten, Grown, Edited, Tidied, Released, Declared, Startable, MadeAgain, Output, Expired:
		return true
	}
	return false
}
