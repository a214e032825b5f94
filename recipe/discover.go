package recipe

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/problem"
)

//go:embed builtin/*.recipe.md builtin/bench
var builtinFS embed.FS

//go:embed defaults.recipe.md
var defaultValues []byte

// FromDefaults is the source of values that every recipe starts with.
const FromDefaults = "defaults"

const (
	builtinPrefix = "builtin:"
	defaultName   = "default"
	maxDepth      = 16
	maxFileSize   = gitsource.MaxFile
)

// Builtins gives the names of the recipes that come with the program.
func Builtins() []string {
	names, _ := fs.Glob(builtinFS, "builtin/*.recipe.md")
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".recipe.md")
	}
	return names
}

// Defaults gives what every recipe is laid over: numbers, switches and a
// neutral system prompt. It has no models, tasks, tools or repairs.
func Defaults() *Recipe {
	r, err := ParseNamed(FromDefaults, defaultValues)
	if err != nil {
		panic("the defaults of recipes: " + err.Error())
	}
	r.readFrom(FromDefaults, "")
	r.files = nil
	return r
}

// Default gives the recipe that is used where none is found.
func Default() *Recipe {
	r, err := Finder{}.Discover(builtinPrefix + defaultName)
	if err != nil {
		panic("built-in recipe: " + err.Error())
	}
	return r
}

// Discover finds, parses and resolves a recipe: what it extends and the
// default values are laid under it. pathOrName is a path, a bare name,
// builtin:NAME, or "" for the first that is found, the built-in default at
// last. What is wrong with any file of it is reported at once, as a problem.List;
// the recipe is then what could be read.
func Discover(pathOrName string) (*Recipe, error) { return Finder{}.Discover(pathOrName) }

// Finder says where recipes are looked for. Its zero value looks where the
// process stands.
type Finder struct {
	Dir    string // "": the working directory
	Home   string // "": the user's
	Cache  string // where git sources are kept; "": in the user's cache directory
	Locked bool   // git sources are those of recipe.lock, or an error
	Update bool   // git sources are resolved anew, whatever recipe.lock says

	maxFetched int64 // as gitsource.Files.Most
}

// Discover is the function Discover, looking where f says.
func (f Finder) Discover(pathOrName string) (*Recipe, error) {
	return f.DiscoverContext(context.Background(), pathOrName)
}

// DiscoverContext is Discover; when ctx ends, so does what git does, and the
// error is that of ctx.
func (f Finder) DiscoverContext(ctx context.Context, pathOrName string) (*Recipe, error) {
	ref, err := f.find(pathOrName)
	if err != nil {
		return nil, err
	}
	l := &loader{finder: f, done: map[string]*Recipe{}}
	l.ctx, l.git = ctx, &gitsource.Files{Cache: f.Cache, Locked: f.Locked, Update: f.Update, Most: f.maxFetched}
	if !strings.HasPrefix(ref, builtinPrefix) && !strings.HasPrefix(ref, gitsource.Prefix) {
		pinned, err := gitsource.ReadLock(gitsource.LockPath(f.place(ref)))
		if err != nil {
			return nil, problem.List{{Pos: problem.Pos{File: gitsource.LockPath(ref)}, Msg: err.Error(),
				Hint: "cookoff update writes it anew, once the file is removed"}}
		}
		l.git.Lock = pinned.Sources()
	}
	r := l.load(ref, nil)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", ref, err)
	}
	if r == nil {
		return nil, l.problems
	}
	r = r.Over(Defaults())
	r.gitSources = l.git.Used()
	r.elsewhere = l.bundle || strings.HasPrefix(ref, gitsource.Prefix)
	if len(l.problems) > 0 {
		l.problems.Sort()
		return r, l.problems
	}
	return r, nil
}

// InPlaceOf gives r as another version of old: it came from where old did, and
// what is kept from models of old's files is kept of r's.
func (r *Recipe) InPlaceOf(old *Recipe) *Recipe {
	out := *r
	out.source, out.files, out.paths = old.source, appendNew(old.files, r.files), appendNew(old.paths, r.paths)
	if out.beside == nil {
		out.beside = map[string]string{"": old.beside[""]}
	}
	out.elsewhere = r.elsewhere || old.elsewhere
	return &out
}

// readFrom notes which file r was read from: its name, and its path where it
// is one of this machine.
func (r *Recipe) readFrom(name, path string) {
	r.source, r.files, r.sections, r.beside = name, []string{name}, map[string]string{}, map[string]string{}
	for s := range r.SectionsPresent {
		r.sections[s] = name
	}
	if path == "" {
		return
	}
	if abs, err := filepath.Abs(path); err == nil { // else there is no working directory to be seen
		r.paths, r.beside[""] = []string{abs}, abs
		for s := range r.SectionsPresent {
			r.beside[s] = abs
		}
	}
}

// local gives the path of what was found, "" where it is no file here.
func (f Finder) local(ref string) string {
	if strings.HasPrefix(ref, builtinPrefix) || strings.HasPrefix(ref, gitsource.Prefix) {
		return ""
	}
	return f.place(ref)
}

var bareName = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

// Find gives the path, builtin:NAME or git source that Discover would read for
// pathOrName, without reading it.
func (f Finder) Find(pathOrName string) (string, error) { return f.find(pathOrName) }

// find turns what the user asked for into a path or builtin:NAME.
func (f Finder) find(name string) (string, error) {
	switch {
	case name == "":
		for _, c := range f.candidates() {
			if f.exists(c) {
				return c, nil
			}
		}
		return builtinPrefix + defaultName, nil
	case strings.HasPrefix(name, builtinPrefix) || strings.HasPrefix(name, gitsource.Prefix) ||
		!bareName.MatchString(name):
		return name, nil
	}
	var looked []string
	for _, dir := range f.namedDirs() {
		for _, ext := range nameEnds() {
			c := filepath.Join(dir, name+ext)
			if f.exists(c) {
				return c, nil
			}
		}
		looked = append(looked, dir)
	}
	if slices.Contains(Builtins(), name) {
		return builtinPrefix + name, nil
	}
	return "", problem.List{f.unnamed(name, looked)}
}

// unnamed says that no recipe has a name, and what may have been meant.
func (f Finder) unnamed(name string, looked []string) problem.Problem {
	if info, err := os.Stat(f.place(name)); err == nil && info.IsDir() {
		return problem.Problem{Msg: fmt.Sprintf("no recipe is named %q, which is a directory", name),
			Hint: f.directoryHint(name)}
	}
	hint := fmt.Sprintf("looked in %s and the built-in recipes (%s); a file is named by its path, as in ./%s",
		strings.Join(looked, ", "), strings.Join(Builtins(), ", "), name)
	file := nearestFile(name, f.markdown("."))
	n := nearest.Name(name, slices.Concat(f.Named(), Builtins()))
	switch {
	case file != "" && (n == "" || stem(file) == name):
		hint = fmt.Sprintf("did you mean the file %s? %s", file, hint)
	case n != "":
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return problem.Problem{Msg: fmt.Sprintf("no recipe is named %q", name), Hint: hint}
}

// namedDirs are the directories of recipes that have a name, in order.
func (f Finder) namedDirs() []string {
	return []string{filepath.Join(".cookoff", "recipes"), f.home(".cookoff", "recipes")}
}

// nameEnds are what may stand behind the name of a recipe, in order.
func nameEnds() []string { return []string{".recipe.md", ".md"} }

// Named gives the bare names that mean a file, sorted; one that hides a
// built-in recipe among them.
func (f Finder) Named() []string {
	var names []string
	for _, dir := range f.namedDirs() {
		entries, _ := os.ReadDir(f.place(dir)) // there may be none
		for _, e := range entries {
			for _, end := range nameEnds() {
				if name, ok := strings.CutSuffix(e.Name(), end); ok && bareName.MatchString(name) &&
					!slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// candidates are the places of a recipe that is not named, in order.
func (f Finder) candidates() []string {
	return []string{
		"recipe.md",
		filepath.Join(".cookoff", "recipe.md"),
		filepath.Join(".errata", "recipe.md"),
		f.home(".cookoff", "default.recipe.md"),
		f.home(".errata", "default.recipe.md"),
	}
}

// home gives a path below the home directory, "" where there is none.
func (f Finder) home(elem ...string) string {
	home := f.Home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, elem...)...)
}

// place gives the path to open for a path as the user gave it.
func (f Finder) place(name string) string {
	if f.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

// exists tells whether there is anything at name, be it unreadable: what is
// there is used or complained about, never passed over.
func (f Finder) exists(name string) bool {
	if name == "" {
		return false
	}
	_, err := os.Lstat(f.place(name))
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !isNotDir(err)
}
