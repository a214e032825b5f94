package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// document is a JSON object whose members are known by where they stand, so
// that one can be changed and every other byte stays.
type document struct {
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

// open finds the members of an object. A name that stands there twice is
// refused: one reader takes the first, another the last.
func open(raw []byte) (*document, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("the body is no JSON")
	}
	d := &document{raw: raw}
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
		// Some servers read names in any case of letters.
		folded := strings.ToLower(strings.ToUpper(m.name))
		if seen[folded] || folded != m.name && guarded[folded] {
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

// guarded are the names of members that the gateway looks at.
var guarded = map[string]bool{
	"model": true, "models": true, "stream": true, "stream_options": true, "tools": true, "functions": true, "max_tokens": true,
	"max_completion_tokens": true, "max_output_tokens": true, "background": true, "service_tier": true, "speed": true,
	"mcp_servers": true, "web_search_options": true, "plugins": true, "fallbacks": true, "n": true, "container": true,
	"conversation": true, "previous_response_id": true, "prompt": true, "route": true,
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

// value gives a member's value as it stands; nil: there is none.
func (d *document) value(name string) json.RawMessage {
	if m := d.find(name); m != nil {
		return d.raw[m.from:m.to]
	}
	return nil
}

func (d *document) find(name string) *member {
	for i := range d.members {
		if d.members[i].name == name {
			return &d.members[i]
		}
	}
	return nil
}

// text gives a member that is a string; "" is none.
func (d *document) text(name string) (s string) {
	_ = json.Unmarshal(d.value(name), &s)
	return s
}

// flag gives a member that is true or false.
func (d *document) flag(name string) (b bool) {
	_ = json.Unmarshal(d.value(name), &b)
	return b
}

// number gives a member that is a number, rounded up (1e5 is one, too); 0 is none.
func (d *document) number(name string) int {
	var n float64
	_ = json.Unmarshal(d.value(name), &n)
	return int(math.Ceil(min(max(n, 0), math.MaxInt32)))
}

// set puts a value in the place of a member's, or adds the member.
func (d *document) set(name string, value []byte) {
	if m := d.find(name); m != nil {
		m.text, m.removed = value, false
		return
	}
	d.added = append(d.added, member{name: name, text: value})
}

// remove leaves a member out.
func (d *document) remove(name string) {
	if m := d.find(name); m != nil {
		m.removed = true
	}
}

// bytes gives the document with all changes. What was not changed is as it was,
// byte for byte.
func (d *document) bytes() []byte {
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
