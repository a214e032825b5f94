package recipe

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/yuin/goldmark/ast"
)

// verifyFence reads the verify blocks of a toml fence: [verify], [[verify]],
// or the keys of one block alone. at and first make their origin keys.
func (p *parsing) verifyFence(f *ast.FencedCodeBlock, at string, first int) []VerifyBlock {
	body, start := p.fence(f)+"\n", p.nextLine(f.Pos())
	var tree map[string]any
	if _, err := toml.Decode(body, &tree); err != nil {
		off, msg := start, err.Error()
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			off, msg = min(start+p.fenceOffset(f, pe.Position.Start), len(p.text)-1), pe.Message
			if msg == "" {
				msg = strings.TrimPrefix(pe.Error(), "toml: ")
			}
		}
		p.problem(off, "", "parsing a verify block: %s", msg)
		return nil
	}
	names, values := tomlKeys(body)
	d := &tomlTable{p: p, fence: f, names: names, values: values}
	var tables []any
	prefix := "verify"
	switch v := tree["verify"].(type) {
	case nil:
		tables, prefix = []any{tree}, ""
	case map[string]any:
		tables = []any{v}
	case []map[string]any:
		for _, t := range v {
			tables = append(tables, t)
		}
	default:
		p.problem(start, "", "verify is no table: write [verify]")
	}
	if prefix != "" {
		d.unknown(tree, "", []string{"verify"})
	}
	var blocks []VerifyBlock
	for i, t := range tables {
		key := prefix
		if _, many := tree["verify"].([]map[string]any); many {
			key = fmt.Sprintf("verify[%d]", i)
		}
		var b VerifyBlock
		origin := fmt.Sprintf("%s[%d]", at, first+i)
		p.origin(origin, d.at(d.values, key))
		d.decode(t.(map[string]any), reflect.ValueOf(&b).Elem(), tomlPath{key, origin})
		blocks = append(blocks, b)
	}
	if len(tree) == 0 {
		p.problem(f.Pos(), "", "the verify fence is empty")
		return nil
	}
	return blocks
}

// fenceOffset turns an offset within a fence's content into one from its
// first line, which differ where the fence is indented.
func (p *parsing) fenceOffset(f *ast.FencedCodeBlock, off int) int {
	start := p.nextLine(f.Pos())
	for i := range f.Lines().Len() {
		seg := f.Lines().At(i)
		if n := seg.Len(); off >= n {
			off -= n
			continue
		}
		return seg.Start + off - start
	}
	return p.fenceEnd(f) - start
}

// tomlTable fills structs from a decoded fence, reporting every key that has
// no field and every value of the wrong type where it stands.
type tomlTable struct {
	p             *parsing
	fence         *ast.FencedCodeBlock
	names, values map[string]int // path of a key or table -> its offset in the fence, and its value's
}

// tomlPath names a table: in the fence, and in the recipe's origins.
type tomlPath struct{ key, origin string }

// at looks a path up, or the nearest one above it: that of an inline table.
func (d *tomlTable) at(in map[string]int, key string) int {
	for k := key; k != ""; k = parentKey(k) {
		if off, ok := in[k]; ok {
			return d.p.nextLine(d.fence.Pos()) + d.p.fenceOffset(d.fence, off)
		}
	}
	return d.p.nextLine(d.fence.Pos())
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (d *tomlTable) unknown(t map[string]any, path string, allowed []string) {
	for k := range t {
		known := false
		for _, a := range allowed {
			known = known || a == k
		}
		if !known {
			d.p.unknown(span{k, d.at(d.names, join(path, k))}, "key", allowed)
		}
	}
}

func (d *tomlTable) decode(t map[string]any, to reflect.Value, at tomlPath) {
	var allowed []string
	for i := range to.NumField() {
		name := to.Type().Field(i).Tag.Get("toml")
		allowed = append(allowed, name)
		if v, ok := t[name]; ok {
			sub := tomlPath{join(at.key, name), at.origin + "." + name}
			d.p.origin(sub.origin, d.at(d.values, sub.key))
			d.value(v, to.Field(i), sub)
		}
	}
	d.unknown(t, at.key, allowed)
}

func (d *tomlTable) value(v any, to reflect.Value, at tomlPath) {
	bad := func(want string) {
		d.p.problem(d.at(d.values, at.key), "", "%s is not %s", at.key[strings.LastIndexByte(at.key, '.')+1:], want)
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
	case []VerifyExtra:
		d.extras(v, to, at)
	}
}

func (d *tomlTable) extras(v any, to reflect.Value, at tomlPath) {
	tables, ok := v.([]map[string]any)
	if !ok {
		d.p.problem(d.at(d.values, at.key), "write [[verify.additional]]", "additional is no list of tables")
		return
	}
	extras := make([]VerifyExtra, len(tables))
	for i, t := range tables {
		sub := tomlPath{fmt.Sprintf("%s[%d]", at.key, i), fmt.Sprintf("%s[%d]", at.origin, i)}
		d.p.origin(sub.origin, d.at(d.values, sub.key))
		d.decode(t, reflect.ValueOf(&extras[i]).Elem(), sub)
	}
	to.Set(reflect.ValueOf(extras))
}

// tomlKeys finds where every key, its value and every table header stand in a
// document that is known to be well-formed.
func tomlKeys(doc string) (names, values map[string]int) {
	names, values = map[string]int{}, map[string]int{}
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
			names[prefix], values[prefix] = off, off
		case strings.HasPrefix(word, "["):
			prefix = indexed(tomlName(word[1:], ']'), counts)
			names[prefix], values[prefix] = off, off
		case word != "" && word[0] != '#':
			name := tomlName(word, '=')
			val := off + strings.IndexByte(doc[off:], '=') + 1
			for val < len(doc) && (doc[val] == ' ' || doc[val] == '\t') {
				val++
			}
			names[join(prefix, name)], values[join(prefix, name)] = off, val
			end = tomlValueEnd(doc, val)
		}
		at = end + 1
	}
	return names, values
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
