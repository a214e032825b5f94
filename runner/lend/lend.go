// Package lend puts files into a world for a while: what a contestant is given, and
// what is none of its changes.
package lend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"cookoff/sandbox"
)

// Loan are files that a world has for a while.
type Loan struct {
	sb   sandbox.Sandbox
	was  map[string]sandbox.Item // what lay in the places of files before
	made []string                // directories that there were none of, a directory before what is in it
	git  ignoring                // what the project's repository was told
}

// PlaceError says that files can't be put where they are wanted.
type PlaceError struct{ Path, Why string }

func (e *PlaceError) Error() string { return fmt.Sprintf("%q can't be given: %s", e.Path, e.Why) }

// BackError says that what was given can't be taken back, for what was made of it.
type BackError struct{ *sandbox.FileError }

func (e *BackError) Error() string {
	return "what was given can't be taken back: " + e.FileError.Error()
}

// Give puts items into a world: regular files, and directories before what is in
// them. Paths are as in a Manifest. A *PlaceError is the doing of what lies there; any
// other error is the sandbox's. Nothing is given: the Loan is nil, and good for TakeBack.
func Give(ctx context.Context, sb sandbox.Sandbox, items []sandbox.Item) (*Loan, error) {
	if len(items) == 0 {
		return nil, nil
	}
	l := &Loan{sb: sb, was: map[string]sandbox.Item{}}
	there, err := look(ctx, sb, placesOf(items))
	if err != nil {
		return nil, err
	}
	var put []sandbox.Item
	for _, it := range items {
		for _, dir := range parents(it.Path) {
			if err := l.parent(it.Path, dir, there[dir]); err != nil {
				return nil, err
			}
		}
		was := there[it.Path]
		switch {
		case it.Mode.IsDir():
			if err := l.parent(it.Path, it.Path, was); err != nil {
				return nil, err
			}
			if !was.Gone {
				continue // it keeps its mode
			}
		case !was.Gone && was.Mode.IsDir():
			return nil, &PlaceError{it.Path, "a directory lies there"}
		case was.Left != "":
			return nil, &PlaceError{it.Path, "what lies there can't be put back: " + was.Left}
		default:
			l.was[it.Path] = was
		}
		put = append(put, it)
	}
	err = sb.FS().Unpack(ctx, put)
	if refused, ok := errors.AsType[*sandbox.FileError](err); ok {
		err = &PlaceError{refused.Path, refused.Reason}
	}
	if err == nil {
		l.git, err = ignore(ctx, sb, items)
		err = harmless(err)
	}
	return l, err
}

// parent takes note of a directory that something is put into.
func (l *Loan) parent(of, dir string, was sandbox.Item) error {
	if !was.Gone && !was.Mode.IsDir() {
		return &PlaceError{of, fmt.Sprintf("%q is no directory there", dir)}
	}
	if was.Gone && !slices.Contains(l.made, dir) {
		l.made = append(l.made, dir)
	}
	return nil
}

// TakeBack puts what was there before in the places of what was given, whatever became
// of it, and removes the directories that were made for it and have nothing else in
// them. Where somebody put something else in the place of a directory, that stays. A
// *BackError is the doing of who had it; any other error is the sandbox's.
func (l *Loan) TakeBack(ctx context.Context) error {
	if l == nil {
		return nil
	}
	err := l.takeBack(ctx)
	if refused, ok := errors.AsType[*sandbox.FileError](err); ok {
		return &BackError{refused}
	}
	return err
}

// takeBack puts the files that a loan replaced back as they were and removes those that it
// made, where their directories are still there.
func (l *Loan) takeBack(ctx context.Context) error {
	if err := l.git.heed(ctx, l.sb); err != nil {
		return err
	}
	var places []string
	for p := range l.was {
		places = append(places, p)
	}
	slices.Sort(places)
	var dirs []string
	for _, p := range places {
		dirs = append(dirs, parents(p)...)
	}
	there, err := look(ctx, l.sb, append(dirs, l.made...))
	if err != nil {
		return err
	}
	var back []sandbox.Item
	for _, p := range places {
		whole := !slices.ContainsFunc(parents(p),
			func(dir string) bool { return there[dir].Gone || !there[dir].Mode.IsDir() })
		if whole {
			it := l.was[p]
			it.Path = p
			back = append(back, it)
		}
	}
	if err := l.sb.FS().Unpack(ctx, back); err != nil {
		return err
	}
	for _, dir := range slices.Backward(l.made) {
		if at := there[dir]; at.Gone || !at.Mode.IsDir() {
			continue
		}
		in, err := l.sb.FS().List(ctx, dir)
		if _, shut := errors.AsType[*sandbox.FileError](err); shut {
			if err := l.sb.FS().Unpack(ctx, []sandbox.Item{{Path: dir, Mode: fs.ModeDir | 0o700}}); err != nil {
				return err
			}
			in, err = l.sb.FS().List(ctx, dir)
		}
		if err != nil {
			return err
		}
		if len(in) > 0 {
			continue // somebody's: it stays
		}
		if err := l.sb.FS().Unpack(ctx, []sandbox.Item{{Path: dir, Gone: true}}); err != nil {
			return err
		}
	}
	return nil
}

// look gives what lies at paths.
func look(ctx context.Context, sb sandbox.Sandbox, paths []string) (map[string]sandbox.Item, error) {
	out := map[string]sandbox.Item{}
	err := sb.FS().Pack(ctx, paths, func(it sandbox.Item) error {
		out[it.Path] = it
		return nil
	})
	return out, err
}

// placesOf gives the paths of items and of the directories that lead there, each once.
func placesOf(items []sandbox.Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.Path)
		out = append(out, parents(it.Path)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// parents gives the directories that lead to a path, a directory before what is in it.
func parents(p string) (out []string) {
	for dir := path.Dir(p); dir != "." && dir != "~" && dir != "/"; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	slices.Reverse(out)
	return out
}
