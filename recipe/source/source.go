// Package source holds the text of a recipe file: its Markdown tree, pieces of it with their
// places, and where each value was written.
package source

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
)

// Text is a recipe file's text, its Markdown tree, and what it takes to name
// places in it.
type Text struct {
	*Places
	Bytes []byte // no BOM, LF line ends, ends in a newline
	Raw   string // text again
	Plain string // raw with every byte of an HTML comment replaced by NUL, of which all values are parts
	Root  ast.Node

	clean []byte // plain, while it is made; nil as long as nothing is blanked
}

// Span is a piece of clean text and where it starts. It may hold NULs, which
// keep offsets true until plain drops them.
type Span struct {
	Text string
	Off  int
}

func (v Span) Trim() Span {
	t := strings.TrimLeft(v.Text, " \t\r\n\x00")
	return Span{strings.TrimRight(t, " \t\r\n\x00"), v.Off + len(v.Text) - len(t)}
}

func (v Span) Plain() string             { return strings.ReplaceAll(v.Text, "\x00", "") }
func (v Span) Slice(i, j int) Span       { return Span{v.Text[i:j], v.Off + i} }
func (v Span) From(i int) Span           { return Span{v.Text[i:], v.Off + i} }
func (v Span) Empty() bool               { return v.Trim().Text == "" }
func Blank(s string) bool                { return strings.Trim(s, " \t\r\n\x00") == "" }
func IsKind[T ast.Node](n ast.Node) bool { _, ok := n.(T); return ok }

// lineEnds are those of other systems, and of files that were converted twice.
var lineEnds = pattern.New(`\r+\n`)

// UnixLines gives text with the line ends of a recipe.
func UnixLines(text string) string { return lineEnds.ReplaceAllString(text, "\n") }

// Parse normalises content and parses it as Markdown. Setext headings and
// link definitions are left as the text they are: neither means anything in a
// recipe, and both would take text away from a prompt.
func Parse(file string, content []byte) (*Text, problem.List) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(content) == 0 || content[len(content)-1] != '\n' {
		content = append(bytes.Clone(content), '\n')
	}
	if bytes.Contains(content, []byte("\r\n")) {
		content = lineEnds.ReplaceAll(content, []byte("\n"))
	}
	s := &Text{Places: &Places{File: file, Lines: lineStarts(content)}, Bytes: content}
	if i := bytes.IndexByte(content, 0); i >= 0 {
		return s, problem.List{{Pos: s.Pos(i), Kind: problem.Unreadable, Msg: "a NUL byte: this is no text file"}}
	}
	if !utf8.Valid(content) {
		i := 0
		for r, n := utf8.DecodeRune(content[i:]); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(content[i:]) {
			i += n
		}
		return s, problem.List{{Pos: s.Pos(i), Kind: problem.Unreadable,
			Msg:  fmt.Sprintf("byte 0x%02x is not UTF-8", content[i]),
			Hint: "save the file as UTF-8"}}
	}
	if off := s.tooDeep(); off >= 0 {
		return s, problem.List{{Pos: s.Pos(off), Msg: fmt.Sprintf("quotations and lists nested more than %d deep",
			maxNesting)}}
	}
	commented := bytes.Contains(content, []byte("<!--"))
	s.Root = markdown(commented).Parse(text.NewReader(content))
	s.Raw = string(content)
	var inline func(ast.Node) problem.List
	if commented {
		inline = s.blankComment
	}
	problems := s.unclosed(inline)
	if s.Plain = s.Raw; s.clean != nil {
		s.tidy()
		s.Plain, s.clean = string(s.clean), nil
	}
	return s, problems
}

// Plain is the text of a file that is no Markdown.
func Plain(file string, content []byte) *Text {
	content = lineEnds.ReplaceAll(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\n"))
	content = append(bytes.Clone(content), '\n')
	return &Text{Places: &Places{File: file, Lines: lineStarts(content)}, Bytes: content, Raw: string(content),
		Plain: string(content)}
}

// Line is a line of text that lies in no file.
func Line(text string) *Text {
	return &Text{Places: &Places{Lines: []int{0}}, Bytes: []byte(text)}
}

// Unnoted gives the same source, of which no place is noted.
func (s *Text) Unnoted() *Text {
	return &Text{Places: s.empty(), Bytes: s.Bytes, Raw: s.Raw, Plain: s.Plain, Root: s.Root}
}

// lineStarts gives the offset of each line's first byte; the last is that
// behind the text.
func lineStarts(text []byte) []int {
	lines := make([]int, 1, bytes.Count(text, []byte("\n"))+1)
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return lines
		}
		at += i + 1
		lines = append(lines, at)
	}
}

// maxNesting bounds what takes a Markdown parser more than linear time.
const maxNesting = 100

// tooDeep gives the offset of a line that opens too many blocks at once, or -1.
func (s *Text) tooDeep() int {
	for _, start := range s.Lines[:len(s.Lines)-1] {
		depth := 0
	line:
		for i := start; ; i++ {
			switch c := s.Bytes[i]; {
			case c == ' ' || c == '\t' || c >= '0' && c <= '9':
			case c == '>' || c == '-' || c == '+' || c == '*' || c == '.' || c == ')':
				if next := s.Bytes[i+1]; c != '>' && next != ' ' && next != '\t' {
					continue
				}
				if depth++; depth > maxNesting {
					return i
				}
			default:
				break line
			}
		}
	}
	return -1
}

// markdown gives the parser of blocks and, where there may be comments, of
// what decides whether "<!--" is one.
func markdown(commented bool) parser.Parser {
	var inline []util.PrioritizedValue
	if commented {
		inline = []util.PrioritizedValue{
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		}
	}
	return parser.NewParser(
		parser.WithInlineParsers(inline...),
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
	)
}

// LineStart gives the offset of the line that holds off.
func (s *Text) LineStart(off int) int { return strings.LastIndexByte(s.Raw[:off], '\n') + 1 }

// NextLine gives the offset behind the line that holds off.
func (s *Text) NextLine(off int) int {
	if i := strings.IndexByte(s.Raw[off:], '\n'); i >= 0 {
		return off + i + 1
	}
	return len(s.Raw)
}

// Span gives clean text.
func (s *Text) Span(from, to int) Span {
	return Span{s.Plain[from:to], from}
}

// End gives the offset behind block n: where its next sibling's line starts,
// or its parent ends.
func (s *Text) End(n ast.Node) int {
	for ; n != nil && n != s.Root; n = n.Parent() {
		if next := n.NextSibling(); next != nil {
			return s.LineStart(next.Pos())
		}
	}
	return len(s.Bytes)
}

// unclosed reports every block that is opened and never closed: it would
// swallow what follows. inline is asked about all that is within paragraphs
// and headings; nil where nothing there can be a comment.
func (s *Text) unclosed(inline func(ast.Node) problem.List) (ps problem.List) {
	_ = ast.Walk(s.Root, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if n.Parent() == s.Root && !s.fenceCloses(n) {
				ps = append(ps, problem.Problem{Pos: s.Pos(n.Pos()), Kind: problem.Unreadable, Msg: "a fence that is never closed",
					Hint: "close it with as many backticks or tildes as opened it"})
			}
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			ps = append(ps, s.blankHTML(n)...)
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			if inline == nil {
				return ast.WalkSkipChildren, nil
			}
		default:
			if inline != nil {
				ps = append(ps, inline(n)...)
			}
		}
		return ast.WalkContinue, nil
	})
	return ps
}

// blankComment blanks what is a comment in clean, and reports one that is not
// closed.
func (s *Text) blankComment(n ast.Node) problem.List {
	switch n := n.(type) {
	case *ast.RawHTML:
		if segs := n.Segments; segs.Len() > 0 {
			from, to := segs.At(0).Start, segs.At(segs.Len()-1).Stop
			if bytes.HasPrefix(s.Bytes[from:], []byte("<!--")) {
				s.blank(from, to)
			}
		}
	case *ast.Text:
		if i := bytes.Index(n.Segment.Value(s.Bytes), []byte("<!--")); i >= 0 {
			return problem.List{{Pos: s.Pos(n.Segment.Start + i), Msg: "a comment that is not closed in its paragraph",
				Hint: "close it with -->, or put the text in backticks"}}
		}
	}
	return nil
}

// blankHTML blanks the comments of an HTML block.
func (s *Text) blankHTML(n *ast.HTMLBlock) problem.List {
	from, to := s.LineStart(n.Pos()), s.End(n)
	if n.HTMLBlockType <= ast.HTMLBlockType5 && !s.htmlCloses(n) {
		s.blank(n.Pos(), to) // said once is enough
		return problem.List{{Pos: s.Pos(n.Pos()), Kind: problem.Unreadable,
			Msg: fmt.Sprintf("%q opens HTML that is never closed",
				FirstLine(string(s.Bytes[n.Pos():to]), 20)),
			Hint: "close it, or put the text in backticks or a fence"}}
	}
	for {
		i := bytes.Index(s.Bytes[from:to], []byte("<!--"))
		if i < 0 {
			return nil
		}
		from += i
		j := bytes.Index(s.Bytes[from:to], []byte("-->"))
		if j < 0 {
			return problem.List{{Pos: s.Pos(from), Kind: problem.Unreadable, Msg: "a comment that is never closed",
				Hint: "close it with -->"}}
		}
		s.blank(from, from+j+3)
		from += j + 3
	}
}

// htmlCloses tells whether an HTML block of type 1 to 5 has its closing mark.
func (s *Text) htmlCloses(n *ast.HTMLBlock) bool {
	if n.HasClosure() {
		return true
	}
	mark := map[ast.HTMLBlockType][]string{
		ast.HTMLBlockType1: {"</script>", "</pre>", "</style>", "</textarea>"}, ast.HTMLBlockType2: {"-->"},
		ast.HTMLBlockType3: {"?>"}, ast.HTMLBlockType4: {">"}, ast.HTMLBlockType5: {"]]>"},
	}[n.HTMLBlockType]
	first := n.Lines().At(0)
	for _, m := range mark {
		if strings.Contains(strings.ToLower(string(first.Value(s.Bytes))), m) {
			return true
		}
	}
	return false
}

// blank overwrites a comment.
func (s *Text) blank(from, to int) {
	if s.clean == nil {
		s.clean = bytes.Clone(s.Bytes)
	}
	clear(s.clean[from:to])
}

// tidy takes away lines that held nothing but comments, and the blanks in
// front of a comment that ended its line.
func (s *Text) tidy() {
	for i, start := range s.Lines[:len(s.Lines)-1] {
		end := s.Lines[i+1] - 1 // of the line's text
		line := s.clean[start:end]
		if bytes.IndexByte(line, 0) < 0 {
			continue
		}
		kept := bytes.TrimRight(line, " \t\x00")
		switch {
		case len(bytes.TrimLeft(kept, " \t\x00")) == 0:
			s.blank(start, end+1)
		case s.clean[end] == '\n' && bytes.IndexByte(line[len(kept):], 0) >= 0:
			s.blank(start+len(kept), end)
		}
	}
}

// dedent gives the clean text from..to with up to cols columns of blanks taken
// off every line but the first.
func (s *Text) dedent(from, to, cols int) Span {
	if cols == 0 || strings.IndexByte(s.Raw[from:to-1], '\n') < 0 {
		return s.Span(from, to).Trim()
	}
	var b strings.Builder
	for at := from; at < to; at = s.NextLine(at) {
		line := s.Plain[at:min(s.NextLine(at), to)]
		if at != from {
			line = CutColumns(line, cols)
		}
		b.WriteString(line)
	}
	return Span{b.String(), from}.Trim()
}

// CutColumns takes up to cols columns of blanks off a line.
func CutColumns(line string, cols int) string {
	col := 0
	for i := range len(line) {
		switch c := line[i]; {
		case col >= cols:
			return strings.Repeat(" ", col-cols) + line[i:]
		case c == ' ':
			col++
		case c == '\t':
			col += 4 - col%4
		default:
			return line[i:]
		}
	}
	return ""
}

// Item gives the text of a list item as it was written, indentation removed.
func (s *Text) Item(n ast.Node) Span {
	first := n.FirstChild()
	if first == nil {
		return Span{"", n.Pos()}
	}
	cols := 0
	for a := n; a != nil; a = a.Parent() {
		if li, ok := a.(*ast.ListItem); ok {
			cols += li.Offset
		}
	}
	return s.dedent(first.Pos(), s.End(n), cols)
}

// Inert tells whether a block holds nothing but comments and rules.
func (s *Text) Inert(n ast.Node) bool {
	switch n.(type) {
	case *ast.ThematicBreak:
		return true
	case *ast.HTMLBlock:
		return Blank(s.Plain[n.Pos():s.End(n)])
	}
	return false
}

// FirstLine is the first line of a text, cut with "…" behind max bytes.
func FirstLine(s string, max int) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
		if i >= max {
			return s[:i] + "…"
		}
	}
	return s
}
