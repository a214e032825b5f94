package recipe

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// entry is one "key: value" line; items are those of a list nested below it.
type entry struct {
	key, val source.Span
	items    []source.Span
}

// keyOf gives the key that a line starts with, "" where it is no entry: a
// letter, then letters, digits, _ and -, then a colon and a blank.
func keyOf(line string) string {
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

// verbatim is the info string of a fence that holds prose as it is: for text
// that would mean something else if it stood in the open.
const verbatim = "text verbatim"

// entries reads the map dialect. hint goes with whatever is no entry.
func (p *reader) entries(nodes []ast.Node, hint string) (es []entry) {
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
			p.problem(n.Pos(), hint, "expected \"key: value\", found %s", kindName(n)).Kind = noKey(hint)
		}
	}
	return es
}

// entryLines reads a paragraph, one entry a line.
func (p *reader) entryLines(n ast.Node, hint string) (es []entry) {
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := p.Span(seg.Start, seg.Stop).Trim()
		if line.Text == "" {
			continue
		}
		n := len(keyOf(line.Text))
		if n == 0 {
			p.problem(line.Off, hint, "expected \"key: value\", found %q",
				source.FirstLine(line.Plain(), 40)).Kind = noKey(hint)
			continue
		}
		es = append(es, entry{key: line.Slice(0, n), val: line.From(n + 1).Trim()})
	}
	return es
}

// entryItem reads a bullet of a map: lines, then perhaps a list of values.
func (p *reader) entryItem(item ast.Node, hint string) (es []entry) {
	if item.FirstChild() == nil {
		p.problem(item.Pos(), "", "an empty bullet")
	}
	for c := item.FirstChild(); c != nil; c = c.NextSibling() {
		list, ok := c.(*ast.List)
		switch {
		case p.Inert(c):
		case source.IsKind[*ast.Paragraph](c) || source.IsKind[*ast.TextBlock](c):
			es = append(es, p.entryLines(c, hint)...)
		case ok && len(es) > 0 && es[len(es)-1].val.Text == "":
			for it := list.FirstChild(); it != nil; it = it.NextSibling() {
				es[len(es)-1].items = append(es[len(es)-1].items, p.Item(it))
			}
		default:
			p.problem(c.Pos(), hint, "expected \"key: value\", found %s", kindName(c)).Kind = noKey(hint)
		}
	}
	return es
}

// items reads the list dialect: the text of every bullet.
func (p *reader) items(nodes []ast.Node) (items []source.Span) {
	for _, n := range nodes {
		switch {
		case p.Inert(n):
		case source.IsKind[*ast.List](n):
			for it := n.FirstChild(); it != nil; it = it.NextSibling() {
				if v := p.Item(it); v.Text == "" {
					p.problem(it.Pos(), "", "an empty bullet")
				} else {
					items = append(items, v)
				}
			}
		default:
			p.problem(n.Pos(), "start each with \"- \"", "expected a list, found %s", kindName(n)).Kind = problem.Unexpected
		}
	}
	return items
}

// prose reads raw Markdown, or the one verbatim fence that stands for it.
func (p *reader) prose(b block) string {
	var only *ast.FencedCodeBlock
	for _, n := range b.nodes {
		if p.Inert(n) && !source.IsKind[*ast.ThematicBreak](n) {
			continue
		}
		f, ok := n.(*ast.FencedCodeBlock)
		if !ok || only != nil || p.Info(f).Text != verbatim {
			p.noVerbatim(b.nodes)
			return p.Span(b.start, b.end).Trim().Plain()
		}
		only = f
	}
	if only == nil {
		return ""
	}
	return p.Fence(only)
}

// noVerbatim reports verbatim fences that do not stand alone: what is around
// them would be lost, or the fence would reach a model.
func (p *reader) noVerbatim(nodes []ast.Node) {
	for _, n := range nodes {
		if f, ok := n.(*ast.FencedCodeBlock); ok && p.Info(f).Text == verbatim {
			p.problem(n.Pos(), "move the text beside it into the fence", "a %q fence must be all of its text", verbatim)
		}
	}
}

// subBlock is a "### name" and what is below it.
type subBlock struct {
	name    source.Span
	heading *ast.Heading
	block
}

// blocks splits a section at its "### " headings. before holds what stands
// above the first.
func (p *reader) blocks(s *section) (before []ast.Node, bs []subBlock) {
	for _, n := range s.nodes {
		if h, ok := n.(*ast.Heading); ok && h.Level == 3 {
			if len(bs) > 0 {
				bs[len(bs)-1].end = p.LineStart(n.Pos())
			}
			bs = append(bs, subBlock{p.heading(h), h, block{start: p.NextLine(n.Pos()), end: s.end}})
			continue
		}
		if len(bs) == 0 {
			before = append(before, n)
			continue
		}
		bs[len(bs)-1].nodes = append(bs[len(bs)-1].nodes, n)
	}
	return before, bs
}

// named gives the blocks of a section whose blocks need names of their own.
func (p *reader) named(s *section, what string) []subBlock {
	before, bs := p.blocks(s)
	for _, n := range before {
		if !p.Inert(n) {
			p.problem(n.Pos(), "start with \"### "+what+"\"", "expected \"### %s\", found %s", what,
				kindName(n)).Kind = problem.Unexpected
		}
	}
	seen := map[string]int{}
	for _, b := range bs {
		name := b.name.Plain()
		if name == "" {
			p.problem(b.name.Off, "write \"### "+what+"\"", "a heading without a name")
		} else if first, dup := seen[name]; dup {
			p.problem(b.name.Off, "", "%s %q appears twice: first at line %d", what, name, first).Kind = problem.Twice
		} else {
			seen[name] = p.Pos(b.name.Off).Line
		}
	}
	return bs
}

// proseBlocks reads a section of "### name" and prose.
func (p *reader) proseBlocks(s *section, what string) map[string]string {
	texts := map[string]string{}
	for _, b := range p.named(s, what) {
		text := p.prose(b.block)
		if text == "" {
			p.problem(b.name.Off, "", "%s %q has no text", what, b.name.Plain())
		}
		texts[b.name.Plain()] = text
		p.origin(sectionKey(s.name)+"."+b.name.Plain(), b.name.Off)
	}
	return texts
}

// unquote takes the quotes off a value that is quoted as a whole: "…" with
// the escapes of JSON, '…' with none.
func (p *reader) unquote(v source.Span) source.Span {
	if len(v.Text) < 2 || (v.Text[0] != '"' && v.Text[0] != '\'') || closing(v.Text) != len(v.Text)-1 {
		return v
	}
	if v.Text[0] == '\'' {
		return v.Slice(1, len(v.Text)-1)
	}
	var s string
	if err := json.Unmarshal([]byte(v.Plain()), &s); err != nil {
		p.problem(v.Off,
			`in double quotes write \\ for a backslash and \" for a quote; single quotes take all as it is`,
			"%s is no well-formed quoted text", v.Plain())
		return v
	}
	if strings.ContainsRune(s, 0) {
		p.problem(v.Off, "", "a NUL byte in a value").Kind = problem.Unreadable
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

// skipQuoted gives the index behind the quoted text that starts at s[i], or
// i+1 where none does. A quote opens at the start of a word only, so that an
// apostrophe is none.
func skipQuoted(s string, i int) int {
	if (s[i] == '"' || s[i] == '\'') && (i == 0 || strings.IndexByte(" \t\x00=(,:[{", s[i-1]) >= 0) {
		if j := closing(s[i:]); j > 0 {
			return i + j + 1
		}
	}
	return i + 1
}

// uncomment cuts a " # comment" off a value.
func uncomment(v source.Span) source.Span {
	for i := 0; i < len(v.Text); i = skipQuoted(v.Text, i) {
		if v.Text[i] == '#' && (i == 0 || v.Text[i-1] == ' ' || v.Text[i-1] == '\t') {
			return v.Slice(0, i).Trim()
		}
	}
	return v.Trim()
}

// split cuts a list at its commas, but not inside quotes, braces or brackets.
func split(v source.Span) (parts []source.Span) {
	depth, from := 0, 0
	for i := 0; i < len(v.Text); i = skipQuoted(v.Text, i) {
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

func kindName(n ast.Node) string {
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

// section is one "## Name" and the blocks below it.
type section struct {
	name  string // lower case
	title string // as written
	off   int    // of the name
	block
}

// block is a run of sibling Markdown blocks and the text they cover.
type block struct {
	nodes      []ast.Node
	start, end int
}

// sectionKey is the first part of the origin keys of a section.
func sectionKey(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

// heading gives the text of a heading, comments and quotes removed.
func (p *reader) heading(h *ast.Heading) source.Span {
	if h.Lines().Len() == 0 {
		return source.Span{Text: "", Off: h.Pos()}
	}
	seg := h.Lines().At(0)
	return p.unquote(p.Span(seg.Start, seg.Stop).Trim())
}

// keysThenText is the next step where text follows keys at once.
const keysThenText = "put an empty line between the keys and the text"

// mapThenProse splits a block behind its first paragraph or list, which is its map.
func (p *reader) mapThenProse(b subBlock) (es []entry, rest block) {
	for i, n := range b.nodes {
		if p.Inert(n) {
			continue
		}
		if source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n) {
			es = p.entries([]ast.Node{n}, keysThenText)
			return es, block{b.nodes[i+1:], p.End(n), b.end}
		}
		return nil, block{b.nodes[i:], p.LineStart(n.Pos()), b.end}
	}
	return nil, block{start: b.end, end: b.end}
}
