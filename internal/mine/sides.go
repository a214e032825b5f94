package mine

import (
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/refusal"
)

const lfsHead = "version https://git-lfs.github.com/spec/"

// side reads one side of a change, "" where there is none.
func side(contents *history.Contents, f history.File) (string, error) {
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

// read gives files before and after.
func read(contents *history.Contents, list []history.Change) (out []pair, err error) {
	for _, ch := range list {
		p := pair{path: ch.Path}
		if p.was, err = side(contents, ch.Was); err != nil {
			return nil, err
		}
		if p.now, err = side(contents, ch.Now); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// mostText is how many bytes one side of a file may have.
const mostText = 1 << 20
