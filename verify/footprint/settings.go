package footprint

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// settingsFile is a file that a tool obeys, whose settings are compared one by one.
type settingsFile struct {
	*observer
	tool traps.Tool
	d    tree.Difference
	was  map[string]string // its settings at the start
}

// compare notes what was done to the settings of the file.
func (o settingsFile) compare() {
	d := o.d
	if d.Is == nil {
		o.gone(d)
		return
	}
	is := o.tool.Settings(o.held(o.to, d.Is))
	o.was = o.tool.Settings(o.held(o.from, d.Was))
	if d.Was == nil {
		o.add(Difference{Key: "added " + d.Path, Path: d.Path, What: "added", Kind: Added})
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if old, had := o.was[name]; !had || old != is[name] {
			o.set(name, is[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.was)) {
		if _, has := is[name]; !has {
			s := setting{d.Path, name}
			o.add(Difference{Key: "setting " + s.String(), Path: s.String(), What: "removed"})
		}
	}
}

// set notes a setting that is new or has another value.
func (o settingsFile) set(name, value string) {
	old, had := o.was[name]
	s := setting{o.d.Path, name}
	o.calls(old, value)
	switch why := o.tool.Runs(name, value); {
	case why != "" && !o.harmlessToRun(name, value):
		o.add(Difference{Key: "trap " + s.String(), Path: s.String(), What: hooks{o.observer}.what(o.d), Kind: Trap,
			Why: why})
	case o.d.Was == nil:
	case name == traps.All || name == traps.Others:
		o.contents(o.d)
	case had && o.releases(name, old, value):
		o.add(Difference{Key: "setting " + s.String(), Path: s.String(), What: Released})
	case had || o.intrudes(name):
		o.change("setting", s.String())
	default:
		o.add(Difference{Key: "setting " + s.String(), Path: s.String(), What: "added", Kind: Added})
	}
}

// harmlessToRun reports whether what a setting runs is no trap: it belongs to a virtual environment that was made anew
// or to a plug-in that the project declares, no hook of git's is there to run it, or the task asks for it.
func (o settingsFile) harmlessToRun(name, value string) bool {
	p := o.d.Path
	switch {
	case path.Base(p) == "package.json" && traps.Widens(name, o.was), traps.OfVenv(name) && o.inNewVenv(p):
		return true
	case traps.Plugin(name) && (o.inNewVenv(p) || o.texts.declares(p, name)):
		return true
	case name == traps.All && traps.OfHooks(p) && hookless(o.to, path.Dir(p)):
		return true
	case name == traps.All && o.d.Was == nil && o.d.Is.Link != "":
		return o.leadsToAsked(*o.d.Is)
	}
	return traps.Includes(name) && o.bounds.asksFor(value, o.from, o.to)
}

// leadsToAsked reports whether a new link, of which the prompt speaks by its name, leads to a file beside
// it that the same tool reads and that is as it was.
func (o settingsFile) leadsToAsked(link sandbox.File) bool {
	to := path.Join(path.Dir(link.Path), path.Base(link.Link))
	was, had := tree.Lookup(o.from.files, to)
	is, has := tree.Lookup(o.to.files, to)
	beside := link.Link == path.Base(to) || inManifest("", link.Link) == to
	return had && has && was.Sum == is.Sum && is.Mode.IsRegular() && beside && o.tool.Reads(to) &&
		strings.Contains(o.bounds.Prompt, path.Base(link.Path))
}

// releases reports whether a setting is the version of the project, which has become a higher one though the task does
// not speak of it.
func (o settingsFile) releases(name, old, value string) bool {
	return name == "version" && path.Base(o.d.Path) == "package.json" && !o.bounds.mentions("version") &&
		alike.Higher(strings.Trim(old, `"`), strings.Trim(value, `"`))
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

// called is what was done to a file that a shell reads, and that has come to call one more program.
const called = "calls"

// calls notes what a file that a shell reads by itself has come to do beyond setting the shell up: who may add a
// variable to it may not have it remove something, or put something else in the place of what the task speaks of.
func (o settingsFile) calls(was, is string) {
	if !traps.Shell(o.tool) {
		return
	}
	p := o.d.Path
	does := func(name, why string) {
		o.add(Difference{Key: "trap " + p + "#" + name, Path: p + "#" + name, What: called, Kind: Trap, Why: why})
	}
	for _, name := range traps.Calls(was, is) {
		does(name, "each shell that reads it runs "+name)
	}
	if !traps.Profile(p) {
		return
	}
	for _, name := range traps.Settles(was, is) {
		does(name, traps.Settled(name))
	}
	for _, name := range traps.Shadows(was, is) {
		if program := strings.TrimSuffix(name, "()"); o.bounds.names(program) {
			does(name, "in each shell that reads it something else stands in the place of "+program)
		}
	}
}

// inNewVenv reports whether a file lies in a virtual environment that was made, or made
// anew, since the start.
func (o settingsFile) inNewVenv(p string) bool {
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

// intrudes reports whether a new setting changes what older ones say: it is of
// a remote or branch that was there, sends git elsewhere, or overrules what the
// user's own settings say.
func (o settingsFile) intrudes(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !strings.Contains(o.d.Path, ".git/") {
		return false
	}
	if section := name[:i]; section == "author" || section == "committer" { // they go before user
		return true
	} else if strings.Contains(section, ".") {
		if strings.HasPrefix(section, "url.") {
			return true
		}
		for key := range o.was {
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

// maxCalled bounds the new scripts that are read since a file names them whose commands run later.
const maxCalled = 50

// callees notes what new scripts take away that a new or changed file names whose commands run later. Errors are the
// sandbox's.
func (o *observer) callees(ctx context.Context, sb sandbox.Sandbox) error {
	said, r := "", &reading{}
	differences := tree.Differences(o.from.files, o.to.files)
	for _, d := range differences {
		if d.Is != nil && traps.RunLater(d.Path) {
			said += string(o.to.held[d.Path].Data) + "\n"
		}
	}
	for _, d := range differences {
		ext := path.Ext(d.Path)
		isNamed := strings.Contains(said, d.Path) || ext != "" && strings.Contains(said, path.Base(d.Path))
		if d.Was == nil && d.Is != nil && isNamed && slices.Contains([]string{"", ".sh", ".bash"}, ext) &&
			len(r.files) < maxCalled && !traps.RunLater(d.Path) {
			r.want(*d.Is, alike.MaxSize)
		}
	}
	held, err := r.read(ctx, sb)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(held)) {
		text := string(held[p].Data)
		if path.Ext(p) == "" && questions.Language(questions.Named(p, text)) != ".sh" {
			continue
		}
		for _, program := range traps.HooksTake("", text) {
			at := p + "#runs " + program
			o.add(Difference{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
				Why: "a forge, a timer, a hook or an engine of containers runs it later"})
		}
	}
	return nil
}
