// Package markdown takes apart what models write in Markdown, for panels of a terminal:
// lines, and how their text is to be drawn. Only marks are left out of it. Links, HTML
// and entities stay as they were written, so that nothing is hidden behind a text, and
// harmless text stays harmless.
package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Style is how text is to be drawn.
type Style int

// How text is drawn: as it is, as a heading, strong, with emphasis, as code within a
// line, as a line of code.
const (
	Plain Style = iota
	Heading
	Strong
	Emphasis
	Code
	Block
)

// Span is text of one style.
type Span struct {
	Text  string
	Style Style
}

// Line is a line of text, and what stands before it. A blank line has no spans.
type Line struct {
	First, Rest string // before it, and before what it goes on with where it is wrapped
	Spans       []Span
}

// deepest is how many levels of lists and quotations are moved in.
const deepest = 6

// marks reads the parts of Markdown that are drawn.
func marks() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(asterisks{parser.NewEmphasisParser()}, 500)))
}

// asterisks reads emphasis that asterisks make: underscores stand in names and addresses,
// as __init__.py.
type asterisks struct{ parser.InlineParser }

// Trigger is what emphasis begins with.
func (asterisks) Trigger() []byte { return []byte{'*'} }

// Parse takes lines of harmless text apart.
func Parse(lines []string) []Line {
	if slices.ContainsFunc(lines, tooDeep) {
		return plain(lines)
	}
	d := &drawing{source: []byte(strings.Join(lines, "\n"))}
	d.blocks(marks().Parse(source.NewReader(d.source)))
	return d.lines
}

// tooDeep reports whether a line quotes deeper than anybody reads: the parser would take
// the square of that.
func tooDeep(line string) bool {
	head := line[:len(line)-len(strings.TrimLeft(line, "> -+*.)0123456789"))]
	return strings.Count(head, ">") > 64
}

// plain gives lines as they are.
func plain(lines []string) []Line {
	out := make([]Line, len(lines))
	for i, s := range lines {
		out[i].Spans = joined([]Span{{Text: s}})
	}
	return out
}

// drawing is a text that is taken apart.
type drawing struct {
	source []byte
	lines  []Line
	lead   string // before the next line
	rest   string // before those behind it
	depth  int
}

// blocks takes what a block holds.
func (d *drawing) blocks(of ast.Node) {
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		d.blank(n)
		d.block(n)
	}
}

// blank leaves a line blank before a block that stands apart from the one before.
func (d *drawing) blank(n ast.Node) {
	before := n.PreviousSibling()
	if before == nil || !n.HasBlankPreviousLines() {
		return
	}
	// The parser says so of all that follows a fence.
	if p, ok := n.(*ast.Paragraph); ok && before.Kind() == ast.KindFencedCodeBlock && p.Lines().Len() > 0 {
		above := d.source[:max(bytes.LastIndexByte(d.source[:p.Lines().At(0).Start], '\n'), 0)]
		if len(bytes.Trim(above[bytes.LastIndexByte(above, '\n')+1:], " >")) > 0 {
			return
		}
	}
	d.lines = append(d.lines, Line{First: d.rest})
}

func (d *drawing) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		d.inline(n, Heading)
	case *ast.ThematicBreak:
		d.line(Span{Text: "───"})
	case *ast.Blockquote:
		d.within("│ ", "│ ", n)
	case *ast.List:
		d.list(n)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		d.code(n)
	default:
		d.inline(n, Plain)
	}
}

// code takes the lines of a block of code, moved in.
func (d *drawing) code(n ast.Node) {
	lead, rest := d.lead, d.rest
	d.lead, d.rest = lead+"  ", rest+"  "
	at := n.Lines()
	for i := range at.Len() {
		seg := at.At(i)
		d.line(joined([]Span{{strings.TrimRight(string(seg.Value(d.source)), "\n"), Block}})...)
	}
	if d.rest = rest; at.Len() > 0 {
		lead = rest
	}
	d.lead = lead
}

// list takes the items of a list, each behind its mark.
func (d *drawing) list(l *ast.List) {
	number := l.Start
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		d.blank(n)
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, l.Marker)
			number++
		}
		d.within(mark, strings.Repeat(" ", len([]rune(mark))), n)
	}
}

// within takes what a block holds, with text before its first line, and before the others.
func (d *drawing) within(first, rest string, n ast.Node) {
	lead, before, deep := d.lead, d.rest, d.depth >= deepest
	if d.depth++; deep {
		first, rest = "", ""
	}
	d.lead, d.rest = lead+first, before+rest
	if n.HasChildren() {
		d.blocks(n)
	} else {
		d.line()
	}
	d.lead, d.rest = before, before
	d.depth--
}

// line ends a line. Behind the first of a block the others begin as rest does.
func (d *drawing) line(spans ...Span) {
	d.lines = append(d.lines, Line{d.lead, d.rest, spans})
	d.lead = d.rest
}

// inline takes the text of a block, which may be of several lines.
func (d *drawing) inline(n ast.Node, style Style) {
	var spans []Span
	var walk func(ast.Node, Style)
	walk = func(of ast.Node, style Style) {
		for c := of.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				spans = append(spans, d.span(c, style))
				if c.SoftLineBreak() || c.HardLineBreak() {
					d.line(joined(spans)...)
					spans = nil
				}
			case *ast.Emphasis:
				walk(c, emphasized(style, c.Level))
			case *ast.CodeSpan:
				spans = append(spans, d.quoted(c))
			default:
				walk(c, style)
			}
		}
	}
	walk(n, style)
	d.line(joined(spans)...)
}

// span is a piece of text. A mark that combines with the letter before it stays behind
// where what stood between them is gone.
func (d *drawing) span(t *ast.Text, style Style) Span {
	words := string(util.UnescapePunctuations(t.Segment.Value(d.source)))
	return Span{strings.TrimLeftFunc(words, unicode.IsMark), style}
}

// quoted is the text of a code span, which may be of several lines.
func (d *drawing) quoted(n ast.Node) Span {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(strings.ReplaceAll(string(t.Segment.Value(d.source)), "\n", " "))
		}
	}
	return Span{strings.TrimLeftFunc(b.String(), unicode.IsMark), Code}
}

// emphasized is the style of what stands within asterisks, so many on each side.
func emphasized(style Style, level int) Style {
	switch {
	case style == Heading:
		return Heading
	case level > 1 || style == Strong:
		return Strong
	}
	return Emphasis
}

// joined makes one span of neighbours of one style, and leaves out empty ones.
func joined(spans []Span) (out []Span) {
	for _, s := range spans {
		switch last := len(out) - 1; {
		case s.Text == "":
		case last >= 0 && out[last].Style == s.Style && s.Style != Code:
			out[last].Text += s.Text
		default:
			out = append(out, s)
		}
	}
	return out
}
