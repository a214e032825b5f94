package footprint

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/footprint/gitobjects"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// gitDirs are the directories in which git keeps a repository, or what belongs
// to one more work tree of it.
type gitDirs map[string]bool

// gitDirsIn finds them: what holds HEAD, objects and refs, or HEAD and where
// those are.
func gitDirsIn(m sandbox.Manifest) gitDirs {
	dirs := gitDirs{}
	for _, f := range m {
		if path.Base(f.Path) != "HEAD" || f.Mode.IsDir() {
			continue
		}
		dir := path.Dir(f.Path)
		objects, has := tree.Lookup(m, dir+"/objects")
		refs, too := tree.Lookup(m, dir+"/refs")
		_, common := tree.Lookup(m, dir+"/commondir")
		if has && too && objects.Mode.IsDir() && refs.Mode.IsDir() || common {
			dirs[dir] = true
		}
	}
	return dirs
}

// of gives the innermost directory of git's that a path is in, and the rest of
// the path; "" where it is in none.
func (g gitDirs) of(p string) (dir, inside string) {
	if len(g) == 0 {
		return "", ""
	}
	for dir = path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if g[dir] {
			return dir, p[len(dir)+1:]
		}
	}
	return "", ""
}

// reflogCut is what was done to a reflog that lacks lines of the start. Who lets many files of a repository change
// means that reflogs grow: that one loses lines is let by its own name, or by that of its reference.
const reflogCut = "reflog cut"

// notes are what git's ordinary commands write for themselves.
var notes = []string{
	"index", "sharedindex.*", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "AUTO_MERGE", "gc.log",
	"gc.pid", "description", "info/refs", "fsmonitor--daemon/**",
	"objects/info/packs", "objects/info/commit-graph", "objects/info/commit-graphs/**",
	"objects/pack/multi-pack-index*", "objects/pack/*.{rev,bitmap,mtimes}", "objects/maintenance.lock",
	"objects/*/tmp_obj_*", "objects/pack/tmp_*",
}

// unfinished is what git's commands leave only where they are broken off.
var unfinished = []string{"{MERGE,CHERRY_PICK,REVERT,REBASE}_HEAD", "rebase-merge/**", "rebase-apply/**",
	"rebase-merge", "rebase-apply", "sequencer", "sequencer/**", "BISECT_{START,LOG,TERMS}",
	"{index,HEAD,config,packed-refs,shallow}.lock", "refs/**/*.lock"}

var (
	// allFiles are patterns of git's that match all files, and sources those of texts that people write.
	allFiles = pattern.New(`^/?(\*|\*\*|\*\*/\*|\*\.\*)/?$`)
	sources  = pattern.New(`^(\*\*/)?\*\.(go|py|[cm]?[jt]sx?|c|h|cc|cpp|hpp|rs|rb|php|java|kt|sh|txt|md|conf|ini|` +
		`ya?ml|toml|sql)$`)
	// hiding are attributes by which changes are not shown, and leaving those by which files are left out, or are
	// written otherwise.
	hiding  = pattern.New(`^(-diff|!diff|binary|-merge|merge=ours)$`)
	leaving = pattern.New(`^(export-ignore|eol=crlf|working-tree-encoding=.*)$`)
)

// decidesForGit reports whether a file says how git treats the files of a project, and which it does not see.
func decidesForGit(p, inside string) bool {
	return p == ".gitignore" || path.Base(p) == ".gitattributes" || inside == "info/attributes"
}

// hides notes that such a file has come to keep what people write from git, or its changes from who looks.
func (g gitDirs) hides(d tree.Difference, o *observer) {
	was := strings.Split(string(o.texts.was[d.Path].Data), "\n")
	text := string(o.to.held[d.Path].Data)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		words := strings.Fields(line)
		if len(words) == 0 || slices.Contains(was, line) {
			continue
		}
		all, hidden := allFiles.MatchString(words[0]), false
		if path.Base(d.Path) == ".gitignore" {
			hidden = all && len(words) == 1 && !strings.Contains(text, "\n!")
		} else {
			for _, a := range words[1:] {
				hidden = hidden || hiding.MatchString(a) && (all || sources.MatchString(words[0])) || leaving.MatchString(a) && all
			}
		}
		if hidden {
			at := d.Path + "#" + line
			o.add(Difference{Key: "trap " + at, Path: at, What: "set", Kind: Trap, Why: "it hides files, or changes, from git"})
		}
	}
}

// keeps reports whether what is otherwise in a repository is git's own way of
// keeping the same, or is looked at with all of the repository. What it can tell
// from the one file, it notes.
func (g gitDirs) keeps(dir, inside string, d tree.Difference, o *observer) bool {
	isDir := (d.Was == nil || d.Was.Mode.IsDir()) && (d.Is == nil || d.Is.Mode.IsDir())
	switch {
	case d.Was == nil && tree.Matches(unfinished, inside):
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: "left under way"})
		return true
	case isDir && (d.Was == nil || d.Is == nil):
		return true // git makes and removes directories as it needs them
	case tree.Matches(notes, inside):
		return true
	case inside == "HEAD" && d.Is != nil && (checkedOut{o}).mayCommit(dir, inside):
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: Committed})
		return true
	case inside == "info/exclude" && d.Was != nil && d.Is != nil && o.harmless(d) != "":
		o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: Grown})
		return true
	case strings.HasPrefix(inside, "logs/refs/remotes/"):
		return true // as those references
	case strings.HasPrefix(inside, "logs/"):
		switch {
		case d.Was == nil || d.Is != nil && tree.Appended(d, o.to.held):
		case o.expired(dir, d):
			o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: Expired})
		default:
			o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: reflogCut})
		}
		return true
	case strings.HasPrefix(inside, "refs/") && !isDir, inside == "packed-refs":
		return true
	case isObject(inside):
		if d.Was != nil && d.Is != nil && d.Was.Sum != d.Is.Sum &&
			!gitobjects.Sound(o.to.held[d.Path].Data, gitobjects.NameOf(inside)) {
			o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: "content"})
		}
		return true
	}
	return false
}

func isObject(inside string) bool {
	loose, _ := doublestar.Match("objects/[0-9a-f][0-9a-f]/*", inside)
	pack, _ := doublestar.Match("objects/pack/pack-*.{idx,pack}", inside)
	return loose || pack
}

// repositories compares references and objects of each repository.
func (o *observer) repositories() {
	for _, dir := range slices.Sorted(maps.Keys(o.git)) {
		if _, there := tree.Lookup(o.to.files, dir+"/HEAD"); !there {
			continue // gone as a whole, or so that HEAD is a difference
		}
		o.references(dir)
		o.objects(dir)
	}
}

func (o *observer) references(dir string) {
	was, is := o.from.refs(dir), o.to.refs(dir)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		now, has := is[name]
		p := dir + "/" + name
		switch {
		case !has:
			o.add(Difference{Key: "content " + p, Path: p, What: "reference removed"})
		case now != was[name] && (checkedOut{o}).mayCommit(dir, name) && name == headOf(o.from.held[dir+"/HEAD"]):
			o.add(Difference{Key: "content " + p, Path: p, What: Committed})
		case now != was[name] && !strings.HasPrefix(name, "refs/remotes/"):
			o.add(Difference{Key: "content " + p, Path: p, What: "reference moved"})
			if went, branch := o.on[p]; branch && !went {
				o.add(Difference{Key: "rewound " + p, Path: p, What: Rewound})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, had := was[name]; !had {
			o.add(Difference{Key: "added " + dir + "/" + name, Path: dir + "/" + name, What: "added", Kind: Added})
		}
	}
}

// refs are the references of a repository, by name, wherever they are kept.
func (s snapshot) refs(dir string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(s.held[dir+"/packed-refs"].Data)) {
		if value, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && value != "#" && value != "" {
			out[name] = value
		}
	}
	for _, f := range s.below(dir + "/refs/") {
		if f.Mode.IsDir() || strings.HasSuffix(f.Path, ".lock") {
			continue
		}
		value := f.Link
		if it, ok := s.held[f.Path]; ok && f.Link == "" {
			value = strings.TrimSpace(string(it.Data))
		}
		out[f.Path[len(dir)+1:]] = value
	}
	return out
}

// below gives the entries under a directory, whose name ends in a slash.
func (s snapshot) below(dir string) sandbox.Manifest {
	from, _ := slices.BinarySearchFunc(s.files, dir,
		func(f sandbox.File, p string) int { return strings.Compare(f.Path, p) })
	to := from
	for to < len(s.files) && strings.HasPrefix(s.files[to].Path, dir) {
		to++
	}
	return s.files[from:to]
}

// objects finds the objects that were there and are there no more, loose or in
// a pack.
func (o *observer) objects(dir string) {
	lost := map[string]bool{}
	for _, f := range o.from.below(dir + "/objects/") {
		if _, there := tree.Lookup(o.to.files, f.Path); there || f.Mode.IsDir() || !isObject(f.Path[len(dir)+1:]) {
			continue
		}
		name := gitobjects.NameOf(f.Path[len(dir)+1:])
		switch {
		case name != "":
			lost[name] = true
		case strings.HasSuffix(f.Path, ".idx"):
			names, ok := gitobjects.Packed(o.from.held[f.Path].Data)
			if !ok {
				lost[path.Base(f.Path)] = true
			}
			for _, n := range names {
				lost[n] = true
			}
		}
	}
	if len(lost) == 0 {
		return
	}
	for _, f := range o.to.below(dir + "/objects/") {
		inside := f.Path[len(dir)+1:]
		if name := gitobjects.NameOf(inside); name != "" {
			delete(lost, name)
		} else if strings.HasSuffix(f.Path, ".idx") {
			if _, whole := tree.Lookup(o.to.files, strings.TrimSuffix(f.Path, ".idx")+".pack"); !whole {
				continue
			}
			names, _ := gitobjects.Packed(o.to.held[f.Path].Data)
			for _, n := range names {
				delete(lost, n)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		p := dir + "/objects/" + name
		if len(name) >= 40 && !strings.Contains(name, ".") {
			p = dir + "/objects/" + name[:2] + "/" + name[2:]
		}
		o.add(Difference{Key: "content " + p, Path: p, What: "object removed"})
	}
}

// hooks looks at what git starts.
type hooks struct{ *observer }

// set notes that git comes to start a file in a directory of hooks that settings name, or that a hook in one has come
// to take something away.
func (o hooks) set(d tree.Difference) {
	starts := func(f *sandbox.File) bool { return f != nil && (f.Link != "" || f.Mode&0o111 != 0) }
	if !traps.IsHook(d.Path) || !starts(d.Is) || !o.lieIn(path.Dir(d.Path)) {
		return
	}
	if !starts(d.Was) {
		o.add(Difference{Key: "trap " + d.Path, Path: d.Path, What: "set", Kind: Trap, Why: "git starts it as a hook"})
		return
	}
	for _, program := range traps.HooksTake(string(o.from.held[d.Path].Data), string(o.to.held[d.Path].Data)) {
		p := d.Path + "#runs " + program
		o.add(Difference{Key: "trap " + p, Path: p, What: "set", Kind: Trap, Why: "a hook of git's runs it later"})
	}
}

// OwnHook is what was done to a hook where git looks by itself, and which is now a copy of one that the project has, or
// a link to it: a solution that has git look there does the same.
const OwnHook = "starts a hook of the project's"

// what says what was done to a hook that git comes to start.
func (o hooks) what(d tree.Difference) string {
	if path.Base(path.Dir(d.Path)) != "hooks" || !traps.IsHook(d.Path) || d.Was != nil {
		return "set"
	}
	for _, f := range o.from.files {
		is, has := tree.Lookup(o.to.files, f.Path)
		_, inGit := o.git.of(f.Path)
		if !has || inGit != "" || path.Base(f.Path) != path.Base(d.Path) || !is.Mode.IsRegular() {
			continue
		}
		if d.Is.Link == "" && d.Is.Sum == is.Sum || d.Is.Link != "" && leadsTo(d.Is, f.Path) {
			return OwnHook
		}
	}
	return "set"
}

// leadsTo reports whether a link leads to a place.
func leadsTo(link *sandbox.File, place string) bool {
	return inManifest(path.Dir(link.Path), link.Link) == place
}

// mayHook reports whether a solution has git start hooks of the project's in a repository by a setting: then others
// may copy them to where git looks, and do without the setting.
func (f *learnt) mayHook(d Difference) bool {
	repository, _, is := strings.Cut(d.Path, "/hooks/")
	return d.What == OwnHook && is && f.Has("trap "+repository+"/config#core.hookspath") ||
		d.What == "removed" && strings.HasSuffix(d.Path, "#core.hookspath") && f.Has("trap "+d.Path)
}

// lieIn reports whether settings of the start, or of now, say that hooks lie in a directory.
func (o hooks) lieIn(in string) bool {
	files := map[string]string{"~/.gitconfig": ".", "~/.config/git/config": "."} // and where relative places begin
	for dir := range o.git {
		files[dir+"/config"] = path.Dir(dir)
	}
	for _, s := range []snapshot{o.from, o.to} {
		for f, from := range files {
			settings, _ := traps.GitSettings(string(s.held[f].Data))
			said := settings["core.hookspath"]
			said = said[strings.LastIndexByte(said, '\n')+1:] // the last one counts
			if said != "" && inManifest(from, said) == in {
				return true
			}
		}
	}
	return false
}

// inManifest is a place that a setting names, as manifests name it.
func inManifest(from, place string) string {
	if rest, is := strings.CutPrefix(place, sandbox.WorkDir+"/"); is {
		return path.Clean(rest)
	}
	if rest, is := strings.CutPrefix(place, sandbox.HomeDir+"/"); is {
		return "~/" + path.Clean(rest)
	}
	if path.IsAbs(place) || strings.HasPrefix(place, "~/") {
		return path.Clean(place)
	}
	return path.Join(from, place)
}
