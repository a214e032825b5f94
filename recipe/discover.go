package recipe

import (
	"bufio"
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
	"syscall"

	"cookoff/internal/pattern"
	"cookoff/recipe/gitsource"
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
// last. What is wrong with any file of it is reported at once, as Problems;
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
			return nil, Problems{{Pos: Pos{File: gitsource.LockPath(ref)}, Msg: err.Error(),
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

// SectionSource names the file that a section (lower case) came from, or
// builtin:NAME; "code" where code set it, "" where nothing declares it.
func (r *Recipe) SectionSource(section string) string {
	if s, ok := r.sections[section]; ok {
		return s
	}
	if r.SectionsPresent[section] {
		return r.source
	}
	return ""
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
	hint := fmt.Sprintf("looked in %s and the built-in recipes (%s); a file is named by its path, as in ./%s",
		strings.Join(looked, ", "), strings.Join(Builtins(), ", "), name)
	if n := Nearest(name, Builtins()); n != "" {
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return "", Problems{{Msg: fmt.Sprintf("no recipe is named %q", name), Hint: hint}}
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
				if name, ok := strings.CutSuffix(e.Name(), end); ok && bareName.MatchString(name) && !slices.Contains(names, name) {
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

// loader reads a recipe and all it extends, each file once.
type loader struct {
	finder   Finder
	problems Problems
	done     map[string]*Recipe
	ctx      context.Context // of the one Discover that this is made for
	git      *gitsource.Files
	bundle   bool // the recipe lay in one
}

// load gives the recipe at ref with what it extends laid under it, nil where
// nothing could be read. chain holds the refs that led here.
func (l *loader) load(ref string, chain []string) *Recipe {
	if r, ok := l.done[ref]; ok {
		return r
	}
	content, err := l.read(ref, len(chain) > 0)
	if err != nil {
		l.problems = append(l.problems, Problem{Pos: Pos{File: ref}, Msg: err.Error()})
		return nil
	}
	r, err := ParseNamed(ref, content)
	if ps, ok := errors.AsType[Problems](err); ok {
		l.problems = append(l.problems, ps...)
	}
	r.readFrom(ref, l.finder.local(ref))
	if l.bundle { // what lies beside it is none of its business
		r.beside = map[string]string{}
	}
	var base *Recipe
	if l.bundle && len(r.Metadata.Extends) > 0 {
		l.problems = append(l.problems, Problem{Pos: r.At("metadata.extends"),
			Msg: "a recipe in a bundle extends nothing: all that it says is in it"})
		r.Metadata.Extends = nil
	}
	for i, ext := range r.Metadata.Extends {
		at := r.At(fmt.Sprintf("metadata.extends[%d]", i))
		layer := l.extend(ext, at, append(slices.Clone(chain), ref))
		switch {
		case layer == nil:
		case base == nil:
			base = layer
		default:
			base = layer.Over(base)
		}
	}
	if base != nil {
		r = r.Over(base)
	}
	l.done[ref] = r
	return r
}

// extend loads what the last file of chain extends, or says at its position
// why that can't be.
func (l *loader) extend(ext string, at Pos, chain []string) *Recipe {
	from := chain[len(chain)-1]
	builtin := strings.HasPrefix(from, builtinPrefix)
	refuse := func(hint, format string, args ...any) *Recipe {
		l.problems = append(l.problems, Problem{Pos: at, Msg: fmt.Sprintf(format, args...), Hint: hint})
		return nil
	}
	ref := ext
	switch {
	case strings.HasPrefix(ext, builtinPrefix):
		if name := strings.TrimPrefix(ext, builtinPrefix); !slices.Contains(Builtins(), name) {
			return refuse("", "no built-in recipe is named %q: there are %s", name, strings.Join(Builtins(), ", "))
		}
	case builtin:
		return refuse("", "a built-in recipe extends built-in recipes alone, not %q", ext)
	case strings.HasPrefix(ext, gitsource.Prefix):
		if hint := mayFetch(from, ext); hint != "" {
			return refuse(hint, "a recipe from %s can't extend %q", from, ext)
		}
	case filepath.IsAbs(ext) || strings.HasPrefix(ext, "~") || strings.Contains(ext, "://"):
		return refuse("", "extending %q: allowed are a path relative to the file, builtin:NAME and git+https://…", ext)
	case strings.HasPrefix(from, gitsource.Prefix):
		a, _ := gitsource.ParseAddress(from) // it was read
		if a.Path = path.Join(path.Dir(a.Path), ext); !filepath.IsLocal(a.Path) {
			return refuse("", "extending %q: the path leaves the repository", ext)
		}
		ref = a.String()
	default:
		ref = filepath.Join(filepath.Dir(from), filepath.FromSlash(ext))
	}
	shown := strings.Join(append(slices.Clone(chain), ref), " → ")
	if slices.ContainsFunc(chain, func(c string) bool { return l.same(c, ref) }) {
		return refuse("", "recipes extend each other in a circle: %s", shown)
	}
	if len(chain) > maxDepth {
		return refuse("", "recipes extend each other more than %d deep: %s", maxDepth, shown)
	}
	if strings.HasPrefix(ref, gitsource.Prefix) {
		if _, err := l.git.Read(l.ctx, ref); err != nil {
			return refuse("", "extending %q: %v (%s)", ext, err, shown)
		}
		return l.load(ref, chain)
	}
	if !strings.HasPrefix(ref, builtinPrefix) && !l.finder.exists(ref) {
		return refuse("the path is relative to "+from, "extending %q: no such file (%s)", ext, shown)
	}
	return l.load(ref, chain)
}

// mayFetch says why a recipe may not extend a git source, or nothing: one that
// came over the network has no say in what is read with the user's own keys,
// or from the user's own disk.
func mayFetch(from, ext string) string {
	a, err := gitsource.ParseAddress(from)
	b, errExt := gitsource.ParseAddress(ext)
	if !strings.HasPrefix(from, gitsource.Prefix) || err != nil || errExt != nil {
		return "" // a file of the user's; or said elsewhere
	}
	switch {
	case b.Scheme == "file" && a.Scheme != "file":
		return "a recipe that was fetched can't name repositories on this machine"
	case b.Scheme == "ssh" && a.Scheme == "https":
		return "a recipe that was fetched over https can't use your ssh keys"
	}
	return ""
}

// same tells whether two refs are one file, by whatever path.
func (l *loader) same(a, b string) bool {
	if a == b {
		return true
	}
	ia, erra := os.Stat(l.finder.place(a))
	ib, errb := os.Stat(l.finder.place(b))
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// read gives the content of ref. What a recipe extends must be a regular file,
// so that a stranger's recipe can't make us wait on a device.
func (l *loader) read(ref string, extended bool) ([]byte, error) {
	if name, ok := strings.CutPrefix(ref, builtinPrefix); ok {
		content, err := builtinFS.ReadFile("builtin/" + name + ".recipe.md")
		if err == nil {
			content, err = withParts(content)
		}
		if err != nil {
			return nil, fmt.Errorf("no built-in recipe is named %q: there are %s", name, strings.Join(Builtins(), ", "))
		}
		return content, nil
	}
	if strings.HasPrefix(ref, gitsource.Prefix) {
		return l.git.Read(l.ctx, ref)
	}
	place := l.finder.place(ref)
	info, err := os.Stat(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no such recipe file")
	case err != nil:
		return nil, fmt.Errorf("reading the recipe: %w", err)
	case info.IsDir():
		return nil, errors.New("a directory, where a recipe file was expected")
	case extended && !info.Mode().IsRegular():
		return nil, errors.New("no regular file: a recipe can't extend it")
	}
	f, err := os.Open(place)
	if err != nil {
		return nil, fmt.Errorf("reading the recipe: %w", err)
	}
	defer f.Close()
	b := bufio.NewReader(f)
	if isBundle(b) {
		if extended {
			return nil, errors.New("a bundle: a recipe can't extend it")
		}
		l.bundle = true
		return bundleRecipe(b)
	}
	return limited(b, info.Size())
}

// isNotDir tells whether a parent of the path is no directory, so that there
// is nothing at the path itself.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
