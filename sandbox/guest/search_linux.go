package guest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
)

// Bounds of a search.
const (
	searchTime = 10 * time.Second
	searchSize = 32 << 20 // bytes of a file that are searched
	lineSize   = 1 << 10  // bytes of a line that are given
	maxFound   = 20_000
)

func bound(n int) int {
	if n <= 0 || n > maxFound {
		return maxFound
	}
	return n
}

func find(q sandbox.FindQuery) (any, error) {
	const op = "find"
	if !doublestar.ValidatePattern(q.Glob) {
		return nil, fail(op, q.Glob, errors.New("is not a valid glob"))
	}
	max := bound(q.Max)
	found := Found{Paths: []Name{}}
	err := walk(worldPath(q.Dir), time.Now().Add(searchTime), func(_ int, rel string, e Entry) error {
		if onProc(q.Dir, rel) {
			return fs.SkipDir
		}
		if ok, _ := doublestar.Match(q.Glob, rel); !ok {
			return nil
		}
		if len(found.Paths) == max {
			found.More = true
			return fs.SkipAll
		}
		found.Paths = append(found.Paths, Name(rel))
		return nil
	})
	if errors.Is(err, errLate) {
		found.More = true
	} else if err != nil {
		return nil, fail(op, q.Dir, err)
	}
	return found, nil
}

// onProc keeps searches of everything out of /proc.
func onProc(dir, rel string) bool {
	p := path.Join(worldPath(dir), rel)
	return p == "/proc" || strings.HasPrefix(p, "/proc/")
}

// grepper collects the lines of a search.
type grepper struct {
	re      *regexp.Regexp
	context int
	max     int
	out     Lines
}

func grep(q sandbox.GrepQuery) (any, error) {
	const op = "search"
	pattern := q.Pattern
	if q.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fail(op, q.Pattern, err)
	}
	if q.Glob != "" && !doublestar.ValidatePattern(q.Glob) {
		return nil, fail(op, q.Glob, errors.New("is not a valid glob"))
	}
	g := &grepper{re: re, context: min(max(q.Context, 0), 100), max: bound(q.Max), out: Lines{Lines: []Line{}}}
	until := time.Now().Add(searchTime)
	h, err := lookUp(worldPath(q.Dir), 0)
	if err != nil {
		return nil, fail(op, q.Dir, err)
	}
	defer h.close()
	if h.regular() == nil {
		f, err := h.open(0)
		if err != nil {
			return nil, fail(op, q.Dir, err)
		}
		defer f.Close()
		_ = g.file(q.Dir, f, until)
		return g.out, nil
	}
	err = walk(worldPath(q.Dir), until, func(dir int, rel string, e Entry) error {
		if e.Mode.IsDir() && (e.Name == ".git" || onProc(q.Dir, rel)) {
			return fs.SkipDir
		}
		if ok, _ := doublestar.Match(q.Glob, rel); !e.Mode.IsRegular() || q.Glob != "" && !ok {
			return nil
		}
		f, err := openEntry(dir, string(e.Name))
		if err != nil {
			return nil
		}
		defer f.Close()
		return g.file(rel, f, until)
	})
	if errors.Is(err, errLate) {
		g.out.More = true
	} else if err != nil {
		return nil, fail(op, q.Dir, err)
	}
	return g.out, nil
}

// file searches one file; fs.SkipAll when there are lines enough.
func (g *grepper) file(name string, f io.Reader, until time.Time) error {
	r := bufio.NewReaderSize(io.LimitReader(f, searchSize), 64<<10)
	if head, _ := r.Peek(8 << 10); bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	var before []Line
	after, n := 0, 0
	for {
		b, err := r.ReadBytes('\n')
		if len(b) == 0 {
			return nil
		}
		if n++; n%256 == 0 && time.Now().After(until) {
			return errLate
		}
		b = bytes.TrimRight(b, "\r\n")
		l := Line{Path: Name(name), Line: n, Match: g.re.Match(b), Text: Name(clip(b))}
		switch {
		case l.Match:
			if !g.add(append(before, l)...) {
				return fs.SkipAll
			}
			before, after = nil, g.context
		case after > 0:
			if !g.add(l) {
				return fs.SkipAll
			}
			after--
		case g.context > 0:
			if before = append(before, l); len(before) > g.context {
				before = before[1:]
			}
		}
		if err != nil {
			return nil
		}
	}
}

// add keeps lines up to the bound.
func (g *grepper) add(lines ...Line) bool {
	for _, l := range lines {
		if len(g.out.Lines) == g.max {
			g.out.More = true
			return false
		}
		g.out.Lines = append(g.out.Lines, l)
	}
	return true
}

func clip(b []byte) []byte {
	if len(b) > lineSize {
		b = append(bytes.Clone(b[:lineSize]), "…"...)
	}
	return b
}
