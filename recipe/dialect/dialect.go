// Package dialect reads and writes what the sections of a recipe are made of: blocks, entries,
// lists, and the values of keys.
package dialect

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// Entry is one "key: value" line; items are those of a list nested below it.
type Entry struct {
	Key, Val source.Span
	items    []source.Span
}

// KeyOf gives the key that a line starts with, "" where it is no entry: a
// letter, then letters, digits, _ and -, then a colon and a blank.
func KeyOf(line string) string {
	for i := range len(line) {
		c := line[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case letter || i > 0 && (c >= '0' && c <= '9' || c == '_' || c == '-'):
		case c == ':' && i > 0 && (i+1 == len(line) || strings.IndexByte(" \t\x00", line[i+1]) >= 0):
			return line[:i]
		default:
			return ""
		}
	}
	return ""
}

// Verbatim is the info string of a fence that holds prose as it is: for text
// that would mean something else if it stood in the open.
const Verbatim = "text verbatim"

// Entries reads the map dialect. hint goes with whatever is no entry.
func (p *Reader) Entries(nodes []ast.Node, hint string) (es []Entry) {
	for _, n := range nodes {
		switch {
		case p.Inert(n):
		case source.IsKind[*ast.Paragraph](n):
			es = append(es, p.entryLines(n, hint)...)
		case source.IsKind[*ast.List](n):
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				es = append(es, p.entryItem(item, hint)...)
			}
		default:
			p.Problem(n.Pos(), hint, "expected \"key: value\", found %s", KindName(n)).Kind = noKey(hint)
		}
	}
	return es
}

// entryLines reads a paragraph, one entry a line.
func (p *Reader) entryLines(n ast.Node, hint string) (es []Entry) {
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := p.Span(seg.Start, seg.Stop).Trim()
		if line.Text == "" {
			continue
		}
		n := len(KeyOf(line.Text))
		if n == 0 {
			p.Problem(line.Off, hint, "expected \"key: value\", found %q",
				source.FirstLine(line.Plain(), 40)).Kind = noKey(hint)
			continue
		}
		es = append(es, Entry{Key: line.Slice(0, n), Val: line.From(n + 1).Trim()})
	}
	return es
}

// entryItem reads a bullet of a map: lines, then perhaps a list of values.
func (p *Reader) entryItem(item ast.Node, hint string) (es []Entry) {
	if item.FirstChild() == nil {
		p.Problem(item.Pos(), "", "an empty bullet")
	}
	for c := item.FirstChild(); c != nil; c = c.NextSibling() {
		list, ok := c.(*ast.List)
		switch {
		case p.Inert(c):
		case source.IsKind[*ast.Paragraph](c) || source.IsKind[*ast.TextBlock](c):
			es = append(es, p.entryLines(c, hint)...)
		case ok && len(es) > 0 && es[len(es)-1].Val.Text == "":
			for it := list.FirstChild(); it != nil; it = it.NextSibling() {
				es[len(es)-1].items = append(es[len(es)-1].items, p.Item(it))
			}
		default:
			p.Problem(c.Pos(), hint, "expected \"key: value\", found %s", KindName(c)).Kind = noKey(hint)
		}
	}
	return es
}

// Items reads the list dialect: the text of every bullet.
func (p *Reader) Items(nodes []ast.Node) (items []source.Span) {
	for _, n := range nodes {
		switch {
		case p.Inert(n):
		case source.IsKind[*ast.List](n):
			for it := n.FirstChild(); it != nil; it = it.NextSibling() {
				if v := p.Item(it); v.Text == "" {
					p.Problem(it.Pos(), "", "an empty bullet")
				} else {
					items = append(items, v)
				}
			}
		default:
			p.Problem(n.Pos(), "start each with \"- \"", "expected a list, found %s", KindName(n)).Kind = problem.Unexpected
		}
	}
	return items
}

// Prose reads raw Markdown, or the one verbatim fence that stands for it.
func (p *Reader) Prose(b Block) string {
	var only *ast.FencedCodeBlock
	for _, n := range b.Nodes {
		if p.Inert(n) && !source.IsKind[*ast.ThematicBreak](n) {
			continue
		}
		f, ok := n.(*ast.FencedCodeBlock)
		if !ok || only != nil || p.Info(f).Text != Verbatim {
			p.NoVerbatim(b.Nodes)
			return p.Span(b.Start, b.End).Trim().Plain()
		}
		only = f
	}
	if only == nil {
		return ""
	}
	return p.Fence(only)
}

// NoVerbatim reports verbatim fences that do not stand alone: what is around
// them would be lost, or the fence would reach a model.
func (p *Reader) NoVerbatim(nodes []ast.Node) {
	for _, n := range nodes {
		if f, ok := n.(*ast.FencedCodeBlock); ok && p.Info(f).Text == Verbatim {
			p.Problem(n.Pos(), "move the text beside it into the fence", "a %q fence must be all of its text", Verbatim)
		}
	}
}

// SubBlock is a "### name" and what is below it.
type SubBlock struct {
	Name    source.Span
	Heading *ast.Heading
	Block
}

// Blocks splits a section at its "### " headings. before holds what stands
// above the first.
func (p *Reader) Blocks(s *Section) (before []ast.Node, bs []SubBlock) {
	for _, n := range s.Nodes {
		if h, ok := n.(*ast.Heading); ok && h.Level == 3 {
			if len(bs) > 0 {
				bs[len(bs)-1].End = p.LineStart(n.Pos())
			}
			bs = append(bs, SubBlock{p.Heading(h), h, Block{Start: p.NextLine(n.Pos()), End: s.End}})
			continue
		}
		if len(bs) == 0 {
			before = append(before, n)
			continue
		}
		bs[len(bs)-1].Nodes = append(bs[len(bs)-1].Nodes, n)
	}
	return before, bs
}

// Named gives the blocks of a section whose blocks need names of their own.
func (p *Reader) Named(s *Section, what string) []SubBlock {
	before, bs := p.Blocks(s)
	for _, n := range before {
		if !p.Inert(n) {
			p.Problem(n.Pos(), "start with \"### "+what+"\"", "expected \"### %s\", found %s", what,
				KindName(n)).Kind = problem.Unexpected
		}
	}
	seen := map[string]int{}
	for _, b := range bs {
		name := b.Name.Plain()
		if name == "" {
			p.Problem(b.Name.Off, "write \"### "+what+"\"", "a heading without a name")
		} else if first, dup := seen[name]; dup {
			p.Problem(b.Name.Off, "", "%s %q appears twice: first at line %d", what, name, first).Kind = problem.Twice
		} else {
			seen[name] = p.Pos(b.Name.Off).Line
		}
	}
	return bs
}

// ProseBlocks reads a section of "### name" and prose.
func (p *Reader) ProseBlocks(s *Section, what string) map[string]string {
	texts := map[string]string{}
	for _, b := range p.Named(s, what) {
		text := p.Prose(b.Block)
		if text == "" {
			p.Problem(b.Name.Off, "", "%s %q has no text", what, b.Name.Plain())
		}
		texts[b.Name.Plain()] = text
		p.Origin(SectionKey(s.Name)+"."+b.Name.Plain(), b.Name.Off)
	}
	return texts
}

// Unquote takes the quotes off a value that is quoted as a whole: "…" with
// the escapes of JSON, '…' with none.
func (p *Reader) Unquote(v source.Span) source.Span {
	if len(v.Text) < 2 || (v.Text[0] != '"' && v.Text[0] != '\'') || closing(v.Text) != len(v.Text)-1 {
		return v
	}
	if v.Text[0] == '\'' {
		return v.Slice(1, len(v.Text)-1)
	}
	var s string
	if err := json.Unmarshal([]byte(v.Plain()), &s); err != nil {
		p.Problem(v.Off,
			`in double quotes write \\ for a backslash and \" for a quote; single quotes take all as it is`,
			"%s is no well-formed quoted text", v.Plain())
		return v
	}
	if strings.ContainsRune(s, 0) {
		p.Problem(v.Off, "", "a NUL byte in a value").Kind = problem.Unreadable
	}
	return source.Span{Text: s, Off: v.Off}
}

// closing gives the index of the quote that closes the one s starts with, or -1.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i
		case s[i] == '\\' && s[0] == '"':
			i++
		}
	}
	return -1
}

// SkipQuoted gives the index behind the quoted text that starts at s[i], or
// i+1 where none does. A quote opens at the start of a word only, so that an
// apostrophe is none.
func SkipQuoted(s string, i int) int {
	if (s[i] == '"' || s[i] == '\'') && (i == 0 || strings.IndexByte(" \t\x00=(,:[{", s[i-1]) >= 0) {
		if j := closing(s[i:]); j > 0 {
			return i + j + 1
		}
	}
	return i + 1
}

// Uncomment cuts a " # comment" off a value.
func Uncomment(v source.Span) source.Span {
	for i := 0; i < len(v.Text); i = SkipQuoted(v.Text, i) {
		if v.Text[i] == '#' && (i == 0 || v.Text[i-1] == ' ' || v.Text[i-1] == '\t') {
			return v.Slice(0, i).Trim()
		}
	}
	return v.Trim()
}

// Split cuts a list at its commas, but not inside quotes, braces or brackets.
func Split(v source.Span) (parts []source.Span) {
	depth, from := 0, 0
	for i := 0; i < len(v.Text); i = SkipQuoted(v.Text, i) {
		switch v.Text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, v.Slice(from, i).Trim())
				from = i + 1
			}
		}
	}
	return append(parts, v.From(from).Trim())
}

// noKey is the kind of a problem where a key was to be, by the next step for it.
func noKey(hint string) problem.Kind {
	if hint == keysThenText {
		return problem.TextAtKeys
	}
	return problem.Unexpected
}

func KindName(n ast.Node) string {
	switch n.(type) {
	case *ast.Heading:
		return "a heading"
	case *ast.FencedCodeBlock:
		return "a fence"
	case *ast.CodeBlock:
		return "an indented code block"
	case *ast.List:
		return "a list"
	case *ast.Blockquote:
		return "a quotation"
	case *ast.HTMLBlock:
		return "HTML"
	}
	return "text"
}

// Section is one "## Name" and the blocks below it.
type Section struct {
	Name  string // lower case
	Title string // as written
	Off   int    // of the name
	Block
}

// Block is a run of sibling Markdown blocks and the text they cover.
type Block struct {
	Nodes      []ast.Node
	Start, End int
}

// SectionKey is the first part of the origin keys of a section.
func SectionKey(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

// Heading gives the text of a heading, comments and quotes removed.
func (p *Reader) Heading(h *ast.Heading) source.Span {
	if h.Lines().Len() == 0 {
		return source.Span{Text: "", Off: h.Pos()}
	}
	seg := h.Lines().At(0)
	return p.Unquote(p.Span(seg.Start, seg.Stop).Trim())
}

// keysThenText is the next step where text follows keys at once.
const keysThenText = "put an empty line between the keys and the text"

// MapThenProse splits a block behind its first paragraph or list, which is its map.
func (p *Reader) MapThenProse(b SubBlock) (es []Entry, rest Block) {
	for i, n := range b.Nodes {
		if p.Inert(n) {
			continue
		}
		if source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n) {
			es = p.Entries([]ast.Node{n}, keysThenText)
			return es, Block{b.Nodes[i+1:], p.End(n), b.End}
		}
		return nil, Block{b.Nodes[i:], p.LineStart(n.Pos()), b.End}
	}
	return nil, Block{Start: b.End, End: b.End}
}
