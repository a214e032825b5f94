package mine

import (
	"context"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/refusal"
	"cookoff/shell"
)

// newRepository makes a repository of one commit of the files that the one there has, so that
// nothing in it tells what was taken back.
const newRepository = `git add -u
git ls-files -z > /tmp/.tracked
rm -rf .git
git init -q -b main .
git add -f --pathspec-from-file=/tmp/.tracked --pathspec-file-nul
rm /tmp/.tracked
git -c user.name=base -c user.email=base@localhost commit -q --no-verify --no-gpg-sign -m base`

// backwards is the setup of a task that begins with the commit itself: it takes back all
// of it but what says what the project needs, and tests that models are to see.
func (w *writer) backwards(ctx context.Context) (string, error) {
	list, err := w.takenBack(ctx)
	if err != nil {
		return "", err
	}
	patch, err := w.repo.Patch(ctx, w.c.ID, w.c.Parent, 3, paths(list))
	if err != nil {
		return "", err
	}
	lines := []string{"set -e", patches.Script(patch)}
	if w.Show && w.c.Apart != nil {
		shown, err := w.repo.Patch(ctx, w.c.ID, w.c.Now(), 3, paths(w.c.Tests))
		if err != nil {
			return "", err
		}
		lines = append(lines, patches.Script(shown))
	}
	var again []string
	for _, ch := range list {
		if ch.Now.ID == "" {
			again = append(again, ch.Path)
		}
	}
	if w.Show && w.c.Apart != nil {
		again = append(again, w.c.Apart.Fresh...)
	}
	if len(again) > 0 {
		list, err := shell.Quote(append([]string{"git", "add", "-f", "--"}, again...))
		if err != nil {
			return "", refusal.New(refusal.TooLarge, "a name that no shell takes")
		}
		lines = append(lines, list)
	}
	return strings.Join(append(lines, newRepository), "\n"), nil
}

// takenBack is what a task that begins with the commit itself takes back of it: tests that are gone stay so. Where
// tests stood in the files of their code, these are all that differ from what the commit before was made to be.
func (w *writer) takenBack(ctx context.Context) ([]history.Change, error) {
	all := slices.Concat(w.c.Fix, w.c.Beside, w.c.Tests)
	if w.c.Apart != nil {
		list, err := w.repo.Changes(ctx, history.Step{From: w.c.ID, To: w.c.Parent})
		if err != nil {
			return nil, err
		}
		for i, ch := range list {
			list[i].Was, list[i].Now = ch.Now, ch.Was
		}
		all = slices.DeleteFunc(list, func(ch history.Change) bool { return has(w.c.Needs, ch.Path) })
	}
	return slices.DeleteFunc(all, func(ch history.Change) bool {
		i := slices.IndexFunc(w.c.Tests, func(t history.Change) bool { return t.Path == ch.Path })
		return i >= 0 && (w.Show || w.c.Tests[i].Now.ID == "")
	}), nil
}

func has(list []history.Change, p string) bool {
	return slices.ContainsFunc(list, func(ch history.Change) bool { return ch.Path == p })
}

// outOfCode is the setup of a task whose tests stood in the files of its code: it gives them
// files of their own, in a repository that begins so.
func (w *writer) outOfCode(ctx context.Context) (string, error) {
	list, err := w.repo.Changes(ctx, history.Step{From: w.c.Apart.Parent, To: w.c.Parent})
	if err != nil {
		return "", err
	}
	patch, err := w.repo.Patch(ctx, w.c.Apart.Parent, w.c.Parent, 3, paths(list))
	if err != nil {
		return "", err
	}
	lines := []string{"set -e", patches.Script(patch)}
	add, err := shell.Quote(append([]string{"git", "add", "-f", "--"}, w.c.Apart.Fresh...))
	if err != nil {
		return "", refusal.New(refusal.TooLarge, "a name that no shell takes")
	}
	rest, err := w.setup(ctx)
	if err != nil {
		return "", err
	}
	lines = append(lines, add)
	if rest != "" {
		lines = append(lines, rest)
	}
	return strings.Join(append(lines, newRepository), "\n"), nil
}
