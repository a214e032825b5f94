package repair

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
)

// maxFile bounds one YAML file, in bytes.
const maxFile = 1 << 20

// decoder reads YAML nodes into structs whose fields name their key in a yaml
// tag, strictly, and collects every problem with its position.
type decoder struct {
	file     string
	problems problem.List
}

// value is a scalar and where it stands. Its zero value is absent.
type value struct {
	s     string
	pos   problem.Pos
	block bool // a | or > scalar, whose text begins on the next line
}

// line is the position of a line of the value's text, counted from 1.
func (v value) line(n int) problem.Pos {
	if !v.block {
		return v.pos
	}
	return problem.Pos{File: v.pos.File, Line: v.pos.Line + n, Col: 1}
}

func (v value) given() bool { return v.pos.Line > 0 }

// named is one key of a map that the file chooses, in the order written.
type named struct {
	name string
	value
}

func (d *decoder) pos(n *yaml.Node) problem.Pos {
	return problem.Pos{File: d.file, Line: n.Line, Col: n.Column}
}

func (d *decoder) problem(at problem.Pos, format string, a ...any) {
	d.problems = append(d.problems, problem.Problem{Pos: at, Msg: fmt.Sprintf(format, a...)})
}

// document gives the root of the only document in data, nil after a problem.
func (d *decoder) document(data []byte) *yaml.Node {
	start := problem.Pos{File: d.file, Line: 1, Col: 1}
	if len(data) > maxFile {
		d.problem(start, "%d bytes are more than the %d that a repair may have", len(data), maxFile)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		d.problem(start, "the file holds no repair")
		return nil
	case err != nil:
		d.problem(syntaxPos(start, err), "%s", syntaxMsg(err))
		return nil
	}
	switch err := dec.Decode(&next); {
	case err == nil:
		d.problem(d.pos(&next), "a second document; a file holds one repair")
		return nil
	case !errors.Is(err, io.EOF):
		d.problem(syntaxPos(start, err), "%s", syntaxMsg(err))
		return nil
	}
	root := doc.Content[0]
	if isNull(root) {
		d.problem(start, "the file holds no repair")
		return nil
	}
	return root
}

var yamlLine = pattern.New(`^yaml: (?:line (\d+): )?`)

func syntaxPos(start problem.Pos, err error) problem.Pos {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		start.Line, _ = strconv.Atoi(m[1])
	}
	return start
}

func syntaxMsg(err error) string {
	return "parsing YAML: " + yamlLine.ReplaceAllString(err.Error(), "")
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case isNull(n):
		return "nothing"
	}
	return "a scalar"
}

// decode fills v, which must be settable, from n.
func (d *decoder) decode(n *yaml.Node, v reflect.Value) {
	switch out := v.Addr().Interface().(type) {
	case *value:
		*out = d.scalar(n)
		return
	case *problem.Pos:
		*out = d.pos(n)
		return
	case *[]named:
		*out = d.names(n)
		return
	case *[]verifyDoc:
		d.oneOrMore(n, v)
		return
	case *verifyDoc:
		out.pos = d.pos(n)
		d.decode(n, reflect.ValueOf(&out.block).Elem())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !isNull(n) {
			v.Set(reflect.New(v.Type().Elem()))
			d.decode(n, v.Elem())
		}
	case reflect.Struct:
		d.object(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.String:
		v.SetString(d.scalar(n).s)
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			d.problem(d.pos(n), "expected true or false, found %s", found(n))
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			d.problem(d.pos(n), "expected a whole number, found %s", found(n))
			return
		}
		v.SetInt(int64(i))
	default:
		panic(fmt.Sprintf("repair: no way to decode %s", v.Type()))
	}
}

func found(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		return strconv.Quote(n.Value)
	}
	return kindOf(n)
}

// scalar takes any scalar as its text, as it is written; null is absent.
func (d *decoder) scalar(n *yaml.Node) value {
	switch {
	case isNull(n):
		return value{}
	case n.Kind != yaml.ScalarNode:
		d.problem(d.pos(n), "expected a text, found %s", kindOf(n))
		return value{}
	}
	return value{s: n.Value, pos: d.pos(n), block: n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0}
}

// each calls fn with the pairs of a mapping; a key twice is a problem.
func (d *decoder) each(n *yaml.Node, fn func(key, val *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.problem(d.pos(n), "expected a mapping, found %s", kindOf(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			d.problem(d.pos(key), "expected a key, found %s", kindOf(key))
			continue
		}
		if line, twice := seen[key.Value]; twice {
			d.problem(d.pos(key), "key %q is already given on line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		fn(key, n.Content[i+1])
	}
}

func (d *decoder) names(n *yaml.Node) []named {
	var out []named
	d.each(n, func(key, val *yaml.Node) {
		v := d.scalar(val)
		if isNull(val) {
			d.problem(d.pos(val), "expected a value for %q, found nothing", key.Value)
		}
		v.pos = d.pos(key)
		out = append(out, named{key.Value, v})
	})
	return out
}

// object reads a mapping of YAML into the fields of a struct that carry its keys, and notes
// keys that are unknown or come twice.
func (d *decoder) object(n *yaml.Node, v reflect.Value) {
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == "" { // the position of the mapping itself
			v.Field(i).Set(reflect.ValueOf(d.pos(n)))
			continue
		}
		fields[name] = i
		names = append(names, name)
	}
	if isNull(n) {
		return
	}
	d.each(n, func(key, val *yaml.Node) {
		i, known := fields[key.Value]
		if !known {
			p := problem.Problem{Pos: d.pos(key), Msg: fmt.Sprintf("unknown key %q; allowed: %s", key.Value,
				strings.Join(names, ", "))}
			if near := nearest.Name(key.Value, names); near != "" {
				p.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			d.problems = append(d.problems, p)
			return
		}
		if !isNull(val) {
			d.decode(val, v.Field(i))
		}
	})
}

func (d *decoder) list(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.problem(d.pos(n), "expected a list, found %s", kindOf(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, c := range n.Content {
		if isNull(c) {
			d.problem(d.pos(c), "an empty entry")
			if v.Index(i).Kind() != reflect.Struct {
				continue
			}
		}
		d.decode(c, v.Index(i))
	}
}

// oneOrMore takes a single entry as a list of one.
func (d *decoder) oneOrMore(n *yaml.Node, v reflect.Value) {
	if n.Kind == yaml.SequenceNode {
		d.list(n, v)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	d.decode(n, v.Index(0))
}

// oneOf makes a problem of a value that is not allowed.
func (d *decoder) oneOf(what string, v value, allowed []string) {
	if !v.given() || slices.Contains(allowed, v.s) {
		return
	}
	p := problem.Problem{Pos: v.pos, Msg: fmt.Sprintf("unknown %s %q; allowed: %s", what, v.s,
		strings.Join(allowed, ", "))}
	if near := nearest.Name(v.s, allowed); near != "" {
		p.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.problems = append(d.problems, p)
}
