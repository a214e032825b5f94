package recipe

import (
	"context"
	_ "embed" // the defaults
	"fmt"
	"path/filepath"
	"strings"

	"cookoff/recipe/builtin"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
	"cookoff/recipe/problem"
)

//go:embed defaults.recipe.md
var defaultValues []byte

// FromDefaults is the source of values that every recipe starts with.
const FromDefaults = "defaults"

const maxDepth = 16 // of recipes that extend each other

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
	r, err := Finder{}.Discover(builtin.Prefix + builtin.Default)
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

// Finder reads recipes that it finds. Its zero value looks where the process stands.
type Finder struct {
	lookup.Dirs
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
	ref, err := f.Find(pathOrName)
	if err != nil {
		return nil, err
	}
	l := &loader{dirs: f.Dirs, done: map[string]*Recipe{}}
	l.ctx, l.git = ctx, &gitsource.Files{Cache: f.Cache, Locked: f.Locked, Update: f.Update, Most: f.maxFetched}
	if !strings.HasPrefix(ref, builtin.Prefix) && !strings.HasPrefix(ref, gitsource.Prefix) {
		pinned, err := gitsource.ReadLock(gitsource.LockPath(f.Place(ref)))
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
