package mine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/partly"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
)

// One name that only the fix has keeps all tests of a package of Go's from being built, and all of a module of Python's
// from being imported. What the tests name and the fix declares is told, as somebody who reports it would: its
// signature, and what stands beside it of what it does. Tests that pass with the fix, and that the parent with its own
// tests does not have, fail without it.

// declares finds out what the fix declares and its tests name.
func (a *attempt) declares() error {
	fix, err := sides.Read(a.world.contents, a.c.Fix)
	if err != nil {
		return err
	}
	tests, err := sides.Read(a.world.contents, a.c.Tests)
	if err != nil {
		return err
	}
	a.declared = declared.Fresh(fix, tests)
	return nil
}

// needed leaves out of declarations what a compiler did without: where it built the tests, they name something else
// that is called so, or what is called as before.
func needed(list []declared.Declaration, broken *outcome.Outcome) []declared.Declaration {
	if broken.Unbuilt() {
		return list
	}
	return slices.DeleteFunc(list, func(d declared.Declaration) bool { return kind.Compiled(kind.Language(d.Path)) })
}

// undeclared takes a candidate that is refused for names that its tests need, where the fix declares all of them. It
// gives the run without the fix, of which tests failed that can't be built there.
func (a *attempt) undeclared(ctx context.Context, mended, broken *outcome.Outcome, why error) (*outcome.Outcome,
	error) {
	no, is := errors.AsType[*refusal.Error](why)
	if !is || no.Reason != refusal.NewNames || !declared.Explains(a.declared, broken.Lacks()) {
		return nil, why
	}
	if err := a.world.set(ctx, a.states.parent, nil); err != nil {
		return nil, err
	}
	a.says("tests of the commit before")
	before, err := a.world.test(ctx, a.command, a.most())
	if err != nil {
		return nil, err
	}
	for _, name := range mended.Passed {
		if !slices.Contains(before.Passed, name) && !slices.Contains(broken.Passed, name) {
			a.absent = append(a.absent, name)
		}
	}
	if err := (partial{a}).run(ctx, mended, broken); err != nil {
		return nil, err
	}
	if a.unbuilt = slices.Concat(a.absent, a.apart); len(a.unbuilt) == 0 {
		return nil, why
	}
	broken.Fail(a.unbuilt)
	a.broken, a.kept = nil, 0
	for _, name := range mended.Passed {
		switch {
		case slices.Contains(broken.Failed, name):
			a.broken = append(a.broken, name)
		case slices.Contains(before.Passed, name):
			a.kept++
		}
	}
	return broken, a.world.set(ctx, a.states.broken, nil)
}

// partial finds out, of tests that others of their package keep from being built, which fail by themselves.
type partial struct{ *attempt }

// run runs the tests of a candidate without those that name what is not there. Of the others, those that fail are
// apart, with what they print, and those that pass ask for nothing that the fix brings.
func (a partial) run(ctx context.Context, mended, broken *outcome.Outcome) error {
	leave, ending := partly.Go, "_test.go"
	switch broken.Runner {
	case "go test":
	case "pytest", "unittest":
		leave, ending = partly.Python, ".py"
	default:
		return nil
	}
	files, err := a.testFiles(ending)
	if err != nil {
		return err
	}
	missing := broken.Lacks()
	for _, d := range a.declared {
		missing = append(missing, d.Name)
	}
	fewer := leave(files, missing)
	if len(fewer) == 0 {
		return nil
	}
	if err := a.world.set(ctx, a.states.broken, fewer); err != nil {
		return err
	}
	a.says("tests that can be built without the fix")
	out, err := a.world.test(ctx, a.command, a.most())
	if err != nil || out.Unbuilt() || out.Late() || out.Killed() != "" {
		return err
	}
	for _, name := range mended.Passed {
		if slices.Contains(out.Failed, name) && !slices.Contains(broken.Failed, name) &&
			!partly.Undefined(out.Excerpt([]string{name}, nil)) {
			a.apart = append(a.apart, name)
		}
	}
	a.partly = out
	a.absent = slices.DeleteFunc(a.absent, func(name string) bool {
		return slices.Contains(a.apart, name) || slices.Contains(out.Passed, name)
	})
	return nil
}

// testFiles gives the tests of a candidate, by path, whose names end so.
func (a partial) testFiles(ending string) (map[string]string, error) {
	tests, err := sides.Read(a.world.contents, a.c.Tests)
	files := map[string]string{}
	for _, p := range tests {
		if strings.HasSuffix(p.Path, ending) && p.Now != "" {
			files[p.Path] = p.Now
		}
	}
	return files, err
}

// excerpt is what failing tests print: of those that can be built only where others of their package are left out,
// that is said.
func (a *seen) excerpt(names []string, code *lines.Code) string {
	apart, others := []string{}, []string{}
	for _, n := range names {
		if slices.Contains(a.apart, n) {
			apart = append(apart, n)
		} else {
			others = append(others, n)
		}
	}
	if len(apart) == 0 {
		return a.failing.Excerpt(names, code)
	}
	return a.failing.Excerpt(others, code) + "\n\nWithout the tests that can't be built:\n\n" +
		a.partly.Excerpt(apart, code)
}

// saidBy is what one failing test prints, wherever it could be built.
func (a *seen) saidBy(name string, code *lines.Code) string {
	if slices.Contains(a.apart, name) {
		return a.partly.Excerpt([]string{name}, code)
	}
	return a.failing.Excerpt([]string{name}, code)
}
