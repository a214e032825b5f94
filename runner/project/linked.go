package project

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/sandbox"
)

// bring puts a repository that the project's .git only names into the copy, as a repository of the copy's own: trials
// see neither where the user's lies nor the other worktrees that share it. What stays out of the copy
// below .git stays out of it.
func (c *Copy) bring(ctx context.Context, l *history.Linked) error {
	at := filepath.Join(c.Dir, ".git")
	if _, err := os.Lstat(at); l == nil || err != nil {
		return nil //nolint:nilerr // the recipe hides it
	}
	if err := os.Remove(at); err != nil {
		return err
	}
	left := c.leftBelow(".git/")
	if !l.Apart() {
		if err := sandbox.Snapshot(ctx, l.Git, at, left); err != nil {
			return err
		}
		return c.settle(ctx, l)
	}
	others, err := l.NotShared()
	if err != nil {
		return err
	}
	if err := sandbox.Snapshot(ctx, l.Common, at, slices.Concat(left, others)); err != nil {
		return err
	}
	own := c.Dir + ".own"
	defer os.RemoveAll(own)
	if err := sandbox.Snapshot(ctx, l.Git, own, slices.Concat(left, l.Own())); err != nil {
		return err
	}
	if err := laid(own, at); err != nil {
		return err
	}
	return c.settle(ctx, l)
}

// settle tells the repository of the copy, and those of its submodules that lie in it, where their files are now.
func (c *Copy) settle(ctx context.Context, l *history.Linked) error {
	at := filepath.Join(c.Dir, ".git")
	if err := history.Settle(ctx, at, ""); err != nil {
		return err
	}
	return filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == at && d.IsDir() {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.Name() != ".git" || !d.Type().IsRegular() {
			return nil
		}
		sub, err := filepath.Rel(c.Dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		to, err := l.Module(filepath.Join(c.source.Dir, sub))
		if err != nil || to == "" {
			return err
		}
		git := filepath.Join(at, to)
		if _, err := os.Stat(git); errors.Is(err, fs.ErrNotExist) {
			return nil // it stays out of the copy
		}
		from, err := filepath.Rel(filepath.Dir(path), git)
		if err != nil {
			return err
		}
		back, err := filepath.Rel(git, filepath.Dir(path))
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte("gitdir: "+from+"\n"), 0o644); err != nil {
			return err
		}
		return history.Settle(ctx, git, back)
	})
}

// leftBelow gives the globs of what stays out below a directory, relative to it.
func (c *Copy) leftBelow(dir string) (globs []string) {
	for _, g := range c.left {
		if below, is := strings.CutPrefix(g, dir); is {
			globs = append(globs, below)
		}
	}
	return globs
}

// laid moves the files below from over those below to, and leaves the directories that both have.
func laid(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range list {
		a, b := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if st, err := os.Lstat(b); err == nil && st.IsDir() && e.IsDir() {
			if err := laid(a, b); err != nil {
				return err
			}
			continue
		}
		if err := os.Rename(a, b); err != nil {
			return err
		}
	}
	return nil
}
