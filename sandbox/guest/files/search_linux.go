package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Bounds of a search.
const (
	searchTime = 10 * time.Second
	searchSize = 32 << 20 // bytes of a file that are searched
	lineSize   = 1 << 10  // bytes of a line that are given
	maxFound   = 20_000
	maxNames   = 4 << 20 // bytes of all paths and lines that are found
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
	found, size := wire.Found{Paths: []string{}}, 0
	inGit := strings.Contains(q.Glob, ".git")
	err := walkPath(WorldPath(q.Dir), time.Now().Add(searchTime), func(_ int, rel string, e entry) error {
		skip := e.Name == ".git" && !inGit
		if onProc(q.Dir, rel) || skip && e.Mode.IsDir() {
			return fs.SkipDir
		}
		if skip {
			return nil
		}
		if ok, _ := doublestar.Match(q.Glob, rel); !ok {
			return nil
		}
		if size += len(rel); len(found.Paths) == max || size > maxNames {
			found.More = true
			return fs.SkipAll
		}
		found.Paths = append(found.Paths, rel)
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
	p := path.Join(WorldPath(dir), rel)
	return p == "/proc" || strings.HasPrefix(p, "/proc/")
}

// grepper collects the lines of a search.
type grepper struct {
	re      *regexp.Regexp
	context int
	max     int
	need    []byte // in every line that matches
	buf     []byte
	out     wire.Lines
	size    int // bytes in out
}

func grep(q sandbox.GrepQuery) (any, error) { return grepUntil(q, time.Now().Add(searchTime)) }

func grepUntil(q sandbox.GrepQuery, until time.Time) (any, error) {
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
	g := &grepper{re: re, context: min(max(q.Context, 0), 100), max: bound(q.Max),
		out: wire.Lines{Lines: []sandbox.GrepLine{}}}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		g.need = []byte(needed(tree.Simplify()))
	}
	h, err := lookUp(WorldPath(q.Dir), 0)
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
		g.out.More = errors.Is(g.file(q.Dir, f, until), errLate) || g.out.More
		return g.out, nil
	}
	err = walkPath(WorldPath(q.Dir), until, func(dir int, rel string, e entry) error {
		if e.Mode.IsDir() && (e.Name == ".git" || onProc(q.Dir, rel)) {
			return fs.SkipDir
		}
		if ok, _ := doublestar.Match(q.Glob, rel); !e.Mode.IsRegular() || q.Glob != "" && !ok {
			return nil
		}
		f, err := openEntry(dir, e.Name)
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
func (g *grepper) file(name string, f *os.File, until time.Time) error {
	data := g.read(f)
	if bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 || !bytes.Contains(data, g.need) {
		return nil
	}
	if g.context == 0 && len(g.need) > 0 {
		return g.jump(name, data, until)
	}
	var before []sandbox.GrepLine
	after := 0
	for n := 1; len(data) > 0; n++ {
		if n%256 == 0 && time.Now().After(until) {
			return errLate
		}
		b, rest, _ := bytes.Cut(data, []byte("\n"))
		data, b = rest, bytes.TrimRight(b, "\r")
		l := sandbox.GrepLine{Path: name, Line: n, Match: g.re.Match(b)}
		if l.Match || g.context > 0 {
			l.Text = string(clip(b))
		}
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
	}
	return nil
}

// jump looks at those lines only that hold what every match must hold.
func (g *grepper) jump(name string, data []byte, until time.Time) error {
	line, counted := 1, 0
	for at, tries := 0, 0; ; tries++ {
		i := bytes.Index(data[at:], g.need)
		if i < 0 {
			return nil
		}
		if tries%256 == 255 && time.Now().After(until) {
			return errLate
		}
		i += at
		start := bytes.LastIndexByte(data[:i], '\n') + 1
		end := len(data)
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			end = i + n
		}
		if b := bytes.TrimRight(data[start:end], "\r"); g.re.Match(b) {
			line += bytes.Count(data[counted:start], []byte("\n"))
			counted = start
			if !g.add(sandbox.GrepLine{Path: name, Line: line, Match: true, Text: string(clip(b))}) {
				return fs.SkipAll
			}
		}
		if at = end + 1; at > len(data) {
			return nil
		}
	}
}

// read gives the content of a file, up to searchSize; it is overwritten by the
// next one's.
func (g *grepper) read(f *os.File) []byte {
	var b []byte
	for b = g.buf[:0]; len(b) < searchSize; {
		if len(b) == cap(b) {
			b = slices.Grow(b, max(64<<10, len(b)))
		}
		n, err := f.Read(b[len(b):min(cap(b), searchSize)])
		if b = b[:len(b)+n]; err != nil {
			break
		}
	}
	g.buf = b
	return b
}

// needed gives a text that every match of a pattern holds; "" where there is
// none to be sure of.
func needed(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && !slices.Contains(re.Rune, '\n') && !slices.Contains(re.Rune, '\r') &&
			!slices.Contains(re.Rune, utf8.RuneError) {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := needed(sub); len(s) > len(best) {
				best = s
			}
		}
		return best
	}
	return ""
}

// add keeps lines up to the bound.
func (g *grepper) add(lines ...sandbox.GrepLine) bool {
	for _, l := range lines {
		if g.size += len(l.Path) + len(l.Text); len(g.out.Lines) == g.max || g.size > maxNames {
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
