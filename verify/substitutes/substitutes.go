// Package substitutes says what the referee has in place of what a contestant left: settings, tests
// and modules beside a repair, and what checks build are as they were at the start, or are not there.
package substitutes

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/footprint"
	"cookoff/verify/standins"
	"cookoff/verify/stores"
	"cookoff/verify/tree"
)

// Rule is what decides it for one task.
type Rule struct {
	Foot    *footprint.Footprint // what a repair may touch; nil: nobody looks
	About   string               // the task's own text
	Protect []string             // globs
}

// Kept is what is kept of a staged state, to be put back.
type Kept struct {
	Files    sandbox.Manifest
	born     map[string]bool         // files of it that were not there before a check ran
	settings map[string]sandbox.Item // files that say how programs behave, by path
	made     map[string]sandbox.Item // files that checks make by themselves, or made before, by path
}

// Keep reads what may have to be put back in a staged world with these files, of which checks
// made those in born. Errors are the sandbox's.
func (r Rule) Keep(ctx context.Context, sb sandbox.Sandbox, files sandbox.Manifest,
	born map[string]bool) (Kept, error) {
	k := Kept{Files: files, born: born}
	var err error
	if k.settings, err = tree.SettingsOf(ctx, sb, files); err != nil {
		return k, err
	}
	k.made, err = r.atStart(ctx, sb, files, born)
	return k, err
}

// Of gives what the referee has in place of what was left: all of it, and among it the files that
// checks build. diff are the changes from the start to the final state.
func (r Rule) Of(k Kept, diff []tree.Change, final sandbox.Manifest) (all, builds []sandbox.Item) {
	builds = r.builds(k, final)
	return slices.Concat(r.settings(k, diff, final), r.standIns(k, final), builds), builds
}

// settings are those that a contestant made or changed: the referee has those of the start, or
// none. What a build cache says that the contestant wrote is not read either. A setting that the
// task's own text names is what it is about.
func (r Rule) settings(k Kept, diff []tree.Change, final sandbox.Manifest) []sandbox.Item {
	items := caches(r.About, k.Files, final)
	for _, ch := range diff {
		if _, is := tree.IsBuildCache(ch.Path); is {
			continue
		}
		if !tree.IsSetting(ch.Path) || strings.Contains(r.About, path.Base(ch.Path)) {
			continue
		}
		switch it, had := k.settings[ch.Path]; {
		case had:
			items = append(items, it)
		case ch.What == "added":
			items = append(items, sandbox.Item{Path: ch.Path, Gone: true})
		}
	}
	return items
}

// caches are the files of build caches that the contestant wrote, those that
// never count as a change among them.
func caches(about string, from, to sandbox.Manifest) (items []sandbox.Item) {
	for _, d := range tree.Differences(from, to) {
		if name, is := tree.IsBuildCache(d.Path); is && d.Is != nil && !d.Is.Mode.IsDir() &&
			!strings.Contains(about, strings.Trim(name, "/~")) {
			items = append(items, sandbox.Item{Path: d.Path, Gone: true})
		}
	}
	return items
}

// standIns are what a contestant added beside a repair that runners, compilers and make take
// before what the start has: the referee does without. What the task names or allows, or a
// solution makes, stays. Where no solution says what a repair is, these are the tests among
// what the task protects.
func (r Rule) standIns(k Kept, final sandbox.Manifest) (items []sandbox.Item) {
	if r.Foot == nil {
		return nil
	}
	for _, p := range standins.Added(k.Files, final) {
		if own := tree.Matches(r.Protect, p); !own && (!r.Foot.Solved || standins.OfTests(p)) ||
			!r.Foot.Solved && !standins.IsTest(p) && !standins.OfTests(p) {
			continue
		}
		if !r.Foot.Asked(p) && !strings.Contains(r.About, path.Base(p)) &&
			!(standins.IsTest(p) && r.writesTests()) {
			items = append(items, sandbox.Item{Path: p, Gone: true})
		}
	}
	for p := range k.born {
		was, _ := tree.Lookup(k.Files, p)
		is, has := tree.Lookup(final, p)
		it, held := k.made[p]
		switch {
		case has && tree.Differs(was, is) == "" || r.Foot.Asked(p):
		case tree.Matches(r.Protect, p) || slices.Contains(compiled, path.Ext(p)):
			if has {
				items = append(items, sandbox.Item{Path: p, Gone: true})
			}
		case held && r.Foot.Solved: // a log: the solutions do with the one that there was
			items = append(items, it)
		}
	}
	return items
}

// compiled end the names of files that compilers make of sources, and that a build makes anew.
var compiled = []string{".o", ".obj", ".lo", ".a", ".class", ".pyc"}

// builds are what the checks make by themselves, as the start has it: the referee has it
// made anew of what a contestant left. What the task allows to change stays, unless it may run: one file of
// a database as the start had it, among others as they are, is a database that nobody left. One of SQLite that was
// there is what was left of it: checks write in it, and do not make it anew, with its tables and indexes. So is a
// repository: without objects that the checks would commit, too, it is one that nobody left.
func (r Rule) builds(k Kept, final sandbox.Manifest) (items []sandbox.Item) {
	if r.Foot == nil || !r.Foot.Solved {
		return nil
	}
	for _, p := range r.Foot.Made() {
		was, had := tree.Lookup(k.Files, p)
		is, has := tree.Lookup(final, p)
		it, held := k.made[p]
		switch {
		case had == has && tree.Differs(was, is) == "" || inRepository(k.Files, p):
		case r.Foot.Asked(p) && is.Mode&0o111 == 0 && !slices.Contains(compiled, path.Ext(p)):
		case had && has && it.Mode&0o111|is.Mode&0o111 == 0 && stores.Magic(it.Data):
		case !had:
			items = append(items, sandbox.Item{Path: p, Gone: true})
		case held:
			items = append(items, it)
		}
	}
	return items
}

// inRepository reports whether a path is in a repository of git that there was.
func inRepository(files sandbox.Manifest, p string) bool {
	for dir := path.Dir(p); dir != "." && dir != "/" && dir != "~"; dir = path.Dir(dir) {
		_, head := tree.Lookup(files, dir+"/HEAD")
		if _, config := tree.Lookup(files, dir+"/config"); head && config {
			return true
		}
	}
	return false
}

// writesTests reports whether tests are what a solution writes, or changes.
func (r Rule) writesTests() bool {
	keys, _ := r.Foot.All()
	for key, p := range keys {
		if (strings.HasPrefix(key, "added ") || strings.HasPrefix(key, "content ")) && standins.IsTest(p) {
			return true
		}
	}
	return false
}

// mostBorn bounds the files that checks made before which are kept.
const mostBorn = 200

// atStart reads what the start has of files that checks make by themselves, or made before
// anybody came. Errors are the sandbox's.
func (r Rule) atStart(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest, born map[string]bool) (
	map[string]sandbox.Item, error) {
	var paths []string
	for _, f := range m {
		if born[f.Path] && f.Size <= sandbox.MaxItem && len(paths) < mostBorn {
			paths = append(paths, f.Path)
		}
	}
	if r.Foot != nil {
		for _, p := range r.Foot.Made() {
			if f, has := tree.Lookup(m, p); has && f.Size <= sandbox.MaxItem && !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return tree.Read(ctx, sb, paths)
}

// Learn learns what the checks wrote where a solution has run: tests are laid, not
// made, and what is protected is nobody's to make.
func (r Rule) Learn(wrote map[string][]tree.Change) {
	if r.Foot == nil {
		return
	}
	var paths, grown []string
	for _, list := range wrote {
		for _, ch := range list {
			if ch.File && !standins.IsTest(ch.Path) && !tree.IsSetting(ch.Path) &&
				!tree.Matches(r.Protect, ch.Path) &&
				(ch.What == "added" || ch.What == "content") {
				if paths = append(paths, ch.Path); ch.More {
					grown = append(grown, ch.Path)
				}
			}
		}
	}
	r.Foot.LearnMade(paths, grown)
}
