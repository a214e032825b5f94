package footprint

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// Deed is one thing that is otherwise than it was when the task was staged.
type Deed struct {
	Key  string // what was done to what: the same for the same deed of somebody else
	Path string // as in a manifest; FILE#SETTING for a setting
	What string // added, removed, content, mode, …
	Kind deedKind
	Why  string // of a trap: what comes to run by it
}

type deedKind int

const (
	changed deedKind = iota // something that was there
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
	texts    texts                  // of files that are compared
	grows    func(path string) bool // checks write on it
	built    []string               // what builds write, see builds
	list     []Deed
}

func (o *observer) add(d Deed) { o.list = append(o.list, d) }

// change notes that something is otherwise that was there.
func (o *observer) change(what, path string) {
	o.add(Deed{Key: what + " " + path, Path: path, What: what})
}

// deeds finds all that is otherwise.
func (o *observer) deeds() []Deed {
	o.built = o.builds()
	for _, d := range tree.Differences(o.from.files, o.to.files) {
		o.one(d)
	}
	o.repositories()
	return o.list
}

// one looks at one path.
func (o *observer) one(d tree.Difference) {
	if d.Is != nil && !d.Is.Mode.IsDir() {
		o.privileges(d)
		o.shadow(d)
	}
	dir, inside := o.git.of(d.Path)
	if tool := traps.For(o.tools, d.Path); tool != nil && !(d.Is != nil && d.Is.Mode.IsDir()) {
		o.obeyed(tool, d)
		o.lines(d)
		o.rights(d)
		return
	}
	switch {
	case inside != "" && o.git.keeps(dir, inside, d, o):
	case tree.KeptByPrograms(d.Path):
	case d.Was != nil && o.isBuilt(d.Path) && (d.Is == nil || d.Is.Mode&^d.Was.Mode&0o022 == 0):
		o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: MadeAgain})
	case d.Is == nil:
		o.gone(d)
		o.lines(d)
	case d.Was == nil:
		o.add(Deed{Key: "added " + d.Path, Path: d.Path, What: "added", Kind: Added})
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
	o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: "removed"})
}

// contents notes another type, content or link target.
func (o *observer) contents(d tree.Difference) {
	switch what := tree.Differs(*d.Was, *d.Is); {
	case what != "type" && what != "content":
	case what == "content" && d.Was.Mode.IsRegular() && tree.Appended(d, o.to.held):
	case what == "content" && o.grows(d.Path) && tree.Begins(o.to.held[d.Path].Data, *d.Was):
		o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: Grown})
	case what == "content" && o.harmless(d) != "":
		o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: o.harmless(d)})
	default:
		o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: what})
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
	case closed(d.Path, was, is):
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
		o.add(Deed{"setuid " + d.Path, d.Path, "setuid", Trap,
			"whoever starts it runs it with the rights of its owner"})
	}
}

// obeyed looks at a file that a tool obeys, setting by setting.
func (o *observer) obeyed(tool traps.Tool, d tree.Difference) {
	if d.Is == nil {
		o.gone(d)
		return
	}
	was, is := tool.Settings(o.held(o.from, d.Was)), tool.Settings(o.held(o.to, d.Is))
	if d.Was == nil {
		o.add(Deed{Key: "added " + d.Path, Path: d.Path, What: "added", Kind: Added})
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		old, had := was[name]
		if had && old == is[name] {
			continue
		}
		s := setting{d.Path, name}
		o.calls(tool, d.Path, old, is[name])
		switch why := tool.Runs(name, is[name]); {
		case why != "" && !(traps.OfVenv(name) && o.inNewVenv(d.Path)) &&
			!(traps.Plugin(name) && (o.inNewVenv(d.Path) || o.texts.declares(d.Path, name))) &&
			!(name == traps.All && traps.OfHooks(d.Path) && hookless(o.to, path.Dir(d.Path))) && !(traps.Includes(name) && o.bounds.asksFor(is[name], o.from, o.to)):
			o.add(Deed{"trap " + s.String(), s.String(), "set", Trap, why})
		case d.Was == nil:
		case name == traps.All || name == traps.Others:
			o.contents(d)
		case had && name == "version" && path.Base(d.Path) == "package.json" && !o.bounds.speaksOf("version") &&
			alike.Higher(strings.Trim(old, `"`), strings.Trim(is[name], `"`)):
			o.add(Deed{Key: "setting " + s.String(), Path: s.String(), What: Released})
		case had || o.intrudes(d.Path, was, name):
			o.change("setting", s.String())
		default:
			o.add(Deed{Key: "setting " + s.String(), Path: s.String(), What: "added", Kind: Added})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, has := is[name]; !has {
			s := setting{d.Path, name}
			o.add(Deed{Key: "setting " + s.String(), Path: s.String(), What: "removed"})
		}
	}
}

// asksFor reports whether the value of a setting is a file of the user's that the task speaks of by
// its whole name, and that is as it was.
func (b *Bounds) asksFor(value string, from, to snapshot) bool {
	if inside, is := strings.CutPrefix(value, sandbox.HomeDir+"/"); is {
		value = "~/" + inside
	}
	was, had := tree.Lookup(from.files, value)
	is, has := tree.Lookup(to.files, value)
	return had && has && was.Sum == is.Sum && is.Mode.IsRegular() && strings.HasPrefix(value, "~/") &&
		strings.Contains(b.Prompt, "`"+value+"`")
}

// called is what was done to a file of a shell's that calls a program more.
const called = "calls"

// calls looks what a file has come to do that a shell reads by itself, beyond setting the shell up: who may add
// a variable to it may not have it remove something, or stand in for what the task speaks of.
func (o *observer) calls(tool traps.Tool, p, was, is string) {
	if !traps.Shell(tool) {
		return
	}
	does := func(name, why string) { o.add(Deed{"trap " + p + "#" + name, p + "#" + name, called, Trap, why}) }
	for _, name := range traps.Calls(was, is) {
		does(name, "each shell that reads it runs "+name)
	}
	if !traps.Profile(p) {
		return
	}
	for _, name := range traps.Settles(was, is) {
		does(name, traps.Settled(name))
	}
	for _, name := range traps.StandsIn(was, is) {
		if program := strings.TrimSuffix(name, "()"); o.bounds.speaksOf(strings.ToLower(program)) {
			does(name, "in each shell that reads it something else stands in the place of "+program)
		}
	}
}

// inNewVenv reports whether a file lies in a virtual environment that was made, or made
// anew, since the start.
func (o *observer) inNewVenv(p string) bool {
	for dir := path.Dir(p); dir != "." && dir != "~" && dir != "/"; dir = path.Dir(dir) {
		if is, has := tree.Lookup(o.to.files, dir+"/pyvenv.cfg"); has {
			was, had := tree.Lookup(o.from.files, dir+"/pyvenv.cfg")
			return !had || was.Sum != is.Sum
		}
	}
	return false
}

// declares reports whether the settings of the project at the start, beside what was installed at p or above, name a
// group of plug-ins.
func (t texts) declares(p, group string) bool {
	for _, name := range []string{"pyproject.toml", "setup.py", "setup.cfg"} {
		for dir := path.Dir(path.Dir(p)); ; dir = path.Dir(dir) {
			if strings.Contains(string(t.was[path.Join(dir, name)].Data), group) {
				return true
			}
			if dir == "." || dir == "~" || dir == "/" {
				break
			}
		}
	}
	return false
}

// hookless reports whether git starts no hook in the repository of a directory.
func hookless(now snapshot, dir string) bool {
	hooks := path.Join(dir, ".git/hooks") + "/"
	for _, f := range now.files {
		if strings.HasPrefix(f.Path, hooks) && !f.Mode.IsDir() && !strings.HasSuffix(f.Path, ".sample") &&
			(f.Mode&0o111 != 0 || f.Link != "") {
			return false
		}
	}
	settings := []string{path.Join(dir, ".git/config"), "~/.gitconfig", "~/.config/git/config"}
	return !slices.ContainsFunc(settings, func(p string) bool {
		return strings.Contains(strings.ToLower(string(now.held[p].Data)), "hookspath")
	})
}

// setting is one in a file.
type setting struct{ file, name string }

func (s setting) String() string {
	if s.name == traps.All {
		return s.file
	}
	return s.file + "#" + s.name
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

// intrudes reports whether a new setting changes what older ones say: it is of
// a remote or branch that was there, sends git elsewhere, or overrules what the
// user's own settings say.
func (o *observer) intrudes(file string, was map[string]string, name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !strings.Contains(file, ".git/") {
		return false
	}
	if section := name[:i]; section == "author" || section == "committer" { // they go before user
		return true
	} else if strings.Contains(section, ".") {
		if strings.HasPrefix(section, "url.") {
			return true
		}
		for key := range was {
			if strings.HasPrefix(key, section+".") {
				return true
			}
		}
	}
	for _, f := range []string{"~/.gitconfig", "~/.config/git/config"} {
		user, _ := traps.GitSettings(string(o.from.held[f].Data))
		if _, has := user[name]; has {
			return true
		}
	}
	return false
}

// shadow looks for a program that is found before the system's of that name.
func (o *observer) shadow(d tree.Difference) {
	name := path.Base(d.Path)
	if !slices.Contains(o.dirs, path.Dir(d.Path)) || !o.system[name] || d.Is.Mode&0o111 == 0 {
		return
	}
	if d.Was != nil && d.Was.Mode&0o111 != 0 {
		return // it was found before: what became of it is looked at as of any file
	}
	if path.IsAbs(d.Is.Link) && path.Base(d.Is.Link) == name && tree.Within(d.Is.Link) == d.Is.Link {
		return // the system's program itself
	}
	o.add(Deed{"trap " + d.Path, d.Path, "added", Trap, fmt.Sprintf("whoever calls %s runs it instead of the system's",
		name)})
}

// Folded writes the paths of deeds, one for all that is below a new directory.
func Folded(list []Deed, to sandbox.Manifest) []string {
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
