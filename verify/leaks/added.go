package leaks

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// line is one that a solution adds.
type line struct {
	text string // without what surrounds it
	file string // that it is added to
}

const (
	longLine   = 16  // bytes that a line has that says something by itself
	mostOfLine = 400 // bytes of it that are looked for
	mostLines  = 5   // that are looked for, of each solution: the longest
)

// added finds the lines that the solutions add, by running each in a world of its own.
func (s *search) added(ctx context.Context) error {
	for _, script := range s.c.Solutions {
		w, _, err := s.staged(ctx)
		if err != nil {
			return err
		}
		list, err := s.addedBy(ctx, w, script)
		if err = errors.Join(err, w.Close()); err != nil {
			return err
		}
		slices.SortStableFunc(list, func(a, b line) int { return cmp.Compare(len(b.text), len(a.text)) })
		for _, l := range list[:min(len(list), mostLines)] {
			if !slices.Contains(s.lines, l) {
				s.lines = append(s.lines, l)
			}
		}
	}
	return nil
}

// addedBy runs the solution in a world of its own and gives the lines that it adds to
// files: those a model should not find anywhere.
func (s *search) addedBy(ctx context.Context, w sandbox.Sandbox, script string) ([]line, error) {
	res, err := w.Exec(ctx, sandbox.Cmd{Script: script, Timeout: s.c.Limits.Solution})
	if err != nil || !res.OK() {
		if err == nil {
			s.found.Warn("solution", "", "the solution fails, so that nobody knows what it adds")
		}
		return nil, err
	}
	final, err := w.FS().Manifest(ctx, nil)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, ch := range tree.Changes(s.start.Files, final) {
		if f, ok := tree.Lookup(final, ch.Path); ok && f.Mode.IsRegular() && !tree.KeptByPrograms(ch.Path) {
			paths = append(paths, ch.Path)
		}
	}
	before, after := map[string]string{}, map[string]string{}
	for _, side := range []struct {
		w  sandbox.Sandbox
		to map[string]string
	}{{s.world, before}, {w, after}} {
		if err := side.w.FS().Pack(ctx, paths, func(it sandbox.Item) error {
			side.to[it.Path] = string(it.Data)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var out []line
	for _, p := range paths {
		out = append(out, newLines(p, before[p], after[p])...)
	}
	return out, nil
}

// newLines gives the lines of a text that say something and did not stand in it before.
func newLines(file, before, after string) (out []line) {
	if strings.ContainsRune(after, 0) {
		return nil
	}
	old := map[string]bool{}
	for l := range strings.Lines(before) {
		old[strings.TrimSpace(l)] = true
	}
	for l := range strings.Lines(after) {
		l = strings.TrimSpace(l)
		if len(l) < longLine || old[l] {
			continue
		}
		out = append(out, line{l[:min(len(l), mostOfLine)], file})
	}
	return out
}

// patterns are the lines as grep takes them.
func (s *search) patterns() string {
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// endings are those of the names of the files that solutions write; nil: one has none.
func (s *search) endings() []string {
	var out []string
	for _, l := range s.lines {
		ext := path.Ext(l.file)
		if ext == "" {
			return nil
		}
		if !slices.Contains(out, ext) {
			out = append(out, ext)
		}
	}
	return out
}
