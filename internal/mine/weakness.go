package mine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cookoff/internal/history"
	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/sides"
	"cookoff/internal/mutants"
	"cookoff/verify/alike"
)

// mostParts is how many parts of a fix are left out in turn.
const mostParts = 8

// part is a piece of a fix that can be left out.
type part struct {
	name    string // file and line
	path    string
	without string // the file without it; "" and gone: there is no such file
	gone    bool
}

// weakness looks for what the tests of a candidate do not ask for.
type weakness struct{ *attempt }

// weigh finds the parts of a task's fix, and the faults in it, that no test misses.
func (a *attempt) weigh(ctx context.Context, t *Task) (err error) {
	w := weakness{a}
	if t.Half, err = w.halves(ctx); err != nil {
		return err
	}
	t.Weak, err = w.mutants(ctx)
	t.Recipe.Tags = tags(a.c, t)
	return err
}

// parts gives the pieces of a candidate's fix, at most mostParts, and how many there
// are.
func (a weakness) parts(ctx context.Context) (list []part, all int, err error) {
	changed, err := a.changed()
	if err != nil {
		return nil, 0, err
	}
	for _, ch := range changed {
		was, err := sides.Text(a.world.contents, ch.Was) // "" of a file that is not there
		if err != nil {
			return nil, 0, err
		}
		now, err := sides.Text(a.world.contents, ch.Now)
		if err != nil {
			return nil, 0, err
		}
		if unbuilt(ch.Path, was) && unbuilt(ch.Path, now) {
			continue
		}
		if ch.Was.ID == "" || ch.Now.ID == "" {
			if !sameCode(ch.Path, was, now) {
				list = append(list, part{name: ch.Path, path: ch.Path, without: was, gone: ch.Was.ID == ""})
			}
			continue
		}
		if ch.Now.Mode == history.ModeLink || ch.Was.Mode == history.ModeLink {
			continue
		}
		hunks, err := a.hunks(ctx, ch)
		if err != nil {
			return nil, 0, err
		}
		before, after := lines.Remarks(ch.Path, was), lines.Remarks(ch.Path, now)
		for i, h := range hunks {
			without := patches.Apply(was, hunks, i)
			if h.Needed(before, after) && !sameCode(ch.Path, without, now) {
				list = append(list, part{name: fmt.Sprintf("%s:%d", ch.Path, max(1, h.To)), path: ch.Path,
					without: without})
			}
		}
	}
	return list[:min(len(list), mostParts)], len(list), nil
}

// unbuilt reports whether a text of a file is built nowhere here; "": there is no such file.
func unbuilt(file, text string) bool { return text == "" || mutants.Elsewhere(file, text) }

// changed gives the changes of a fix; a file that it renames is one of them.
func (a weakness) changed() (list []history.Change, err error) {
	pairs, err := sides.Read(a.world.contents, a.c.Fix)
	if err != nil {
		return nil, err
	}
	_, from := sides.Joined(pairs)
	was := map[string]history.File{}
	for _, ch := range a.c.Fix {
		was[ch.Path] = ch.Was
	}
	olds := slices.Collect(maps.Values(from))
	for _, ch := range a.c.Fix {
		if old := from[ch.Path]; old != "" {
			ch.Was = was[old]
		}
		if !slices.Contains(olds, ch.Path) {
			list = append(list, ch)
		}
	}
	return list, nil
}

// hunks are the pieces of one change.
func (a weakness) hunks(ctx context.Context, ch history.Change) ([]patches.Hunk, error) {
	patch, err := a.repo.Patch(ctx, a.c.Parent, a.c.Now(), 0, []string{ch.Path})
	if ch.Was.ID != "" && ch.Was.Path != ch.Path { // renamed
		patch, err = a.repo.Between(ctx, ch.Was, ch.Now)
	}
	return patches.Hunks(patch), err
}

// sameCode reports whether two texts of a file differ in comments and in how code looks alone.
func sameCode(file, one, other string) bool {
	a, known := mutants.Uncommented(file, one)
	b, _ := mutants.Uncommented(file, other)
	return known && a == b || alike.Same(file, []byte(one), []byte(other)) || alike.Same(file, []byte(other), []byte(one))
}

// halves leaves out each part of a fix in turn, and names those that no test misses.
func (a weakness) halves(ctx context.Context) (out []string, err error) {
	list, _, err := a.parts(ctx)
	if err != nil || len(list) < 2 {
		return nil, err
	}
	out, err = a.survivors(ctx, "tests without a part of the fix", list)
	return withoutStrays(list, out), err
}

// withoutStrays leaves out of the parts that no test misses those of data that no test reads: strays in a commit, as
// what a tool left behind, are no part of what it mends.
func withoutStrays(list []part, survivors []string) []string {
	read := map[string]bool{}
	for _, p := range list {
		read[p.path] = read[p.path] || !kind.IsData(p.path) || !slices.Contains(survivors, p.name)
	}
	return slices.DeleteFunc(survivors, func(name string) bool {
		return slices.ContainsFunc(list, func(p part) bool { return p.name == name && !read[p.path] })
	})
}

// survivors names the changes to the mended state that no test misses.
func (a weakness) survivors(ctx context.Context, what string, list []part) (out []string, err error) {
	for i, p := range list {
		a.says(fmt.Sprintf("%s, %d of %d", what, i+1, len(list)))
		want, bare := maps.Clone(a.states.mended), map[string]string{}
		if p.gone {
			delete(want, p.path)
		} else {
			want[p.path] = history.File{Path: p.path, Mode: a.states.mended[p.path].Mode}
			bare[p.path] = p.without
		}
		if err := a.world.set(ctx, want, bare); err != nil {
			return nil, err
		}
		passes, err := a.allPass(ctx)
		if err != nil {
			return nil, err
		}
		if passes && !slices.Contains(out, p.name) { // two places of a line
			out = append(out, p.name)
		}
	}
	return out, nil
}

// allPass reports whether all tests pass in the world as it is: first those that the fix mends, where all take long.
func (a weakness) allPass(ctx context.Context) (bool, error) {
	if command, ok := a.onlyNamed(); ok {
		if passes, err := a.world.passes(ctx, command, a.most()); !passes || err != nil {
			return false, err
		}
	}
	return a.world.passes(ctx, commands.Hasty(a.command, a.runner), a.most())
}

// mostMutants is how many faults are planted in a fix, one after another.
const mostMutants = 4

// Mutant is a text with a small fault.
type Mutant struct {
	Line int    // that it changes, from 1
	Name string // file, line and what was done
	Text string
}

// mutants plants faults in the lines that a fix adds, and names those that no test
// misses.
func (a weakness) mutants(ctx context.Context) ([]string, error) {
	if a.Mutants == nil {
		return nil, nil
	}
	changed, err := a.changed()
	if err != nil {
		return nil, err
	}
	var all []part
	for _, ch := range changed {
		if ch.Now.ID == "" || ch.Now.Mode == history.ModeLink {
			continue
		}
		text, err := sides.Text(a.world.contents, ch.Now)
		if err != nil {
			return nil, err
		}
		hunks, err := a.hunks(ctx, ch)
		if err != nil {
			return nil, err
		}
		fresh := patches.Added(hunks)
		for _, x := range a.Mutants(ch.Path, text) {
			if fresh[x.Line] {
				all = append(all, part{name: x.Name, path: ch.Path, without: x.Text})
			}
		}
	}
	return a.survivors(ctx, "tests with a fault in the fix", spread(all, mostMutants))
}

// spread picks n of a list, as far apart as they lie.
func spread(list []part, n int) []part {
	if len(list) <= n {
		return list
	}
	out := make([]part, 0, n)
	for i := range n {
		out = append(out, list[i*len(list)/n])
	}
	return out
}
