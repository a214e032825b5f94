package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/footprint"
	"cookoff/verify/standins"
	"cookoff/verify/tree"
)

// substitutes are what the referee does without, or has in the form of the start, beside
// settings.
type substitutes struct {
	foot    *footprint.Footprint // nil: nobody looks
	about   string               // the task's own text
	protect []string             // globs
}

func (c *Case) substitutes() substitutes { return substitutes{c.foot, c.About(), c.Protect} }

// standIns are what a contestant added beside a repair that runners, compilers and make take
// before what the start has: the referee does without. What the task names or allows, or a
// solution makes, stays. Where no solution says what a repair is, these are the tests among
// what the task protects.
func (sub substitutes) standIns(s *Start, final sandbox.Manifest) (items []sandbox.Item) {
	if sub.foot == nil {
		return nil
	}
	for _, p := range standins.Added(s.Files, final) {
		if own := tree.Matches(sub.protect, p); !own && (!sub.foot.Solved || standins.OfTests(p)) ||
			!sub.foot.Solved && !standins.IsTest(p) && !standins.OfTests(p) {
			continue
		}
		if !sub.foot.Asked(p) && !strings.Contains(sub.about, path.Base(p)) &&
			!(standins.IsTest(p) && sub.writesTests()) {
			items = append(items, sandbox.Item{Path: p, Gone: true})
		}
	}
	for p := range s.born {
		was, _ := tree.Lookup(s.Files, p)
		if is, has := tree.Lookup(final, p); has && tree.Differs(was, is) != "" && !sub.foot.Asked(p) &&
			(tree.Matches(sub.protect, p) || slices.Contains(compiled, path.Ext(p))) {
			items = append(items, sandbox.Item{Path: p, Gone: true})
		}
	}
	return items
}

// compiled end the names of files that compilers make of sources, and that a build makes anew.
var compiled = []string{".o", ".obj", ".lo", ".a", ".class", ".pyc"}

// builds are what the checks make by themselves, as the start has it: the referee has it
// made anew of what a contestant left.
func (sub substitutes) builds(s *Start, final sandbox.Manifest) (items []sandbox.Item) {
	if sub.foot == nil || !sub.foot.Solved {
		return nil
	}
	for _, p := range sub.foot.Made() {
		was, had := tree.Lookup(s.Files, p)
		is, has := tree.Lookup(final, p)
		it, held := s.made[p]
		switch {
		case had == has && tree.Differs(was, is) == "":
		case !had:
			items = append(items, sandbox.Item{Path: p, Gone: true})
		case held:
			items = append(items, it)
		}
	}
	return items
}

// writesTests reports whether tests are what a solution writes, or changes.
func (sub substitutes) writesTests() bool {
	keys, _ := sub.foot.All()
	for key, p := range keys {
		if (strings.HasPrefix(key, "added ") || strings.HasPrefix(key, "content ")) && standins.IsTest(p) {
			return true
		}
	}
	return false
}

// atStart reads what the start has of files that checks make by themselves. Errors
// are the sandbox's.
func (sub substitutes) atStart(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]sandbox.Item,
	error) {
	var paths []string
	if sub.foot != nil {
		for _, p := range sub.foot.Made() {
			if f, has := tree.Lookup(m, p); has && f.Size <= sandbox.MaxItem {
				paths = append(paths, p)
			}
		}
	}
	return tree.Read(ctx, sb, paths)
}

// learn learns what the checks wrote where a solution has run: tests are laid, not
// made, and what is protected is nobody's to make.
func (sub substitutes) learn(wrote map[string][]tree.Change) {
	if sub.foot == nil {
		return
	}
	var paths, grown []string
	for _, list := range wrote {
		for _, ch := range list {
			if ch.File && !standins.IsTest(ch.Path) && !tree.IsSetting(ch.Path) &&
				!tree.Matches(sub.protect, ch.Path) &&
				(ch.What == "added" || ch.What == "content") {
				if paths = append(paths, ch.Path); ch.More {
					grown = append(grown, ch.Path)
				}
			}
		}
	}
	sub.foot.LearnMade(paths, grown)
}
