package document

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// FuzzDocument: whatever the JSON, its members are found where they stand, and
// changed they are what a decoder reads.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : "\\" , "b\"":[1,{"a":"]}"}],"c":-1e5 }`,
		`{"model":"x","n":null,"t":true}`, `{"\\":"\\\\\""}`} {
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

// TestDepth: what is nested deeper than any agent nests is refused; brackets within texts
// are none.
func TestDepth(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(`{"a":"\"[[[[","b":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`)
	}
	if _, err := Open(nested(maxDepth), nil); err != nil {
		t.Error(err)
	}
	if _, err := Open(nested(maxDepth+1), nil); err == nil ||
		err.Error() != "the body is nested deeper than 200 levels" {
		t.Errorf("deeper: %v", err)
	}
	if _, err := Open([]byte(`{"a":"`+strings.Repeat("[", 300)+`"}`), nil); err != nil {
		t.Error(err)
	}
}

// FuzzValid: what is taken for JSON is what the library takes for it.
func FuzzValid(f *testing.F) {
	for _, s := range []string{`{}`, ``, ` [ 1 , -0.5e+3 , 01, true , null ] `, `{"a":"\u00e9\n\/","b":[{}]}`,
		`"\u12g4"`, "\"\x1f\"", "\"\x7f\xff\"",
		`1.`, `-`, `1e`, `.5`, `tru`, `truex`, `[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `"12345678901234567"`,
		`"1234567\"`, `[1 2]`, `{}x`,
		"\"aaaaaaa\x00\"", `"ééééééééééé\\"`, `{"a":1 "b":2}`, "[\v1]", `"\`, `"\u12`, `[[[[]]]]`,
		`{"":{"":[]}}`, `0`,
		`-0`, `00`, `1E-9`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if err := check([]byte(s), 1<<20); (err == nil) != json.Valid([]byte(s)) {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// BenchmarkValid is how long a request is looked at, beside the library's way.
func BenchmarkValid(b *testing.B) {
	body := []byte(`{"messages":[{"role":"user","content":"` +
		strings.Repeat(`all work and \"no\" play\n`, 44<<10/25) + `"}]}`)
	for name, valid := range map[string]func() bool{"library": func() bool { return json.Valid(body) },
		"own": func() bool { return check(body, maxDepth) == nil }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if !valid() {
					b.Fatal("it is no JSON")
				}
			}
		})
	}
}
