// Package diffs shows what a trial left: its changes file by file against where
// it started, and beside those of another.
package diffs

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial/final"
)

// Bounds of what is compared line by line.
const (
	maxText  = 1 << 20 // bytes of a file
	maxLines = 20_000  // of a file's diff
	around   = 3       // lines of context
)

// Line is a line of a diff, harmless and ready to be shown.
type Line struct {
	Text string // without marks
	Mark byte   // ' ', '+', '-'; '@' the place, '#' the head of a file, '!' a remark
	From int    // number in the old file, 0: none
	To   int    // number in the new one
	code []span // colours of Text
}

// File is what became of one file.
type File struct {
	Path    string // harmless
	What    string // added, changed, deleted, mode, link
	Added   int    // lines
	Removed int
	Lines   []Line
}

// Of gives the changes of a final state, file by file; what tools cached in HOME
// is one entry.
func Of(s *final.State) []File {
	var out []File
	for i, c := range s.Changes {
		if cacheOf(c.Path) == "" && !implied(c, s.Changes[i+1:]) {
			out = append(out, fileOf(c))
		}
	}
	return append(out, folded(s.Changes)...)
}

// implied reports whether a change is a directory that came or went with what
// is in it, or one of the many that programs make in HOME.
func implied(c final.Change, after []final.Change) bool {
	v := c.After
	if v == nil {
		v = c.Before
	}
	if v == nil || !v.Mode.IsDir() || c.Before != nil && c.After != nil {
		return false
	}
	return strings.HasPrefix(c.Path, "~/") || len(after) > 0 && strings.HasPrefix(after[0].Path, c.Path+"/")
}

// Stat sums files up: "3 files, +10 -2".
func Stat(files []File) string {
	if len(files) == 0 {
		return "no changes"
	}
	add, del := 0, 0
	for _, f := range files {
		add, del = add+f.Added, del+f.Removed
	}
	word := "files"
	if len(files) == 1 {
		word = "file"
	}
	return fmt.Sprintf("%d %s, +%d -%d", len(files), word, add, del)
}

func fileOf(c final.Change) File {
	f := File{Path: text.Line(c.Path), What: what(c)}
	head := f.What + " " + f.Path
	if c.Before != nil && c.After != nil && c.Before.Mode != c.After.Mode {
		head += fmt.Sprintf(" (mode %s -> %s)", c.Before.Mode, c.After.Mode)
	}
	f.Lines = append(f.Lines, Line{Text: head, Mark: '#'})
	if why := unreadable(c); why != "" {
		f.Lines = append(f.Lines, Line{Text: why, Mark: '!'})
		return f
	}
	old, now := content(c.Before), content(c.After)
	f.compare(c.Path, old, now)
	return f
}

func what(c final.Change) string {
	switch {
	case c.Before == nil:
		return "added"
	case c.After == nil:
		return "deleted"
	}
	return "changed"
}

// unreadable says why there are no lines to be compared; "": there are.
func unreadable(c final.Change) string {
	for _, v := range []*final.File{c.After, c.Before} {
		switch {
		case v == nil:
		case v.Missing != "":
			return "its content was not kept: " + text.Line(v.Missing)
		case v.Mode&fs.ModeSymlink != 0:
			return "a link to " + text.Line(v.Link)
		case !v.Mode.IsRegular():
			return "a " + kind(v.Mode)
		case len(v.Data) > maxText:
			return fmt.Sprintf("%d bytes: too many to be compared here", len(v.Data))
		case bytes.IndexByte(v.Data, 0) >= 0 || !utf8.Valid(v.Data):
			return fmt.Sprintf("no text: %d bytes", len(v.Data))
		}
	}
	return ""
}

func kind(m fs.FileMode) string {
	if m.IsDir() {
		return "directory"
	}
	return "special file"
}

func content(v *final.File) string {
	if v == nil {
		return ""
	}
	return string(v.Data)
}

// compare fills in the lines of a unified diff.
func (f *File) compare(path, old, now string) {
	u, err := udiff.ToUnifiedDiff("a", "b", old, udiff.Lines(old, now), around)
	if err != nil { // edits that Lines made always fit
		f.Lines = append(f.Lines, Line{Text: err.Error(), Mark: '!'})
		return
	}
	before, after := tokens(path, old), tokens(path, now)
	for _, h := range u.Hunks {
		from, to := h.FromLine, h.ToLine
		f.Lines = append(f.Lines, Line{Text: fmt.Sprintf("line %d", max(to, 1)), Mark: '@'})
		for _, l := range h.Lines {
			if len(f.Lines) >= maxLines {
				f.Lines = append(f.Lines, Line{Text: "and more", Mark: '!'})
				return
			}
			f.add(l, &from, &to, before, after)
		}
	}
}

func (f *File) add(l udiff.Line, from, to *int, before, after [][]span) {
	switch l.Kind {
	case udiff.Delete:
		f.Lines = append(f.Lines, Line{Mark: '-', From: *from, code: at(before, *from)})
		f.Removed++
		*from++
	case udiff.Insert:
		f.Lines = append(f.Lines, Line{Mark: '+', To: *to, code: at(after, *to)})
		f.Added++
		*to++
	default:
		f.Lines = append(f.Lines, Line{Mark: ' ', From: *from, To: *to, code: at(after, *to)})
		*from++
		*to++
	}
	f.Lines[len(f.Lines)-1].Text = show(l.Content)
}

// show makes a line of a file harmless; tabs are shown as blanks.
func show(s string) string {
	return text.Line(strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\t", "    "))
}

func at(lines [][]span, n int) []span {
	if n < 1 || n > len(lines) {
		return nil
	}
	return lines[n-1]
}

// Lead is how many columns stand before the text of a line: its number and mark.
const Lead = 7

// Draw writes a diff's line in so many columns.
func Draw(s screen.Stream, l Line, width int) string {
	switch l.Mark {
	case '#':
		return s.Paint(screen.Bold, text.Fit(l.Text, width))
	case '@':
		return s.Paint(screen.Dim, text.Fit("   ⋯ "+l.Text, width))
	case '!':
		return s.Paint(screen.Yellow, text.Fit("   "+l.Text, width))
	}
	n := l.To
	if l.Mark == '-' {
		n = l.From
	}
	mark, style := string(l.Mark)+" ", screen.Style("")
	switch l.Mark {
	case '+':
		style = screen.Green
	case '-':
		style = screen.Red
	}
	lead := s.Paint(screen.Dim, fmt.Sprintf("%4d ", n))
	if style != "" {
		mark = s.Paint(style, mark)
	}
	return lead + mark + colour(s, l, width-7)
}

// Beside pairs the files of two states: what each made of a file, side by
// side. Only files that either of them changed are there.
func Beside(a, b *final.State) []Pair {
	paths := map[string][2]*final.Change{}
	for i, st := range []*final.State{a, b} {
		for n := range st.Changes {
			if cacheOf(st.Changes[n].Path) != "" {
				continue
			}
			two := paths[st.Changes[n].Path]
			two[i] = &st.Changes[n]
			paths[st.Changes[n].Path] = two
		}
	}
	var out []Pair
	for path, two := range paths {
		out = append(out, pairOf(path, two))
	}
	slices.SortFunc(out, func(x, y Pair) int { return strings.Compare(x.Path, y.Path) })
	return out
}

// Pair is one file as two trials left it.
type Pair struct {
	Path string
	Same bool
	Rows []Row
}

// Row is a line of either, beside each other; nil: none there.
type Row struct{ Left, Right *Line }

func pairOf(path string, two [2]*final.Change) Pair {
	p := Pair{Path: text.Line(path)}
	left, leftWhy := leftOf(two[0], two[1])
	right, rightWhy := leftOf(two[1], two[0])
	if leftWhy != "" || rightWhy != "" {
		p.Same = leftWhy == rightWhy && left == right
		p.Rows = []Row{{&Line{Text: orSame(leftWhy), Mark: '!'}, &Line{Text: orSame(rightWhy), Mark: '!'}}}
		return p
	}
	p.Same = left == right
	p.Rows = align(path, left, right)
	return p
}

func orSame(why string) string {
	if why == "" {
		return "text"
	}
	return why
}

// leftOf gives what a trial left of a file that it or the other changed: one that
// it did not change is as the other found it.
func leftOf(own, other *final.Change) (of, why string) {
	c := own
	if c == nil {
		c = &final.Change{Path: other.Path, Before: other.Before, After: other.Before}
	}
	if c.After == nil {
		return "", "" // what is not there has no lines
	}
	if why := unreadable(final.Change{After: c.After}); why != "" {
		return "", why
	}
	return content(c.After), ""
}

// align puts the lines of two texts beside each other.
func align(path, left, right string) []Row {
	u, err := udiff.ToUnifiedDiff("a", "b", left, udiff.Lines(left, right), around)
	if err != nil {
		return nil
	}
	lcode, rcode := tokens(path, left), tokens(path, right)
	var rows []Row
	for _, h := range u.Hunks {
		from, to := h.FromLine, h.ToLine
		place := &Line{Text: fmt.Sprintf("line %d", max(from, 1)), Mark: '@'}
		rows = append(rows, Row{place, &Line{Text: fmt.Sprintf("line %d", max(to, 1)), Mark: '@'}})
		gap := len(rows) // where removed lines wait for those that replace them
		for _, l := range h.Lines {
			if len(rows) >= maxLines {
				return rows
			}
			switch l.Kind {
			case udiff.Delete:
				rows = append(rows,
					Row{Left: &Line{Text: show(l.Content), Mark: '-', From: from, code: at(lcode, from)}})
				from++
			case udiff.Insert:
				line := &Line{Text: show(l.Content), Mark: '+', To: to, code: at(rcode, to)}
				for gap < len(rows) && rows[gap].Right != nil {
					gap++
				}
				if gap < len(rows) {
					rows[gap].Right = line
				} else {
					rows = append(rows, Row{Right: line})
				}
				to++
			default:
				rows = append(rows, Row{&Line{Text: show(l.Content), Mark: ' ', To: from, code: at(lcode, from)},
					&Line{Text: show(l.Content), Mark: ' ', To: to, code: at(rcode, to)}})
				from, to, gap = from+1, to+1, len(rows)
			}
		}
	}
	return rows
}
