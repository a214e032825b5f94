package blocks

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// Fence reads the verify blocks of a toml fence: [verify], [[verify]],
// or the keys of one block alone. They are the blocks from number first on of
// those that stand at key. B is a struct whose fields have toml tags: texts, lists of texts,
// booleans, *int, and lists of such structs.
func Fence[B any](p *dialect.Reader, f *ast.FencedCodeBlock, key source.Slot, first int) []B {
	d := &tomlTable{p: p, body: p.Fence(f) + "\n", lines: p.FenceLines(f)}
	if err := d.parse(); err != nil {
		off, msg := p.NextLine(f.Pos()), err.Error()
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			off, msg = d.lines.Offset(pe.Position.Start), pe.Message
			if msg == "" {
				msg = strings.TrimPrefix(pe.Error(), "toml: ")
			}
		}
		p.Problem(off, "", "parsing a verify block: %s", msg)
		return nil
	}
	if len(d.tree) == 0 {
		p.Problem(f.Pos(), "", "the verify fence is empty")
		return nil
	}
	tables, prefix := d.tables()
	if tables == nil {
		p.Problem(p.NextLine(f.Pos()), "", "verify is no table: write [verify]")
	}
	for name := range d.tree {
		if prefix != "" && name != prefix {
			d.unknown(name, "", []string{prefix})
		}
	}
	blocks := make([]B, len(tables))
	for i, t := range tables {
		d.decode(t.table, reflect.ValueOf(&blocks[i]).Elem(), t.path)
	}
	d.p = nil // what is kept names places only
	p.NoteInner(key, first, d)
	return blocks
}

// tomlTable fills structs from a decoded fence, reporting every key that has
// no field and every value of the wrong type where it stands.
type tomlTable struct {
	p     *dialect.Reader
	tree  map[string]any
	body  string
	lines source.FenceLines
	keys  map[string]tomlPlace // by the path of a key or table; see offset
}

// parse reads the fence.
func (d *tomlTable) parse() error {
	if tree, ok := plainTOML(d.body); ok {
		d.tree = tree
		return nil
	}
	_, err := toml.Decode(d.body, &d.tree)
	return err
}

// tomlPlace is where a key and its value stand, as offsets.
type tomlPlace struct{ key, value int }

// namedTable is one verify block of a fence and its path in there.
type namedTable struct {
	table map[string]any
	path  string
}

// tables gives the blocks of a fence, and the name of the table that holds
// them, "" where their keys stand bare.
func (d *tomlTable) tables() (ts []namedTable, prefix string) {
	switch v := d.tree["verify"].(type) {
	case nil:
		return []namedTable{{d.tree, ""}}, ""
	case map[string]any:
		ts = []namedTable{{v, "verify"}}
	default:
		list, _ := tableList(v)
		for i, t := range list {
			ts = append(ts, namedTable{t, source.At("verify", i)})
		}
	}
	return ts, "verify"
}

// tableList takes [[x]] and x = [{…}, {…}] for the same.
func tableList(v any) ([]map[string]any, bool) {
	if list, ok := v.([]map[string]any); ok {
		return list, true
	}
	list, ok := v.([]any)
	var tables []map[string]any
	for _, e := range list {
		t, isTable := e.(map[string]any)
		ok = ok && isTable
		tables = append(tables, t)
	}
	if !ok {
		return nil, false
	}
	return tables, true
}

// Places gives where everything in the fence was written: its blocks are
// those from place from on.
func (d *tomlTable) Places(from source.Place, yield func(key string, off int)) {
	tables, _ := d.tables()
	for i, t := range tables {
		origin := source.At(from.Slot.Key(), from.I+i)
		yield(origin, d.offset(t.path).value)
		d.placesOf(t.table, t.path, origin, yield)
	}
}

func (d *tomlTable) placesOf(table map[string]any, path, origin string, yield func(key string, off int)) {
	for name, v := range table {
		path, origin := join(path, name), join(origin, name)
		yield(origin, d.offset(path).value)
		if list, ok := v.([]map[string]any); ok {
			for i, t := range list {
				yield(source.At(origin, i), d.offset(source.At(path, i)).value)
				d.placesOf(t, source.At(path, i), source.At(origin, i), yield)
			}
		}
	}
}

// offset looks a path up, or the nearest one above it: that of an inline table.
func (d *tomlTable) offset(path string) tomlPlace {
	if d.keys == nil {
		d.keys = tomlKeys(d.body)
	}
	for k := path; k != ""; k = source.ParentKey(k) {
		if in, ok := d.keys[k]; ok {
			return tomlPlace{d.lines.Offset(in.key), d.lines.Offset(in.value)}
		}
	}
	return tomlPlace{d.lines.Offset(0), d.lines.Offset(0)}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (d *tomlTable) unknown(name, path string, allowed []string) {
	d.p.Unknown(source.Span{Text: name, Off: d.offset(join(path, name)).key}, "key", allowed)
}

func (d *tomlTable) decode(t map[string]any, to reflect.Value, path string) {
	allowed := tomlNames(to.Type())
	for name, v := range t {
		field := slices.Index(allowed, name)
		if field < 0 {
			d.unknown(name, path, allowed)
			continue
		}
		d.value(v, to.Field(field), join(path, name))
	}
}

// tomlNames gives the keys of a struct's fields, in their order.
func tomlNames(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("toml"))
	}
	return names
}

func (d *tomlTable) value(v any, to reflect.Value, path string) {
	bad := func(want string) {
		d.p.Problem(d.offset(path).value, "", "%s is not %s", path[strings.LastIndexByte(path, '.')+1:], want)
	}
	switch to.Interface().(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			bad("a text: put it in quotes")
		}
		to.SetString(s)
	case bool:
		b, ok := v.(bool)
		if !ok {
			bad("true or false")
		}
		to.SetBool(b)
	case *int:
		n, ok := v.(int64)
		if !ok || int64(int(n)) != n {
			bad("an integer")
		}
		i := int(n)
		to.Set(reflect.ValueOf(&i))
	case []string:
		list, ok := v.([]any)
		texts := []string{}
		for _, e := range list {
			s, isText := e.(string)
			ok = ok && isText
			texts = append(texts, s)
		}
		if !ok {
			bad("a list of texts")
		}
		to.Set(reflect.ValueOf(texts))
	default:
		d.extras(v, to, path)
	}
}

func (d *tomlTable) extras(v any, to reflect.Value, path string) {
	tables, ok := tableList(v)
	if !ok {
		d.p.Problem(d.offset(path).value, "write [[verify.additional]]", "additional is no list of tables")
		return
	}
	extras := reflect.MakeSlice(to.Type(), len(tables), len(tables))
	for i, t := range tables {
		d.decode(t, extras.Index(i), source.At(path, i))
	}
	to.Set(extras)
}

// tomlKeys finds where every key, its value and every table header stand in a
// document that is known to be well-formed.
func tomlKeys(doc string) map[string]tomlPlace {
	keys := map[string]tomlPlace{}
	counts := map[string]int{}
	prefix := ""
	for at := 0; at < len(doc); {
		end := len(doc)
		if i := strings.IndexByte(doc[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := doc[at:end]
		word := strings.TrimLeft(line, " \t")
		off := at + len(line) - len(word)
		switch {
		case strings.HasPrefix(word, "[["):
			name := tomlName(word[2:], ']')
			full := indexed(name, counts)
			prefix = fmt.Sprintf("%s[%d]", full, counts[full])
			counts[full]++
			keys[prefix] = tomlPlace{off, off}
		case strings.HasPrefix(word, "["):
			prefix = indexed(tomlName(word[1:], ']'), counts)
			keys[prefix] = tomlPlace{off, off}
		case word != "" && word[0] != '#':
			name := tomlName(word, '=')
			val := off + strings.IndexByte(doc[off:], '=') + 1
			for val < len(doc) && (doc[val] == ' ' || doc[val] == '\t') {
				val++
			}
			keys[join(prefix, name)] = tomlPlace{off, val}
			end = tomlValueEnd(doc, val)
		}
		at = end + 1
	}
	return keys
}

// tomlName reads a dotted key up to stop, quotes and blanks removed.
func tomlName(s string, stop byte) string {
	s, _, _ = strings.Cut(s, string(stop))
	parts := strings.Split(s, ".")
	for i, part := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(part), `"'`)
	}
	return strings.Join(parts, ".")
}

// indexed puts the index of the latest element behind each array of tables
// that name goes through.
func indexed(name string, counts map[string]int) string {
	full := ""
	for part := range strings.SplitSeq(name, ".") {
		if n := counts[full]; n > 0 {
			full = fmt.Sprintf("%s[%d]", full, n-1)
		}
		full = join(full, part)
	}
	return full
}

// tomlValueEnd gives the offset of the line end behind the value at i.
func tomlValueEnd(doc string, i int) int {
	depth := 0
	for i < len(doc) {
		switch c := doc[i]; c {
		case '"', '\'':
			i = tomlStringEnd(doc, i)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			for i < len(doc) && doc[i] != '\n' {
				i++
			}
			continue
		case '\n':
			if depth <= 0 {
				return i
			}
		}
		i++
	}
	return i
}

func tomlStringEnd(doc string, i int) int {
	quote := doc[i : i+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(doc[i:], triple) {
		quote = triple
	}
	for j := i + len(quote); j < len(doc); j++ {
		switch {
		case doc[j] == '\\' && quote[0] == '"':
			j++
		case strings.HasPrefix(doc[j:], quote):
			return j + len(quote)
		}
	}
	return len(doc)
}
