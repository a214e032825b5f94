// Package sides reads the files of a commit before and after it, and says what only one side of them has: names,
// texts and lines.
package sides

import (
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
)

// Pair is a file before and after.
type Pair struct {
	Path, Was, Now string
}

// withoutRemarks gives a file before and after without what lines of it remark: a list of changes that stands in a file
// of code is no code.
func (p Pair) withoutRemarks() (was, now string) {
	return lines.Unremarked(p.Path, p.Was), lines.Unremarked(p.Path, p.Now)
}

// mostText is how many bytes one side of a file may have.
const mostText = 1 << 20

// lfsHead begins a pointer of Git LFS.
const lfsHead = "version https://git-lfs.github.com/spec/"

// Text reads one side of a change, "" where there is none.
func Text(contents *history.Contents, f history.File) (string, error) {
	if f.ID == "" {
		return "", nil
	}
	text, err := contents.Of(f)
	switch {
	case err != nil:
		return "", refusal.New(refusal.Missing, f.Path)
	case len(text) > mostText:
		return "", refusal.New(refusal.TooLarge, f.Path)
	case strings.HasPrefix(string(text), lfsHead):
		return "", refusal.New(refusal.Pointer, f.Path)
	}
	return string(text), nil
}

// Read gives files before and after.
func Read(contents *history.Contents, list []history.Change) (out []Pair, err error) {
	for _, ch := range list {
		p := Pair{Path: ch.Path}
		if p.Was, err = Text(contents, ch.Was); err != nil {
			return nil, err
		}
		if p.Now, err = Text(contents, ch.Now); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
