package recipe

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// fenceCloses tells whether a top-level fence ends in a closing fence.
func (s *source) fenceCloses(n *ast.FencedCodeBlock) bool {
	at := s.fenceEnd(n)
	if at >= len(s.text) {
		return false
	}
	open := s.text[n.Pos()]
	line := strings.TrimSpace(s.raw[at:s.nextLine(at)])
	return len(line) >= 3 && strings.Trim(line, string(open)) == ""
}

// fenceEnd gives the offset of the line behind a fence's content.
func (s *source) fenceEnd(n *ast.FencedCodeBlock) int {
	if l := n.Lines(); l.Len() > 0 {
		return s.nextLine(l.At(l.Len()-1).Stop - 1)
	}
	return s.nextLine(n.Pos())
}

// fence gives a fence's content without the line end before its closing fence.
func (s *source) fence(n *ast.FencedCodeBlock) string {
	lines := n.Lines()
	if lines.Len() == 0 {
		return ""
	}
	if from, to, whole := wholeLines(lines); whole {
		return strings.TrimSuffix(s.raw[from:to], "\n")
	}
	var b strings.Builder
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(seg.Value(s.text))
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

// fenceLines turn offsets within a fence's content into ones of the file,
// which part where the fence is indented.
type fenceLines struct {
	from   int   // of a fence that is not
	in, of []int // of one that is: where each line starts in the content, and in the file
}

func (s *source) fenceLines(n *ast.FencedCodeBlock) (l fenceLines) {
	if n.Lines().Len() == 0 {
		return fenceLines{from: min(s.nextLine(n.Pos()), len(s.text)-1)}
	}
	if from, _, whole := wholeLines(n.Lines()); whole {
		return fenceLines{from: from}
	}
	at := 0
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		l.in, l.of = append(l.in, at), append(l.of, seg.Start-seg.Padding)
		at += seg.Len()
	}
	return l
}

func (l fenceLines) offset(in int) int {
	if l.in == nil {
		return l.from + in
	}
	i := sort.SearchInts(l.in, in+1) - 1
	return l.of[i] + in - l.in[i]
}

// info gives the words behind a fence's opening mark.
func (s *source) info(n *ast.FencedCodeBlock) span {
	if n.Info == nil {
		return span{"", n.Pos()}
	}
	return s.span(n.Info.Segment.Start, n.Info.Segment.Stop)
}
