// Package toolchain follows a program that PATH finds to where it really is:
// through links, the shims of version managers, virtual environments and the
// interpreters of scripts, and says which directories a sandbox must show for
// it to run there.
package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say where programs are looked for.
type Options struct {
	Path    string // the user's PATH
	Home    string // never shown whole
	Project string // its files pin versions; it is never shown whole
	Env     []string
	// Shown are directories of programs that the user has every sandbox show.
	Shown []string
	// Stranger says that programs in a sandbox are another user than the one of this
	// process, so that what only its owner may enter is closed to them.
	Stranger bool
}

// Tool is a program that was followed.
type Tool struct {
	Name string
	Path string // where PATH finds it; "": nowhere
	// Dirs are the directories that hold it and what it needs, beside those that
	// every sandbox shows; bin/ of the first holds the program, or it does itself.
	Dirs []string
	// First says that PATH finds it, and what lies beside it, before the programs
	// of the system.
	First bool
	// Hidden is a directory that it needs and that is not to be shown unasked, ""
	// where there is none; Why says the reason, Hint what to do.
	Hidden, Why, Hint string
}

// Finder follows programs, each once.
type Finder struct {
	o       Options
	dirs    []string // of PATH
	pins    []string // K=V, for version managers
	seen    map[string]Tool
	outside map[string]bool // see Outside
}

// New makes a Finder.
func New(o Options) *Finder {
	f := &Finder{o: o, seen: map[string]Tool{}}
	for _, dir := range filepath.SplitList(o.Path) {
		if filepath.IsAbs(dir) { // another would be the project's
			f.dirs = append(f.dirs, filepath.Clean(dir))
		}
	}
	f.pins = pins(o.Project, o.Env)
	return f
}

// system are the directories that a sandbox has on its own PATH.
var system = [...]string{"/usr/local/bin", "/usr/bin", "/bin"}

// visible are the directories that every sandbox shows.
var visible = [...]string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/alternatives"}

// taken are the directories where a sandbox has things of its own.
var taken = [...]string{"/work", "/home/agent", "/proc", "/sys", "/dev", "/etc", "/run", "/var/cache"}

// Find follows the program of a name.
func (f *Finder) Find(ctx context.Context, name string) Tool {
	if t, ok := f.seen[name]; ok {
		return t
	}
	t := Tool{Name: name}
	f.seen[name] = t // a script may name itself as its interpreter
	for i, dir := range f.dirs {
		path := filepath.Join(dir, name)
		if !executable(path) {
			continue
		}
		t.Path = path
		t.First = !slices.ContainsFunc(f.dirs[:i+1], func(d string) bool { return slices.Contains(system[:], d) })
		f.walk(ctx, &t, path)
		break
	}
	f.seen[name] = t
	return t
}

// Outside reports whether PATH has a program of that name beside the system's.
func (f *Finder) Outside(name string) bool {
	if f.outside == nil {
		f.outside = map[string]bool{}
		for _, dir := range f.dirs {
			if slices.Contains(system[:], dir) {
				continue
			}
			entries, _ := os.ReadDir(dir) // what can't be read has nothing to offer
			for _, e := range entries {
				f.outside[e.Name()] = true
			}
		}
	}
	return f.outside[name]
}

// Venv follows the Python of a virtual environment of the project: PATH may
// not find it, and scripts name it. ok is whether there is one at dir, be it one that does not run.
func (f *Finder) Venv(ctx context.Context, dir string) (t Tool, ok bool) {
	if !isVenv(filepath.Join(f.o.Project, dir)) {
		return Tool{}, false
	}
	t = Tool{Name: dir, Path: filepath.Join(f.o.Project, dir, "bin", "python")}
	if t.Why = unusable(t.Path); t.Why != "" {
		t.Hint = fmt.Sprintf("make it anew of a Python of this machine (python3 -m venv --clear %s), and install "+
			"into it what it had", dir)
		return t, true
	}
	f.walk(ctx, &t, t.Path)
	return t, true
}

// Follow follows the program at a path, which belongs to the package at dir: what it
// needs beside that.
func (f *Finder) Follow(ctx context.Context, dir, path string) Tool {
	t := Tool{Name: filepath.Base(path), Path: path, Dirs: []string{dir}}
	f.walk(ctx, &t, path)
	if len(t.Dirs) > 0 {
		t.Dirs = t.Dirs[1:]
	}
	return t
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

// walker follows one program.
type walker struct {
	f      *Finder
	t      *Tool
	placed bool // PATH of the sandbox finds the program; the rest need only be visible
	asked  bool // a version manager said where it is
	steps  int
}

// maxSteps bounds how often a program leads to another.
const maxSteps = 24

func (f *Finder) walk(ctx context.Context, t *Tool, path string) {
	w := &walker{f: f, t: t}
	w.follow(ctx, path)
	if t.Why != "" {
		t.Dirs = nil // half of it does not run
	}
	if len(t.Dirs) == 0 || !w.asked && !w.beside(filepath.Dir(path)) {
		t.First = false // a link to one program of a tool chain means no other of it
	}
}

// beside reports whether a directory of PATH is the one that is shown.
func (w *walker) beside(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && (real == w.t.Dirs[0] || real == filepath.Join(w.t.Dirs[0], "bin"))
}

// follow finds what path needs, one step after another.
func (w *walker) follow(ctx context.Context, path string) {
	if w.t.Why != "" {
		return
	}
	if w.steps++; w.steps > maxSteps {
		w.t.Why, w.t.Hint = "one program leads to another without end", "see what "+w.t.Path+" runs"
		return
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if w.shown(path) {
		w.open(path)
		w.placed = true
		w.content(ctx, path)
		return
	}
	if link, err := os.Readlink(path); err == nil && len(placesOf(path)) == 0 {
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		if name := managerOf(link); name != "" {
			w.ask(ctx, manager{program: name}, filepath.Base(path))
			return
		}
		w.follow(ctx, link)
		return
	}
	if m, ok := shimOf(path); ok {
		if m.program = w.f.lookPath(m.program); m.program != "" {
			w.ask(ctx, m, filepath.Base(path))
			return
		}
	}
	w.show(path)
	w.placed = true
	w.content(ctx, path)
}

// shown reports whether the sandbox shows path, and where its name finds it.
func (w *walker) shown(path string) bool {
	for _, d := range w.t.Dirs {
		if below(path, d) {
			return true
		}
	}
	if w.placed {
		return below(path, visible[:]...) || below(path, w.f.o.Shown...)
	}
	return slices.Contains(system[:], filepath.Dir(path)) || w.f.named(filepath.Dir(path)) != ""
}

// show adds the directories that hold the program at path.
func (w *walker) show(path string) {
	places := placesOf(path)
	if len(places) == 0 {
		w.hide(filepath.Dir(path), "no place where programs are known to lie alone")
		return
	}
	for _, place := range places {
		if err := w.f.check(place); err != nil {
			w.hide(place, err.Error())
			return
		}
		if !slices.Contains(w.t.Dirs, place) {
			w.t.Dirs = append(w.t.Dirs, place)
		}
	}
}

// hide notes why a directory is not shown, and the smallest that would do.
func (w *walker) hide(dir, why string) {
	above := filepath.Dir(dir)
	if filepath.Base(dir) == "bin" && above != w.f.o.Home && filepath.Dir(above) != w.f.o.Home {
		dir = above // in a home, ~/.local and ~/go hold more than programs
	}
	w.t.Hidden, w.t.Why = dir, why
	switch {
	case below(dir, taken[:]...):
		w.t.Hint = "a sandbox has a directory of its own there: install it elsewhere"
	case below(w.f.o.Home, dir), below(w.f.o.Project, dir):
		w.t.Hint = dir + " holds more than programs: install it in a virtual environment of its own"
	default:
		w.t.Hint = fmt.Sprintf("tool_paths = [%q] below [sandbox] in cookoff.toml shows it", dir)
	}
}

// content follows what a file needs to run: the Python that a virtual
// environment is of, what a link means, the interpreter of a script.
func (w *walker) content(ctx context.Context, path string) {
	if w.t.Why != "" {
		return
	}
	if venv := filepath.Dir(filepath.Dir(path)); isVenv(venv) && strings.HasPrefix(filepath.Base(path), "python") {
		if base := venvBase(venv); base != "" {
			w.follow(ctx, base)
			return
		}
	}
	if link, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		w.follow(ctx, link)
		return
	}
	interpreter, byName := interpreterOf(path)
	switch {
	case interpreter == "":
	case byName:
		t := w.f.Find(ctx, interpreter)
		if t.Why != "" {
			w.t.Hidden, w.t.Why, w.t.Hint = t.Hidden, t.Why, t.Hint
		}
		for _, d := range t.Dirs {
			if !slices.Contains(w.t.Dirs, d) {
				w.t.Dirs = append(w.t.Dirs, d)
			}
		}
	default:
		w.follow(ctx, interpreter)
	}
}

// ask lets a version manager say where its shim leads.
func (w *walker) ask(ctx context.Context, m manager, name string) {
	w.asked = true
	for _, d := range w.f.answered() { // most of a manager's programs lie side by side
		if path := filepath.Join(d, "bin", name); managedBy(m.program, d) && executable(path) {
			w.follow(ctx, path)
			return
		}
	}
	path, err := m.which(ctx, name, slices.Concat(w.f.o.Env, m.env, w.f.pins))
	if err != nil {
		w.t.Why, w.t.Hint = err.Error(), fmt.Sprintf("%s which %s says where it is", m.program, name)
		return
	}
	w.follow(ctx, path)
}

// answered are the directories that programs were found in already.
func (f *Finder) answered() (dirs []string) {
	for _, t := range f.seen {
		if len(t.Dirs) > 0 {
			dirs = append(dirs, t.Dirs[0])
		}
	}
	slices.Sort(dirs)
	return dirs
}

func (f *Finder) lookPath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for _, dir := range f.dirs {
		if path := filepath.Join(dir, name); executable(path) {
			return path
		}
	}
	return ""
}

// below reports whether path is one of dirs or lies in it.
func below(path string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return path != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
	})
}
