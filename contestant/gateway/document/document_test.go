package document

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// FuzzDocument: whatever the JSON, its members are found where they stand, and
// changed they are what a decoder reads.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : "\\" , "b\"":[1,{"a":"]}"}],"c":-1e5 }`, `{"model":"x","n":null,"t":true}`,
		`{"\\":"\\\\\""}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Open([]byte(s), nil)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatalf("%q was opened: %v", s, err)
		}
		if string(d.Bytes()) != s {
			t.Errorf("%q became %q", s, d.Bytes())
		}
		for name, v := range want {
			if string(d.Value(name)) != string(v) {
				t.Errorf("%q: %q is %q, want %q", s, name, d.Value(name), v)
			}
		}
		names := slices.Sorted(maps.Keys(want))
		for i, name := range names {
			if i%2 == 0 {
				d.Remove(name)
				delete(want, name)
			}
		}
		d.Set("model", []byte(`"other"`))
		want["model"] = json.RawMessage(`"other"`)
		var got map[string]json.RawMessage
		if err := json.Unmarshal(d.Bytes(), &got); err != nil {
			t.Fatalf("%q became %q: %v", s, d.Bytes(), err)
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%q became %q", s, d.Bytes())
		}
	})
}
