package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe/builtin"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
	"cookoff/recipe/problem"
)

// loader reads a recipe and all it extends, each file once.
type loader struct {
	dirs     lookup.Dirs
	problems problem.List
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
		p := problem.Problem{Pos: problem.Pos{File: ref}, Msg: err.Error()}
		if len(chain) == 0 {
			p.Hint = l.dirs.Hint(ref, err)
		}
		l.problems = append(l.problems, p)
		return nil
	}
	r, err := ParseNamed(ref, content)
	if ps, ok := errors.AsType[problem.List](err); ok {
		l.problems = append(l.problems, ps...)
	}
	r.readFrom(ref, l.dirs.Local(ref))
	if l.bundle { // what lies beside it is none of its business
		r.beside = map[string]string{}
	}
	var base *Recipe
	if l.bundle && len(r.Metadata.Extends) > 0 {
		l.problems = append(l.problems, problem.Problem{Pos: r.At("metadata.extends"),
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
func (l *loader) extend(ext string, at problem.Pos, chain []string) *Recipe {
	from := chain[len(chain)-1]
	own := strings.HasPrefix(from, builtin.Prefix)
	refuse := func(hint, format string, args ...any) *Recipe {
		l.problems = append(l.problems, problem.Problem{Pos: at, Msg: fmt.Sprintf(format, args...), Hint: hint})
		return nil
	}
	ref := ext
	switch {
	case strings.HasPrefix(ext, builtin.Prefix):
		if name := strings.TrimPrefix(ext, builtin.Prefix); !slices.Contains(builtin.Names(), name) {
			return refuse("", "no built-in recipe is named %q: there are %s", name, strings.Join(builtin.Names(), ", "))
		}
	case own:
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
	if !strings.HasPrefix(ref, builtin.Prefix) && !l.dirs.Exists(ref) {
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
	ia, erra := os.Stat(l.dirs.Place(a))
	ib, errb := os.Stat(l.dirs.Place(b))
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// read gives the content of ref.
func (l *loader) read(ref string, extended bool) ([]byte, error) {
	if name, ok := strings.CutPrefix(ref, builtin.Prefix); ok {
		return builtin.Read(name)
	}
	if strings.HasPrefix(ref, gitsource.Prefix) {
		return l.git.Read(l.ctx, ref)
	}
	c, err := l.dirs.Read(l.ctx, ref, extended)
	l.bundle = l.bundle || c.Bundle
	return c.Text, err
}
