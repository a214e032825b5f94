package canonical

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// Layout says how the entries of a map are laid out.
type Layout struct {
	Bullets bool
	Gap     Gap // before the first piece
	Then    Gap // before the others
}

// EntryGroups writes the entries among nodes, those that nothing parts in the
// order of the table; what is no entry as it is.
func (w *Writer) EntryGroups(nodes []ast.Node, keys func() []dialect.Key, l Layout) {
	isMap := func(n ast.Node) bool { return source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n) }
	for i := 0; i < len(nodes); {
		j := i + 1
		if !isMap(nodes[i]) {
			w.Node(nodes[i], l.Gap)
		} else {
			for j < len(nodes) && isMap(nodes[j]) {
				j++
			}
			w.Group(nodes[i:j], keys(), l)
		}
		i, l.Gap = j, l.Then
	}
}

// formEntry is an entry in canonical form.
type formEntry struct {
	rank int // of its key in the table
	text string
	list bool // has a list nested below it
}

// Group writes the entries of paragraphs and lists that stand together, or
// the nodes as they are where a comment stands in the way.
func (w *Writer) Group(nodes []ast.Node, keys []dialect.Key, l Layout) {
	var es []formEntry
	for _, n := range nodes {
		found, ok := w.formEntries(n, keys)
		if !ok {
			for _, n := range nodes {
				w.Node(n, l.Gap)
				l.Gap = AsWas
			}
			return
		}
		es = append(es, found...)
	}
	slices.SortStableFunc(es, func(a, b formEntry) int { return a.rank - b.rank })
	bullet := ""
	if l.Bullets || slices.ContainsFunc(es, func(e formEntry) bool { return e.list }) {
		bullet = "- "
	}
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = bullet + e.text
	}
	from, to := w.LineStart(nodes[0].Pos()), w.End(nodes[len(nodes)-1])
	w.Put(strings.Join(lines, "\n"), from, from+len(strings.TrimRight(w.Raw[from:to], " \t\n")), l.Gap)
}

// formEntries reads the entries of a paragraph or list. ok is false where
// they can't be taken apart without losing a comment.
func (w *Writer) formEntries(n ast.Node, keys []dialect.Key) (es []formEntry, ok bool) {
	if source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.TextBlock](n) {
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			e, ok := w.formEntry(w.Span(seg.Start, seg.Stop), keys)
			if !ok {
				return nil, false
			}
			es = append(es, e)
		}
		return es, true
	}
	for it := n.FirstChild(); it != nil; it = it.NextSibling() {
		for c := it.FirstChild(); c != nil; c = c.NextSibling() {
			if list, isList := c.(*ast.List); isList && len(es) > 0 && strings.HasSuffix(es[len(es)-1].text, ":") {
				last := &es[len(es)-1]
				last.list = true
				for sub := list.FirstChild(); sub != nil; sub = sub.NextSibling() {
					last.text += "\n  - " + w.ItemText(sub, "    ")
				}
				continue
			}
			if !source.IsKind[*ast.Paragraph](c) && !source.IsKind[*ast.TextBlock](c) {
				return nil, false
			}
			found, ok := w.formEntries(c, keys)
			if !ok {
				return nil, false
			}
			es = append(es, found...)
		}
	}
	return es, true
}

// formEntry writes one line of a map.
func (w *Writer) formEntry(whole source.Span, keys []dialect.Key) (formEntry, bool) {
	raw := w.Raw[whole.Off : whole.Off+len(whole.Text)]
	line := whole.Trim()
	n := len(dialect.KeyOf(line.Text))
	opened, closed := strings.Count(raw, "<!--"), strings.Count(raw, "-->")
	if n == 0 || opened != closed || !source.Blank(w.Raw[whole.Off:line.Off]) {
		return formEntry{}, false
	}
	name := line.Text[:n]
	rank := slices.IndexFunc(keys, func(k dialect.Key) bool { return k.Name == name })
	if rank < 0 {
		return formEntry{}, false
	}
	e := dialect.Entry{Key: line.Slice(0, n), Val: line.From(n + 1).Trim()}
	text := name + ":"
	if v := w.formValue(e, keys[rank]); v != "" {
		text += " " + v
	}
	if tail := trimBlanks(w.Raw[line.Off+len(line.Text) : whole.Off+len(whole.Text)]); tail != "" {
		text += " " + tail
	}
	return formEntry{rank: rank, text: text}, true
}

// formValue writes a value as MarshalMarkdown does, its comment behind it.
// What is no more than the default, and what needs quotes, stays as it is.
func (w *Writer) formValue(e dialect.Entry, k dialect.Key) string {
	bare := dialect.Uncomment(e.Val)
	raw := w.Raw[e.Val.Off : e.Val.Off+len(e.Val.Text)]
	if bare.Text == "" || strings.ContainsRune(e.Val.Text, 0) {
		return raw
	}
	p := dialect.NewReader(w.Text)
	k.Read(p, e, source.Slot{At: k.Name})
	shown := k.Show()
	if shown == "" || len(p.Problems) > 0 || strings.HasPrefix(shown, `"`) && strings.ContainsAny(bare.Text[:1], `"'`) {
		shown = raw[:len(bare.Text)]
	}
	if comment := trimBlanks(raw[len(bare.Text):]); comment != "" {
		shown += " " + comment
	}
	return shown
}

// trimBlanks trims what is blank in Markdown, which is less than what is in
// Unicode.
func trimBlanks(s string) string { return strings.Trim(s, " \t\n") }
