package footprint

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
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
	Followed  = "names what was moved by where it is"
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
	return (alike.Comparable(p) || mayLookOn(p) || passages.Are(p) || path.Ext(p) == ".sql") && !alike.Foreign(p) &&
		(!inGit(p) || alike.IsIgnore(p))
}

// compared reads what of the files of a state, which are other than at the start, can be
// compared. Errors are the sandbox's.
func compared(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest) (map[string]sandbox.Item, error) {
	var files sandbox.Manifest
	fresh := 0 // documents that are new
	for _, d := range tree.Differences(s.Files, m) {
		switch {
		case d.Is == nil || d.Is.Size > alike.MaxSize:
		case d.Was == nil:
			if d.Is.Mode.IsRegular() && passages.Are(d.Path) && fresh < mostMoved {
				files = append(files, *d.Is)
				fresh++
			}
		case d.Was.Sum != d.Is.Sum:
			if _, held := s.Texts[d.Path]; held {
				files = append(files, *d.Is)
			}
		}
	}
	return toCompare(files, 2*maxCompared).read(ctx, sb)
}

// harmless says what was done to the text of a file, where nothing was taken away; "": it
// is another. Tests may have more lines where the referee runs them as they were, lists of
// what git leaves out where no check asks git, or what tools leave.
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
	case alike.IgnoresTools(d.Path, was.Data, is.Data, o.bounds.About):
		return Grown
	case alike.IsBuild(d.Path) && alike.Builds(d.Path, was.Data, is.Data, fresh(o.from, o.to)):
		return Declared
	case alike.Runs(d.Path) && !o.bounds.Referee, alike.IsIgnore(d.Path) && o.bounds.AsksGit:
		return ""
	case mayLookOn(d.Path) && namesMoved(string(was.Data), string(is.Data), o.from, o.to):
		return Followed
	case alike.Grown(d.Path, was.Data, is.Data):
		return Grown
	case alike.Edited(d.Path, was.Data, is.Data) && !strings.Contains(o.bounds.About, path.Base(d.Path)):
		return Edited
	case (stored{o}).describes(d.Path, was.Data, is.Data):
		return Followed
	}
	return o.bounds.declares(d.Path, was.Data, is.Data)
}

// fresh are the paths of the project's own new files.
func fresh(from, to snapshot) (list []string) {
	for _, d := range tree.Differences(from.files, to.files) {
		if d.Was == nil && d.Is.Mode.IsRegular() && !alike.Foreign(d.Path) {
			list = append(list, d.Path)
		}
	}
	return list
}

// declares says whether a file has come to name a higher version of the project, of which the task does not speak, or
// to declare more; "": neither.
func (b Bounds) declares(p string, was, is []byte) string {
	text, higher := is, false
	if !b.mentions("version") {
		text, higher = alike.Unreleased(p, was, is)
	}
	switch {
	case higher && (bytes.Equal(was, text) || alike.Same(p, was, text)):
		return Released
	case alike.Declared(p, was, text), alike.Depends(p, was, is):
		return Declared
	}
	return ""
}

// mentions reports whether prompt or checks have a word.
func (b Bounds) mentions(word string) bool { return strings.Contains(strings.ToLower(b.About), word) }

// names reports whether the task speaks of a program by a whole word.
func (b Bounds) names(program string) bool {
	const edge = `[^\pL\pN_]`
	return regexp.MustCompile(`(?i)(^|` + edge + `)` + regexp.QuoteMeta(program) + `($|` + edge + `)`).MatchString(b.About)
}

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
func (f *Footprint) TakenBack(list []Difference, s *Start) (items []sandbox.Item) {
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

// aside reports whether a difference takes nothing away.
func (d Difference) aside() bool {
	switch d.What {
	case Closed, Committed, Rewritten, Grown, Edited, Tidied, Released, Declared, Followed, Startable, MadeAgain,
		Output, Expired:
		return true
	}
	return false
}

// resettled is a program that lies elsewhere: how it was named, and how it is.
type resettled struct{ was, is string }

// mostMoved bounds the programs that are gone, and those that are new, among which such are looked for.
const mostMoved = 20

// moves are how programs that are gone may have been named, and new ones in the same language may be.
func moves(from, to snapshot) (list []resettled) {
	var gone, fresh []string
	for _, d := range tree.Differences(from.files, to.files) {
		switch {
		case !mayLookOn(d.Path) || path.Ext(d.Path) == "":
		case d.Is == nil && d.Was.Mode.IsRegular():
			gone = append(gone, d.Path)
		case d.Was == nil && d.Is.Mode.IsRegular():
			fresh = append(fresh, d.Path)
		}
	}
	if len(gone) > mostMoved || len(fresh) > mostMoved {
		return nil
	}
	for _, was := range gone {
		for _, is := range fresh {
			if path.Ext(was) == path.Ext(is) {
				list = append(list, namesOfMove(was, is)...)
			}
		}
	}
	return list
}

// namesOfMove are the parts in which two paths differ, each with one part at least, as languages write them.
func namesOfMove(was, is string) (list []resettled) {
	a := strings.Split(strings.TrimSuffix(was, path.Ext(was)), "/")
	b := strings.Split(strings.TrimSuffix(is, path.Ext(is)), "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for _, sep := range []string{"/", ".", "::"} {
		list = append(list, resettled{strings.Join(a, sep), strings.Join(b, sep)})
	}
	return list
}

// imports are lines that name a module, or a file that is read as a program.
var imports = pattern.New(`^\s*(import|from|use|require|require_relative|mod|pub\s+mod|include|source|load|` +
	`export)\b|` +
	`^\s*\.\s|\b(require|import|load|do|source)\s*\(?\s*["'(]|\s-f\s|` +
	`\b(source|sh|bash|awk|sed|node|perl|ruby|python3?)\s+\S*[/.]`)

// namesMoved reports whether a text is another in nothing but that its lines name programs that were moved by
// where they are now.
func namesMoved(was, is string, from, to snapshot) bool {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	if len(a) != len(b) {
		return false
	}
	var moved []resettled
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if moved == nil {
			moved = moves(from, to)
		}
		if !slices.ContainsFunc(moved, func(m resettled) bool { return m.renames(a[i], b[i]) }) {
			return false
		}
	}
	return moved != nil
}

// renames reports whether a line is another one in which a module, or what it has, is named by its new name.
func (m resettled) renames(was, is string) bool {
	if m.was == m.is {
		return false
	}
	word := regexp.QuoteMeta(m.was)
	for _, named := range []string{`(^|[^\w$'"])` + word + `(\.\w|::)`, `(^|[^\w$])` + word + `(\W|$)`} {
		if strings.HasSuffix(named, "$)") && !imports.MatchString(was) {
			continue
		}
		if regexp.MustCompile(named).ReplaceAllStringFunc(was, func(found string) string {
			return strings.Replace(found, m.was, m.is, 1)
		}) == is {
			return true
		}
	}
	return false
}
