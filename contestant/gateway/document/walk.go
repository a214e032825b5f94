package document

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Member is one that is nested somewhere in a document.
type Member struct {
	// Within are the names of the members that it stands in, outermost first;
	// lists between them have none. It is valid during the call alone.
	Within []string
	Name   string
	Value  []byte // of a string: with its quotes; of a list or an object: from its bracket on
}

// Text is the value of a member that is a string.
func (m Member) Text() (s string, ok bool) {
	if len(m.Value) == 0 || m.Value[0] != '"' {
		return "", false
	}
	return unquoted(m.Value), true
}

// Walk looks at every member of every object in valid JSON, once, and at each string in a
// member's list as if it were that member's value. visit says whether to
// look into its value, too. In an object that is looked into a guarded name stands once at
// most, and as it is written.
func Walk(raw []byte, guarded Names, visit func(Member) (into bool, err error)) error {
	w := &walker{raw: raw, guarded: guarded, visit: visit}
	_, err := w.value(skip(raw, 0))
	return err
}

type walker struct {
	raw     []byte
	guarded Names
	visit   func(Member) (bool, error)
	within  []string
}

// value walks through the value that begins at i, and gives where it ends.
func (w *walker) value(i int) (int, error) {
	switch w.raw[i] {
	case '{':
		return w.object(i)
	case '[':
		var err error
		for i = skip(w.raw, i+1); w.raw[i] != ']'; i = skip(w.raw, i) {
			if w.raw[i] == ',' {
				i = skip(w.raw, i+1)
			}
			if n := len(w.within); w.raw[i] == '"' && n > 0 {
				m := Member{Within: w.within[:n-1], Name: w.within[n-1], Value: w.raw[i:valueEnd(w.raw, i)]}
				if _, err = w.visit(m); err != nil {
					return i, err
				}
			}
			if i, err = w.value(i); err != nil {
				return i, err
			}
		}
		return i + 1, nil
	}
	return valueEnd(w.raw, i), nil
}

// object walks through the object that begins at i, and gives where it ends. A guarded name
// that comes twice, or that some parsers would read as another, is an error.
func (w *walker) object(i int) (int, error) {
	var seen []string // guarded names
	for i = skip(w.raw, i+1); w.raw[i] != '}'; i = skip(w.raw, i) {
		if w.raw[i] == ',' {
			i = skip(w.raw, i+1)
		}
		end := stringEnd(w.raw, i)
		name := unquoted(w.raw[i:end])
		folded := fold(name)
		if _, known := w.guarded[folded]; known {
			twice := false
			for _, s := range seen {
				twice = twice || s == folded
			}
			if twice || !w.guarded.spelled(name, folded) {
				return i, fmt.Errorf("the body holds %q, which some would read as %q", name, folded)
			}
			seen = append(seen, folded)
		}
		i = skip(w.raw, skip(w.raw, end)+1)
		var err error
		if i, err = w.member(name, i); err != nil {
			return i, err
		}
	}
	return i + 1, nil
}

// member walks through the value of a member that begins at i.
func (w *walker) member(name string, i int) (int, error) {
	m := Member{Within: w.within, Name: name, Value: w.raw[i:]}
	nested := w.raw[i] == '{' || w.raw[i] == '['
	end := i
	if !nested {
		end = valueEnd(w.raw, i)
		m.Value = w.raw[i:end]
	}
	into, err := w.visit(m)
	switch {
	case err != nil || !nested:
		return end, err
	case !into:
		return valueEnd(w.raw, i), nil
	}
	w.within = append(w.within, name)
	end, err = w.value(i)
	w.within = w.within[:len(w.within)-1]
	return end, err
}

// unquoted is the text of a JSON string.
func unquoted(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is valid
	return s
}
