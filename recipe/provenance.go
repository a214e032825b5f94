package recipe

import (
	"slices"

	"cookoff/recipe/gitsource"
	"cookoff/recipe/problem"
)

// provenance is where a recipe came from, and where each of its values was written.
type provenance struct {
	origins    map[string]*places // section key -> where its values were written; also "name" and "version"
	rootsAt    map[string]string  // by names of tasks: see Rooted
	source     string             // see Source
	files      []string           // see Files
	paths      []string           // see LocalFiles
	sections   map[string]string  // section -> the file it came from
	beside     map[string]string  // see SectionPath; "": what a section without one has
	dropped    problem.List       // see Dropped
	gitSources []gitsource.Source // see Sources
	elsewhere  bool               // see FromElsewhere
}

// Source names the file that the recipe was read from, as the user gave it,
// or builtin:NAME; "" for a recipe built in code.
func (p *provenance) Source() string { return p.source }

// Sources gives the files of the recipe that were read from git.
func (p *provenance) Sources() []gitsource.Source { return slices.Clone(p.gitSources) }

// Files names every file the recipe was made of, as messages do, the lowest
// layer first.
func (p *provenance) Files() []string { return slices.Clone(p.files) }

// LocalFiles gives the absolute paths of those files that lie on this machine.
// Models must not see them: they hold the checks.
func (p *provenance) LocalFiles() []string { return slices.Clone(p.paths) }

// FromElsewhere tells whether the recipe was fetched, or lay in a bundle: then
// it is nobody's that the user need know.
func (p *provenance) FromElsewhere() bool { return p.elsewhere }

// Dropped says, as warnings, which values of the recipes that it extends a
// recipe drops with a section of its own.
func (p *provenance) Dropped() problem.List { return slices.Clone(p.dropped) }

// written gives where the value at key itself was written.
func (p *provenance) written(key string) (problem.Pos, bool) {
	return p.origins[firstKey(key)].find(key)
}
