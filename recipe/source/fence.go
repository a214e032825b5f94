package source

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// fenceCloses tells whether a top-level fence ends in a closing fence.
func (s *Text) fenceCloses(n *ast.FencedCodeBlock) bool {
	at := s.fenceEnd(n)
	if at >= len(s.Bytes) {
		return false
	}
	open := s.Bytes[n.Pos()]
	line := strings.TrimSpace(s.Raw[at:s.NextLine(at)])
	return len(line) >= 3 && strings.Trim(line, string(open)) == ""
}

// fenceEnd gives the offset of the line behind a fence's content.
func (s *Text) fenceEnd(n *ast.FencedCodeBlock) int {
	if l := n.Lines(); l.Len() > 0 {
		return s.NextLine(l.At(l.Len()-1).Stop - 1)
	}
	return s.NextLine(n.Pos())
}

// Fence gives a fence's content without the line end before its closing fence.
func (s *Text) Fence(n *ast.FencedCodeBlock) string {
	lines := n.Lines()
	if lines.Len() == 0 {
		return ""
	}
	if from, to, whole := wholeLines(lines); whole {
		return strings.TrimSuffix(s.Raw[from:to], "\n")
	}
	var b strings.Builder
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(seg.Value(s.Bytes))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wholeLines tells whether lines are one piece of the file, which those of a
// fence are where it is not indented.
func wholeLines(lines *text.Segments) (from, to int, whole bool) {
	from, whole = lines.At(0).Start, true
	to = from
	for i := range lines.Len() {
		seg := lines.At(i)
		whole = whole && seg.Padding == 0 && seg.Start == to
		to = seg.Stop
	}
	return from, to, whole
}

// FenceLines turn offsets within a fence's content into ones of the file,
// which part where the fence is indented.
type FenceLines struct {
	from   int   // of a fence that is not
	in, of []int // of one that is: where each line starts in the content, and in the file
}

func (s *Text) FenceLines(n *ast.FencedCodeBlock) (l FenceLines) {
	if n.Lines().Len() == 0 {
		return FenceLines{from: min(s.NextLine(n.Pos()), len(s.Bytes)-1)}
	}
	if from, _, whole := wholeLines(n.Lines()); whole {
		return FenceLines{from: from}
	}
	at := 0
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		l.in, l.of = append(l.in, at), append(l.of, seg.Start-seg.Padding)
		at += seg.Len()
	}
	return l
}

func (l FenceLines) Offset(in int) int {
	if l.in == nil {
		return l.from + in
	}
	i := sort.SearchInts(l.in, in+1) - 1
	return l.of[i] + in - l.in[i]
}

// Info gives the words behind a fence's opening mark.
func (s *Text) Info(n *ast.FencedCodeBlock) Span {
	if n.Info == nil {
		return Span{"", n.Pos()}
	}
	return s.Span(n.Info.Segment.Start, n.Info.Segment.Stop)
}
