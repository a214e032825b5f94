package wire

import (
	"bytes"
	"reflect"
	"testing"

	"cookoff/sandbox"
)

// FuzzText wants every byte of every string to arrive, wherever in a message it is.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "\xff", "b64", "\x00/w==", "\x00\x00", "\u2028", "\ufffd", `\ufffd`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, sent := range []any{
			s, Op(s), []string{"a", s}, Found{Paths: []string{s}},
			[]sandbox.Item{{Path: s, Link: "b", Data: []byte(s)}},
			Reply{ID: 1, File: &sandbox.FileError{Path: s}}, sandbox.Manifest{{Path: s, Owner: "1:2"}},
		} {
			b, err := Encode(sent)
			if err != nil {
				t.Fatal(err)
			}
			back := reflect.New(reflect.TypeOf(sent))
			if err := Decode(b, back.Interface()); err != nil || !same(back.Elem().Interface(), sent) {
				t.Fatalf("%#v came back as %#v, %v", sent, back.Elem().Interface(), err)
			}
		}
	})
}

// same compares; no bytes are the same as none.
func same(a, b any) bool {
	if items, ok := a.([]sandbox.Item); ok {
		for i := range items {
			if want := b.([]sandbox.Item)[i].Data; len(want) == 0 && len(items[i].Data) == 0 {
				items[i].Data = want
			}
		}
	}
	return reflect.DeepEqual(a, b)
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\x00\x00\x04\x00\x00\x00\x02{}\xff\x00"))
	f.Add([]byte("\x00\x00\x00\x02\x00\x00\x00\x03{}}"))
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\x00\x00\x09\x00\x00\x00\x09{\"id\":-1}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var q Request
		if ReadFrame(bytes.NewReader(b), &q) != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteFrame(&out, q); err != nil {
			t.Fatal(err)
		}
		var again Request
		if err := ReadFrame(&out, &again); err != nil || again.ID != q.ID || again.Op != q.Op ||
			!bytes.Equal(again.Data, q.Data) {
			t.Fatalf("%+v came back as %+v, %v", q, again, err)
		}
	})
}
