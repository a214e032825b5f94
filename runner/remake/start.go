package remake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial/final"
	"cookoff/verify"
)

// Sum is a digest of a start, in hexadecimal: of the setup that made it, and of the paths, modes, contents,
// targets and owners of its files, not of their times.
func Sum(setup string, files sandbox.Manifest) string {
	sum := sha256.New()
	line := strconv.AppendQuote(nil, setup)
	for _, f := range files {
		line = append(strconv.AppendQuote(append(line, '\n'), f.Path), ' ')
		line = append(append(strconv.AppendUint(line, uint64(f.Mode), 8), ' '), f.Sum...)
		line = append(append(strconv.AppendQuote(line, f.Link), ' '), f.Foreign()...)
		sum.Write(line)
		line = line[:0]
	}
	sum.Write(line)
	return hex.EncodeToString(sum.Sum(nil))
}

// IsGitIndex reports whether a path is of git's index. What it lists counts, by what git says of it; its bytes hold
// times.
func IsGitIndex(p string) bool { return path.Base(p) == "index" && path.Base(path.Dir(p)) == ".git" }

// starting makes a start that was staged anew the one that a trial had.
type starting struct {
	setup string
	sb    sandbox.Sandbox
	left  *final.State
	why   string // it can't be done
}

// before takes away what this start alone has, and puts back what that of the trial had, where that gives
// the trial's start: where the setup, or the project, is another one, it does not.
func (s *starting) before(ctx context.Context, start *verify.Start) (put []string, err error) {
	if s.left.StartSum == "" {
		return nil, nil
	}
	files, err := s.sb.FS().Manifest(ctx, nil)
	if err != nil {
		return nil, err
	}
	changes, same := s.changes(start.Lasting(files))
	if !same || len(changes) == 0 {
		return nil, nil
	}
	for _, c := range changes {
		if c.After != nil && c.After.Mode.IsRegular() && c.After.Content == "" {
			s.why = fmt.Sprintf("the task does not start as it did: the content of %q was not kept (%s)", c.Path,
				cmp.Or(c.After.Missing, "large, and the same in other starts"))
			return nil, nil
		}
		if c.After != nil {
			put = append(put, c.Path)
		}
	}
	if s.why, err = unpack(ctx, s.sb, changes); err != nil || s.why != "" {
		return put, err
	}
	return put, s.refresh(ctx, put)
}

// refresh has git look anew at the files that indexes list which were put back: they hold the times of others.
func (s *starting) refresh(ctx context.Context, put []string) error {
	for _, p := range put {
		if !IsGitIndex(p) {
			continue
		}
		// Where git can't, it does so when it is next asked.
		if _, err := s.sb.Exec(ctx, sandbox.Cmd{Dir: path.Dir(path.Dir(p)), Else: true,
			Argv: []string{"git", "update-index", "-q", "--refresh"}}); err != nil {
			return err
		}
	}
	return nil
}

// changes gives what makes files those of the trial's start, where what the setup touched is that of the trial; same
// is false where that does not give its start. An index of git is that of the trial where anything else differs: it
// lists objects.
func (s *starting) changes(files sandbox.Manifest) (list []final.Change, same bool) {
	var was sandbox.Manifest
	var indexes []final.Change
	kept, held := map[string]*final.File{}, map[string]bool{}
	hold := func(f sandbox.File) {
		was = append(was, f)
		held[path.Dir(f.Path)] = true
	}
	for _, c := range s.left.Start {
		if IsGitIndex(c.Path) {
			indexes = append(indexes, c)
			continue
		}
		kept[c.Path] = c.After
		held[path.Dir(c.Path)] = true
	}
	for _, f := range slices.Backward(files) { // what is in a directory comes before it
		v, known := kept[f.Path]
		switch {
		case known && equal(f, v):
			hold(f)
			delete(kept, f.Path)
		case known: // below
		case f.Touched && !held[f.Path]:
			list = append(list, final.Change{Path: f.Path})
		default:
			hold(f)
		}
	}
	for p, v := range kept {
		was = append(was, sandbox.File{Path: p, Mode: v.Mode, Sum: v.Sum, Link: v.Link, Owner: v.Owner})
		list = append(list, final.Change{Path: p, After: v})
	}
	if len(list) > 0 {
		list = append(list, indexes...)
	}
	slices.SortFunc(was, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(list, func(a, b final.Change) int { return strings.Compare(a.Path, b.Path) })
	return list, Sum(s.setup, was) == s.left.StartSum
}

func equal(f sandbox.File, v *final.File) bool {
	return f.Mode == v.Mode && f.Sum == v.Sum && f.Link == v.Link && f.Foreign() == v.Owner
}
