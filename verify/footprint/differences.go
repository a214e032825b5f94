package footprint

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// Difference is one thing that is otherwise than it was when the task was staged.
type Difference struct {
	Key  string // what was done to what: the same for the same difference of somebody else
	Path string // as in a manifest; FILE#SETTING for a setting
	What string // added, removed, content, mode, …
	Kind differenceKind
	Why  string // of a trap: what comes to run by it
	Like likeness
}

type differenceKind int

const (
	changed differenceKind = iota // something that was there
	Added
	Trap // something runs by itself later
	left // a process runs on
)

// snapshot is a state of the files: what they are, and what some of them say.
type snapshot struct {
	files sandbox.Manifest
	held  map[string]sandbox.Item // by path
	open  map[string]bool         // sums of files that anybody may write, see wasOpen; nil: not asked yet
}

// observer compares what is left with what was staged.
type observer struct {
	from, to snapshot
	bounds   Bounds
	tools    []traps.Tool
	dirs     []string               // PATH in front of the system's directories, as in a manifest
	system   map[string]bool        // names of the system's programs
	git      gitDirs                // of the start
	on       map[string]bool        // branches that are others: whether they went on from what they were, see commits
	hides    []string               // repositories whose new commits hide something, see commitsDone
	texts    texts                  // of files that are compared
	grows    func(path string) bool // checks write on it
	built    []string               // what builds write, see builds
	list     []Difference
}

func (o *observer) add(d Difference) { o.list = append(o.list, d) }

// change notes that something is otherwise that was there.
func (o *observer) change(what, path string) {
	o.add(Difference{Key: what + " " + path, Path: path, What: what})
}

// compare notes all that is otherwise.
func (o *observer) compare() {
	o.built = o.builds()
	for _, d := range tree.Differences(o.from.files, o.to.files) {
		o.one(d)
	}
	o.repositories()
}

// one looks at one path.
func (o *observer) one(d tree.Difference) {
	if d.Is != nil && !d.Is.Mode.IsDir() {
		o.privileges(d)
		o.shadow(d)
		hooks{o}.set(d)
	}
	dir, inside := o.git.of(d.Path)
	if d.Is != nil && decidesForGit(d.Path, inside) {
		o.git.hides(d, o)
	}
	if tool := traps.For(o.tools, d.Path); tool != nil && !(d.Is != nil && d.Is.Mode.IsDir()) {
		settingsFile{observer: o, tool: tool, d: d}.compare()
		o.lines(d)
		o.rights(d)
		return
	}
	switch {
	case inside != "" && o.git.keeps(dir, inside, d, o):
	case d.Is != nil && tree.KeepsNothing(*d.Is):
		o.change("in the place of a directory in which programs keep what they made", d.Path)
	case tree.KeptByPrograms(d.Path):
	case d.Was != nil && o.isBuilt(d.Path) && (d.Is == nil || d.Is.Mode&^d.Was.Mode&0o022 == 0):
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: MadeAgain})
	case d.Is == nil:
		o.gone(d)
		o.lines(d)
	case d.Was == nil:
		o.add(Difference{Key: "added " + d.Path, Path: d.Path, What: "added", Kind: Added})
		o.rights(d)
	default:
		if what := tree.Differs(*d.Was, *d.Is); what != "content" || !(stored{o}).rows(d) {
			o.contents(d)
			o.lines(d)
		}
		o.rights(d)
	}
}

// gone notes what is there no more. A directory that held something is
// answered for by what it held.
func (o *observer) gone(d tree.Difference) {
	if d.Was.Mode.IsDir() {
		i, _ := slices.BinarySearchFunc(o.from.files, d.Path+"/",
			func(f sandbox.File, p string) int { return strings.Compare(f.Path, p) })
		if i < len(o.from.files) && strings.HasPrefix(o.from.files[i].Path, d.Path+"/") {
			return
		}
	}
	o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: "removed"})
}

// contents notes another type, content or link target.
func (o *observer) contents(d tree.Difference) {
	switch what := tree.Differs(*d.Was, *d.Is); {
	case what != "type" && what != "content":
	case what == "content" && d.Was.Mode.IsRegular() && tree.Appended(d, o.to.held):
	case what == "content" && o.grows(d.Path) && tree.Begins(o.to.held[d.Path].Data, *d.Was):
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: Grown})
	case what == "content" && o.harmless(d) != "":
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: o.harmless(d)})
	default:
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: what})
	}
}

// Writable is what was done to a file that others than its owner may write now.
// Who is allowed to change it is not allowed that.
const Writable = "open to write"

// Barred is what was done to the directory of project or home in which its owner can do less now.
const Barred = "closed to its owner"

// open reports whether anybody may write a file, or put something into a directory.
func open(m fs.FileMode) bool {
	return m&0o002 != 0 && m&fs.ModeSticky == 0 && (m.IsRegular() || m.IsDir())
}

// wasOpen reports whether something new that is open to all gives nobody more than what was there:
// its directory was as open, or it is an open file under another name.
func (s *snapshot) wasOpen(f sandbox.File) bool {
	if dir, had := tree.Lookup(s.files, path.Dir(f.Path)); had && open(dir.Mode) {
		return true
	}
	if s.open == nil {
		s.open = map[string]bool{}
		for _, was := range s.files {
			s.open[was.Sum] = s.open[was.Sum] || was.Mode.IsRegular() && open(was.Mode)
		}
	}
	return f.Sum != "" && s.open[f.Sum]
}

// rights notes other rights, another owner and other attributes.
func (o *observer) rights(d tree.Difference) {
	if d.Was == nil && d.Is != nil && open(d.Is.Mode) && !o.from.wasOpen(*d.Is) {
		o.change(Writable, d.Path) // whoever it is made for, anybody may put something else there
	}
	if d.Was == nil || d.Is == nil {
		return
	}
	if d.Was.Mode.Type() != d.Is.Mode.Type() {
		if d.Is.Mode&0o022 != 0 && d.Is.Mode.Type() != fs.ModeSymlink {
			o.change(Writable, d.Path)
		}
		return
	}
	switch was, is := d.Was.Mode, d.Is.Mode; {
	case was == is:
	case is&^was&0o022 != 0:
		o.change(Writable, d.Path)
	case o.startable(d):
		o.change(Startable, d.Path)
	case closed(d.Path, was, is), d.Is.Mode.IsDir() && closes(was, is) && holdsSecrets(o.to.files, d.Path):
		o.change(Closed, d.Path)
	case is&^was&(0o044|fs.ModeSetuid|fs.ModeSetgid) != 0:
		o.change("open mode", d.Path)
	default:
		o.change("mode", d.Path)
	}
	if d.Was.Owner != d.Is.Owner {
		o.change("owner", d.Path)
	}
	if d.Was.Attrs != d.Is.Attrs {
		o.change("attributes", d.Path)
	}
}

// privileges looks for programs that come to run with rights of another.
func (o *observer) privileges(d tree.Difference) {
	special := d.Is.Mode & (fs.ModeSetuid | fs.ModeSetgid)
	capable := strings.Contains(d.Is.Attrs, "security.capability")
	if d.Was != nil {
		special &^= d.Was.Mode
		capable = capable && !strings.Contains(d.Was.Attrs, "security.capability")
	}
	if special != 0 || capable {
		o.add(Difference{Key: "setuid " + d.Path, Path: d.Path, What: "setuid", Kind: Trap,
			Why: "whoever starts it runs it with the rights of its owner"})
	}
}

// held is what is known of a file's content.
func (o *observer) held(of snapshot, f *sandbox.File) sandbox.Item {
	if f == nil {
		return sandbox.Item{Gone: true}
	}
	it, ok := of.held[f.Path]
	if !ok {
		it = sandbox.Item{Path: f.Path, Mode: f.Mode, Link: f.Link, Left: "not read", Data: []byte(f.Sum)}
	}
	return it
}

// plainPrograms are those of the system that no package brings into node_modules/.bin, which npm has first on PATH.
var plainPrograms = strings.Fields("sh bash env node npm npx git make python python3 rm cp mv mkdir cat echo test true")

// shadow looks for a program that is found before the system's of that name: on PATH, or by npm.
func (o *observer) shadow(d tree.Difference) {
	name := path.Base(d.Path)
	first := slices.Contains(o.dirs, path.Dir(d.Path)) ||
		strings.HasSuffix(path.Dir(d.Path), "node_modules/.bin") && slices.Contains(plainPrograms, name) &&
			!strings.Contains(d.Is.Link, "../"+name+"/")
	if !first || !o.system[name] || d.Is.Link == "" && d.Is.Mode&0o111 == 0 {
		return
	}
	if d.Was != nil && d.Was.Mode&0o111 != 0 {
		return // it was found before: what became of it is looked at as of any file
	}
	if path.IsAbs(d.Is.Link) && path.Base(d.Is.Link) == name && tree.Within(d.Is.Link) == d.Is.Link {
		return // the system's program itself
	}
	o.add(Difference{Key: "trap " + d.Path, Path: d.Path, What: "added", Kind: Trap,
		Why: fmt.Sprintf("whoever calls %s runs it instead of the system's", name)})
}

// Folded writes the paths of differences, one for all that is below a new directory.
func Folded(list []Difference, to sandbox.Manifest) []string {
	isNew := map[string]bool{}
	for _, d := range list {
		if f, ok := tree.Lookup(to, d.Path); ok && d.Kind == Added && f.Mode.IsDir() {
			isNew[d.Path] = true
		}
	}
	count := map[string]int{}
	var order []string
	for _, d := range list {
		top := d.Path
		for i, c := range d.Path {
			if c == '/' && isNew[d.Path[:i]] {
				top = d.Path[:i]
				break
			}
		}
		if count[top]++; count[top] == 1 {
			order = append(order, top)
		}
	}
	for i, p := range order {
		if isNew[p] {
			order[i] = p + "/"
			if n := count[p] - 1; n > 0 {
				order[i] = fmt.Sprintf("%s/ (%d files)", p, n)
			}
		}
	}
	return order
}
