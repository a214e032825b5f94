package gitobjects

import (
	"bytes"
	"testing"
)

func TestPatched(t *testing.T) {
	base := []byte("one two three")
	for _, c := range []struct {
		delta []byte
		want  string
		ok    bool
	}{
		{[]byte{13, 7, 0x91, 4, 4, 3, 'a', 'n', 'd'}, "two and", true},
		{[]byte{13, 3, 0x90, 3}, "one", true},
		{[]byte{13, 4, 0x90, 3}, "", false},     // shorter than it says
		{[]byte{12, 3, 0x90, 3}, "", false},     // of another one
		{[]byte{13, 3, 0x91, 12, 3}, "", false}, // beyond its end
		{[]byte{13, 3, 0x91}, "", false},        // cut
		{[]byte{13, 3, 9, 'x'}, "", false},      // cut
		{[]byte{13, 0, 0}, "", false},           // no such step
		{[]byte{0xff, 0xff, 0xff}, "", false},   // no number
		{nil, "", false},
	} {
		got, ok := patched(base, c.delta)
		if ok != c.ok || ok && string(got) != c.want {
			t.Errorf("%v: %q %v", c.delta, got, ok)
		}
	}
	if back, n := backwards([]byte{0x81, 0x00, 9}); back != 256 || n != 2 {
		t.Error(back, n)
	}
}

// FuzzPacks: no index and no difference stops the judge.
func FuzzPacks(f *testing.F) {
	f.Add([]byte("one"), []byte{3, 3, 0x90, 3})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if out, ok := patched(a, b); ok && len(out) > MaxSize {
			t.Error(len(out))
		}
		readPack(append([]byte("\xfftOc\x00\x00\x00\x02"), bytes.Repeat(a, 400)...), int64(len(b)))
		backwards(b)
	})
}
