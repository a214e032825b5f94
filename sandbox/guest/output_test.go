package guest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestOutput compares the ring with the plain way of keeping head and tail.
func TestOutput(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		o := output{max: 2 + r.IntN(40)}
		var all []byte
		for range r.IntN(12) {
			p := make([]byte, r.IntN(30))
			for i := range p {
				p[i] = byte('a' + len(all)%26)
				all = append(all, p[i])
			}
			if n, err := o.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		want := all
		cut := int64(max(0, len(all)-o.max))
		if cut > 0 {
			half := o.max / 2
			want = fmt.Appendf(bytes.Clone(all[:half]), "\n[%d bytes left out]\n%s", cut, all[len(all)-(o.max-half):])
		}
		got, gotCut := o.finish()
		if !bytes.Equal(got, want) || gotCut != cut {
			t.Fatalf("max %d: kept %q (%d cut) of %q, want %q (%d)", o.max, got, gotCut, all, want, cut)
		}
		if n, err := o.Write([]byte("late")); n != 4 || err != nil {
			t.Fatal("a late write was refused")
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"", "a", "\xff", "b64", `{"b64":"eA=="}`, "\u2028", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(Name(s))
		if err != nil {
			t.Fatal(err)
		}
		var back Name
		if err := json.Unmarshal(b, &back); err != nil || string(back) != s {
			t.Fatalf("%q came back as %q, %v", s, back, err)
		}
	})
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
		if err := ReadFrame(&out, &again); err != nil || again.ID != q.ID || again.Op != q.Op || !bytes.Equal(again.Data, q.Data) {
			t.Fatalf("%+v came back as %+v, %v", q, again, err)
		}
	})
}
