package recipe

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/canonical"
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
	f := &formatting{Writer: canonical.NewWriter(dialect.NewReader(src)), kept: map[string]bool{}}
	out := f.document()
	if says(out, want) {
		return []byte(out), nil
	}
	for name := range want.SectionsPresent {
		one := &formatting{Writer: canonical.NewWriter(f.Reader), kept: map[string]bool{}}
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

// formatting is one recipe being written in canonical form.
type formatting struct {
	*canonical.Writer
	kept map[string]bool // sections that are left as they are
}

// document writes the whole file.
func (f *formatting) document() string {
	f.Begin()
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
			s := &dialect.Section{Name: strings.ToLower(name.Plain()), Title: f.HeadingText(h), Off: f.LineStart(n.Pos())}
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
		f.Put("## "+title, s.Off, s.Start-1, canonical.Loose)
		if f.kept[s.Name] {
			f.Copy(s.Start, s.End, canonical.Loose)
			continue
		}
		known[i].format(f, s)
	}
	return f.Written()
}

// preamble writes what stands before the first section.
func (f *formatting) preamble(nodes []ast.Node) {
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		from := f.LineStart(n.Pos())
		switch h, ok := n.(*ast.Heading); {
		case ok:
			f.Put("# "+f.HeadingText(h), from, f.NextLine(n.Pos())-1, canonical.Loose)
		case f.Inert(n):
			f.Node(n, canonical.Loose)
		default:
			var v int
			f.Group([]ast.Node{n}, []dialect.Key{dialect.IntKey("version", &v, 1)}, canonical.Layout{Gap: canonical.Loose})
		}
	}
}

// proseBody writes a section or block of prose.
func (f *formatting) proseBody(s *dialect.Section) { f.Copy(s.Start, s.End, canonical.Loose) }

// listBody writes the items of a list section with one kind of bullet.
func (f *formatting) listBody(s *dialect.Section) { f.ListItems(s.Nodes) }

// mapBody writes a section that is one map.
func mapBody(keys func(*Recipe) []dialect.Key) func(*formatting, *dialect.Section) {
	return func(f *formatting, s *dialect.Section) {
		f.EntryGroups(s.Nodes, func() []dialect.Key { return keys(&Recipe{}) },
			canonical.Layout{Bullets: true, Gap: canonical.Loose})
	}
}

// mapBlocks writes a section of "### name" and a map.
func mapBlocks(keys func() []dialect.Key) func(*formatting, *dialect.Section) {
	return func(f *formatting, s *dialect.Section) {
		f.EachBlock(s, func(b dialect.SubBlock) {
			f.EntryGroups(b.Nodes, keys, canonical.Layout{Bullets: true, Gap: canonical.Loose})
		})
	}
}

// proseSections writes a section of "### name" and prose.
func (f *formatting) proseSections(s *dialect.Section) {
	f.EachBlock(s, func(b dialect.SubBlock) { f.Copy(b.Start, b.End, canonical.Loose) })
}

// reminders writes "### name", a map and a text.
func (f *formatting) reminders(s *dialect.Section) {
	f.mapsAndTexts(s, func() []dialect.Key { return reminderKeys(&SystemReminderConfig{}) })
}

// mapsAndTexts writes blocks of a map and a text.
func (f *formatting) mapsAndTexts(s *dialect.Section, keys func() []dialect.Key) {
	f.EachBlock(s, func(b dialect.SubBlock) {
		for i, n := range b.Nodes {
			if f.Inert(n) {
				f.Node(n, canonical.Loose)
				continue
			}
			f.Group(b.Nodes[i:i+1], keys(), canonical.Layout{Gap: canonical.Loose})
			f.Copy(f.End(n), b.End, canonical.Loose)
			return
		}
	})
}

// tasks writes bullets, then blocks of a prompt, fences and keys.
func (f *formatting) tasks(s *dialect.Section) {
	f.EachBlock(s, func(b dialect.SubBlock) {
		tb := (&taskReader{Reader: f.Reader}).parts(b, "", &Task{})
		end := b.End
		if tb.rest < len(b.Nodes) {
			end = f.LineStart(b.Nodes[tb.rest].Pos())
		}
		f.Copy(b.Start, end, canonical.Loose)
		f.EntryGroups(b.Nodes[tb.rest:], func() []dialect.Key { return taskKeys(&Task{}) },
			canonical.Layout{Gap: canonical.Loose, Then: canonical.AsWas})
	})
}

// verify writes toml fences and what is said about them.
func (f *formatting) verify(s *dialect.Section) {
	g := canonical.Loose
	for _, n := range s.Nodes {
		f.Node(n, g)
		g = canonical.AsWas
	}
}
