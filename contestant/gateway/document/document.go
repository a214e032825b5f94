// Package document changes members of a JSON object and leaves every other byte as it
// stands, and looks through what is nested in it.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Document is a JSON object whose members are known by where they stand, so
// that one can be changed and every other byte stays.
type Document struct {
	raw     []byte
	members []member
	added   []member
}

type member struct {
	name     string
	from, to int    // of the value
	at       int    // where the member begins: its name
	text     []byte // in the place of its value; nil: it stays
	removed  bool
}

// Names are those that somebody looks at, folded, and the ways in which they are
// written: other ways, which some servers read too, are refused.
type Names map[string][]string

// Of gives names that are written as they stand here.
func Of(names ...string) Names {
	out := Names{}
	for _, name := range names {
		out[fold(name)] = append(out[fold(name)], name)
	}
	return out
}

// fold gives a name as a reader takes it that knows no case of letters.
func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(strings.ToUpper(name))
		}
	}
	return name
}

// spelled reports whether a name is none of these, or written as one of them is.
func (n Names) spelled(name, folded string) bool {
	ways, known := n[folded]
	return !known || slices.Contains(ways, name)
}

// Open finds the members of an object. A name that stands there twice is
// refused: one reader takes the first, another the last.
func Open(raw []byte, guarded Names) (*Document, error) {
	if err := check(raw, maxDepth); err != nil {
		return nil, err
	}
	d := &Document{raw: raw}
	i := skip(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil, fmt.Errorf("the body is no JSON object")
	}
	seen := map[string]bool{}
	for i = skip(raw, i+1); raw[i] != '}'; i = skip(raw, i) {
		if raw[i] == ',' {
			i = skip(raw, i+1)
		}
		m := member{at: i}
		end := valueEnd(raw, i)
		if err := json.Unmarshal(raw[i:end], &m.name); err != nil {
			return nil, fmt.Errorf("the body is no JSON: %w", err)
		}
		folded := fold(m.name)
		if seen[folded] || !guarded.spelled(m.name, folded) {
			return nil, fmt.Errorf("the body holds %q, which some would read as %q", m.name, folded)
		}
		seen[folded] = true
		m.from = skip(raw, skip(raw, end)+1)
		m.to = valueEnd(raw, m.from)
		d.members = append(d.members, m)
		i = m.to
	}
	return d, nil
}

// skip gives the first byte from i on that is no blank. raw is valid JSON.
func skip(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// valueEnd gives the end of the value that begins at i. raw is valid JSON.
func valueEnd(raw []byte, i int) int {
	for depth := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default:
			for i < len(raw) && !strings.ContainsRune(",]} \n\t\r", rune(raw[i])) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// stringEnd gives the end of the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for begin := i + 1; ; {
		i += 1 + bytes.IndexByte(raw[i+1:], '"')
		escapes := 0
		for i-1-escapes >= begin && raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// Value gives a member's value as it stands; nil: there is none.
func (d *Document) Value(name string) json.RawMessage {
	if m := d.find(name); m != nil {
		return d.raw[m.from:m.to]
	}
	return nil
}

func (d *Document) find(name string) *member {
	for i := range d.members {
		if d.members[i].name == name {
			return &d.members[i]
		}
	}
	return nil
}

// Text gives a member that is a string; "" is none. ok is false where it is
// something else.
func (d *Document) Text(name string) (s string, ok bool) { return scalar[string](d.Value(name)) }

// Flag gives a member that is true or false. ok is false where it is something
// else, which some servers take for true.
func (d *Document) Flag(name string) (b, ok bool) { return scalar[bool](d.Value(name)) }

// Number gives a member that is a number, rounded up (1e5 is one, too); 0 is none.
// ok is false where it is something else.
func (d *Document) Number(name string) (n int, ok bool) {
	f, ok := scalar[float64](d.Value(name))
	return int(math.Ceil(min(max(f, 0), math.MaxInt32))), ok
}

// scalar decodes a value; that of no member, and null, are the zero value.
func scalar[T any](raw json.RawMessage) (v T, ok bool) {
	if len(raw) == 0 {
		return v, true
	}
	return v, json.Unmarshal(raw, &v) == nil
}

// Set puts a value in the place of a member's, or adds the member.
func (d *Document) Set(name string, value []byte) {
	if m := d.find(name); m != nil {
		m.text, m.removed = value, false
		return
	}
	d.added = append(d.added, member{name: name, text: value})
}

// Remove leaves a member out.
func (d *Document) Remove(name string) {
	if m := d.find(name); m != nil {
		m.removed = true
	}
}

// Bytes gives the document with all changes. What was not changed is as it was,
// byte for byte.
func (d *Document) Bytes() []byte {
	out, at := make([]byte, 0, len(d.raw)+256), skip(d.raw, 0)+1
	out = append(out, d.raw[:at]...)
	comma := false
	for _, m := range d.added {
		if comma {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(m.name) // a string always marshals
		out = append(append(append(out, quoted...), ':'), m.text...)
		comma = true
	}
	last := at
	for _, m := range d.members {
		if m.removed {
			last = m.to
			continue
		}
		between := d.raw[last:m.at]
		if i := bytes.IndexByte(between, ','); i >= 0 && !comma {
			between = append(bytes.Clone(between[:i]), between[i+1:]...)
		} else if i < 0 && comma {
			between = append([]byte{','}, between...)
		}
		out = append(out, between...)
		value := m.text
		if value == nil {
			value = d.raw[m.from:m.to]
		}
		out = append(append(out, d.raw[m.at:m.from]...), value...)
		last, comma = m.to, true
	}
	return append(out, d.raw[last:]...)
}
