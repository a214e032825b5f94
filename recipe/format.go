package recipe

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// Format gives a recipe file in canonical form: headings, bullets, spacing,
// the order of keys, numbers and quotes are written one way; sections stay
// where they are; prose, scripts and comments stay as they are. What the
// recipe says does not change, and formatting twice changes nothing more. A
// section that would say something else in canonical form keeps its text. The
// error is a problem.List, as that of ParseContent.
func Format(file string, content []byte) ([]byte, error) {
	want, err := ParseNamed(file, content)
	if err != nil {
		return nil, err
	}
	src, _ := source.Parse(file, content)
	f := &formatting{Reader: dialect.NewReader(src), kept: map[string]bool{}}
	out := f.document()
	if says(out, want) {
		return []byte(out), nil
	}
	for name := range want.SectionsPresent {
		one := &formatting{Reader: f.Reader, kept: map[string]bool{}}
		for other := range want.SectionsPresent {
			one.kept[other] = other != name
		}
		f.kept[name] = !says(one.document(), want)
	}
	if out = f.document(); says(out, want) {
		return []byte(out), nil
	}
	return nil, errors.New("formatting would change what the recipe says: this is a mistake in cookoff; " +
		"the file was left as it is")
}

// says tells whether a recipe file says the same as want.
func says(text string, want *Recipe) bool {
	got, err := ParseContent([]byte(text))
	if err != nil {
		return false
	}
	a, b := *got, *want
	for _, r := range []*Recipe{&a, &b} {
		r.origins, r.source, r.files, r.paths, r.sections, r.beside = nil, "", nil, nil, nil, nil
	}
	return reflect.DeepEqual(a, b)
}

// gap says what stands between two pieces of the output.
type gap int

const (
	asWas gap = iota // an empty line where the source has any
	loose            // an empty line
	tight            // none
)

// formatting is one recipe being written in canonical form.
type formatting struct {
	*dialect.Reader
	kept map[string]bool // sections that are left as they are
	out  strings.Builder
	last int // offset behind the source of what was written last
}

// put writes a piece of the output that stands for the source from..to.
func (f *formatting) put(text string, from, to int, g gap) {
	if text == "" {
		return
	}
	if f.out.Len() > 0 {
		between := f.Raw[min(f.last, from):from]
		if g == loose || g == asWas && strings.Count(between, "\n") > 1 {
			f.out.WriteByte('\n')
		}
	}
	f.out.WriteString(text)
	f.out.WriteByte('\n')
	f.last = to
}

// text writes the source from..to as it is, without empty lines around it.
func (f *formatting) text(from, to int, g gap) {
	for from < to && source.Blank(f.Raw[from:min(f.NextLine(from), to)]) {
		from = f.NextLine(from)
	}
	if from >= to {
		return
	}
	s := strings.TrimRight(f.Raw[from:to], " \t\n")
	f.put(s, from, from+len(s), g)
}

// node writes a block as it is.
func (f *formatting) node(n ast.Node, g gap) { f.text(f.LineStart(n.Pos()), f.End(n), g) }

// document writes the whole file.
func (f *formatting) document() string {
	f.out.Reset()
	f.last = 0
	known := sectionTable()
	var sections []*dialect.Section
	var head []ast.Node
	for n := f.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level == 2:
			name := f.Heading(h)
			if len(sections) > 0 {
				sections[len(sections)-1].End = f.LineStart(n.Pos())
			}
			s := &dialect.Section{Name: strings.ToLower(name.Plain()), Title: f.headingText(h), Off: f.LineStart(n.Pos())}
			s.Start, s.End = f.NextLine(n.Pos()), len(f.Raw)
			sections = append(sections, s)
		case len(sections) == 0:
			head = append(head, n)
		default:
			s := sections[len(sections)-1]
			s.Nodes = append(s.Nodes, n)
		}
	}
	f.preamble(head)
	for _, s := range sections {
		i := slices.IndexFunc(known, func(k sectionSpec) bool { return strings.ToLower(k.name) == s.Name })
		title := known[i].name
		if strings.Contains(s.Title, "<!--") {
			title = s.Title
		}
		f.put("## "+title, s.Off, s.Start-1, loose)
		f.last = s.Start - 1
		if f.kept[s.Name] {
			f.text(s.Start, s.End, loose)
			continue
		}
		known[i].format(f, s)
	}
	return f.out.String()
}

// headingText gives the text of a heading as it was written.
func (f *formatting) headingText(h *ast.Heading) string {
	if h.Lines().Len() == 0 {
		return ""
	}
	seg := h.Lines().At(0)
	return trimBlanks(f.Raw[seg.Start:seg.Stop])
}

// preamble writes what stands before the first section.
func (f *formatting) preamble(nodes []ast.Node) {
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		from := f.LineStart(n.Pos())
		switch h, ok := n.(*ast.Heading); {
		case ok:
			f.put("# "+f.headingText(h), from, f.NextLine(n.Pos())-1, loose)
		case f.Inert(n):
			f.node(n, loose)
		default:
			var v int
			f.group([]ast.Node{n}, []dialect.Key{dialect.IntKey("version", &v, 1)}, layout{gap: loose})
		}
	}
}

// proseBody writes a section or block of prose.
func (f *formatting) proseBody(s *dialect.Section) { f.text(s.Start, s.End, loose) }

// listBody writes the items of a list section with one kind of bullet.
func (f *formatting) listBody(s *dialect.Section) { f.items(s.Nodes) }

func (f *formatting) items(nodes []ast.Node) {
	g := loose
	for _, n := range nodes {
		if !source.IsKind[*ast.List](n) {
			if g == tight {
				g = asWas
			}
			f.node(n, g)
			g = asWas
			continue
		}
		for it := n.FirstChild(); it != nil; it = it.NextSibling() {
			from := f.LineStart(it.FirstChild().Pos())
			to := from + len(strings.TrimRight(f.Raw[from:f.End(it)], " \t\n"))
			f.put("- "+f.itemText(it, "  "), from, to, g)
			g = tight
		}
	}
}

// itemText gives the text of an item as it was written, its further lines
// indented by indent.
func (f *formatting) itemText(it ast.Node, indent string) string {
	cols := 0
	for a := it; a != nil; a = a.Parent() {
		if li, ok := a.(*ast.ListItem); ok {
			cols += li.Offset
		}
	}
	from, to := it.FirstChild().Pos(), f.End(it)
	var b strings.Builder
	for at := from; at < to; at = f.NextLine(at) {
		line := f.Raw[at:min(f.NextLine(at), to)]
		if at != from {
			if line = source.CutColumns(line, cols); line != "\n" {
				b.WriteString(indent)
			}
		}
		b.WriteString(line)
	}
	return trimBlanks(b.String())
}

// mapBody writes a section that is one map.
func mapBody(keys func(*Recipe) []dialect.Key) func(*formatting, *dialect.Section) {
	return func(f *formatting, s *dialect.Section) {
		f.entryGroups(s.Nodes, func() []dialect.Key { return keys(&Recipe{}) }, layout{bullets: true, gap: loose})
	}
}

// mapBlocks writes a section of "### name" and a map.
func mapBlocks(keys func() []dialect.Key) func(*formatting, *dialect.Section) {
	return func(f *formatting, s *dialect.Section) {
		f.blocks(s, func(b dialect.SubBlock) { f.entryGroups(b.Nodes, keys, layout{bullets: true, gap: loose}) })
	}
}

// proseSections writes a section of "### name" and prose.
func (f *formatting) proseSections(s *dialect.Section) {
	f.blocks(s, func(b dialect.SubBlock) { f.text(b.Start, b.End, loose) })
}

// blocks writes the headings of a section's blocks, and what each writes.
func (f *formatting) blocks(s *dialect.Section, write func(dialect.SubBlock)) {
	before, bs := f.Reader.Blocks(s)
	f.items(before)
	for _, b := range bs {
		h := b.Heading
		f.put(strings.TrimRight("### "+f.headingText(h), " "), f.LineStart(h.Pos()), b.Start-1, loose)
		write(b)
	}
}

// reminders writes "### name", a map and a text.
func (f *formatting) reminders(s *dialect.Section) {
	f.mapsAndTexts(s, func() []dialect.Key { return reminderKeys(&SystemReminderConfig{}) })
}

// mapsAndTexts writes blocks of a map and a text.
func (f *formatting) mapsAndTexts(s *dialect.Section, keys func() []dialect.Key) {
	f.blocks(s, func(b dialect.SubBlock) {
		for i, n := range b.Nodes {
			if f.Inert(n) {
				f.node(n, loose)
				continue
			}
			f.group(b.Nodes[i:i+1], keys(), layout{gap: loose})
			f.text(f.End(n), b.End, loose)
			return
		}
	})
}

// tasks writes bullets, then blocks of a prompt, fences and keys.
func (f *formatting) tasks(s *dialect.Section) {
	f.blocks(s, func(b dialect.SubBlock) {
		tb := (&taskReader{Reader: f.Reader}).parts(b, "", &Task{})
		end := b.End
		if tb.rest < len(b.Nodes) {
			end = f.LineStart(b.Nodes[tb.rest].Pos())
		}
		f.text(b.Start, end, loose)
		f.entryGroups(b.Nodes[tb.rest:], func() []dialect.Key { return taskKeys(&Task{}) }, layout{gap: loose, then: asWas})
	})
}

// verify writes toml fences and what is said about them.
func (f *formatting) verify(s *dialect.Section) {
	g := loose
	for _, n := range s.Nodes {
		f.node(n, g)
		g = asWas
	}
}
