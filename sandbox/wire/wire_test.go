package wire

import (
	"bytes"
	"io/fs"
	"reflect"
	"slices"
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
			Reply{ID: 1, File: &sandbox.FileError{Path: s}},
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

// FuzzPart: what a helper that is somebody else's may send is refused, or comes back as it is.
func FuzzPart(f *testing.F) {
	f.Add(PartOf([]sandbox.File{{Path: "a\xff", Mode: 0o644, Size: 1 << 40, Sum: "s", Owner: "1:2", Touched: true},
		{Path: "b", Mode: fs.ModeSymlink, Link: "a", Attrs: "x"}}).Data)
	f.Add([]byte{0x80})
	f.Add([]byte(`[{"Path":"a"}]`))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := Part{Bytes{b}}.Files()
		if err != nil {
			return
		}
		if again, err := PartOf(files).Files(); err != nil || !slices.Equal(again, files) {
			t.Fatalf("%+v came back as %+v, %v", files, again, err)
		}
	})
}

// TestPart: each file arrives as it was sent, and half a part is none.
func TestPart(t *testing.T) {
	sent := sandbox.Manifest{{Path: "a\xff", Mode: 0o644, Size: 1 << 40, Sum: "s", Owner: "1:2", Touched: true}, {},
		{Path: "b", Mode: fs.ModeSymlink | 0o777, Size: -1, Link: "a", Attrs: "x"}}
	whole := PartOf(sent)
	if got, err := whole.Files(); err != nil || !slices.Equal(got, sent) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range whole.Data {
		if got, err := (Part{Bytes{whole.Data[:n]}}).Files(); err == nil && !slices.Equal(got, sent[:len(got)]) {
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
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
