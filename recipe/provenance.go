package recipe

import (
	"slices"

	"cookoff/recipe/gitsource"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// provenance is where a recipe came from, and where each of its values was written.
type provenance struct {
	origins    map[string]*source.Places // section key -> where its values were written; also "name" and "version"
	rootsAt    map[string]string         // by names of tasks: see Rooted
	source     string                    // see Source
	files      []string                  // see Files
	paths      []string                  // see LocalFiles
	sections   map[string]string         // section -> the file it came from
	beside     map[string]string         // see SectionPath; "": what a section without one has
	dropped    problem.List              // see Dropped
	gitSources []gitsource.Source        // see Sources
	elsewhere  bool                      // see FromElsewhere
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
	return p.origins[source.FirstKey(key)].Find(key)
}

// At says where the value at key was written, for messages: keys are
// "section.key" ("constraints.max_steps"), with an index for lists
// ("models[1]", "tasks[0].verify[0].command"). Where only the section is
// known, that; for a recipe built in code the zero Pos.
func (r *Recipe) At(key string) problem.Pos {
	for k := key; k != ""; k = source.ParentKey(k) {
		if pos, ok := r.written(k); ok {
			return pos
		}
	}
	return problem.Pos{}
}

// Place is At; where no file says it, the file that was read.
func (r *Recipe) Place(key string) problem.Pos {
	if pos := r.At(key); pos != (problem.Pos{}) {
		return pos
	}
	return problem.Pos{File: r.source}
}

// SectionPath gives the absolute path of the file that a section (lower case) was read
// from; "": it is of no file of this machine, but of a git source, a bundle, a built-in
// recipe or code.
func (r *Recipe) SectionPath(section string) string {
	if path, ok := r.beside[section]; ok {
		return path
	}
	if _, ok := r.sections[section]; !ok && r.SectionsPresent[section] {
		return r.beside[""]
	}
	return ""
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
