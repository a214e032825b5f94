package stream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestOutput compares the ring with the plain way of keeping head and tail.
func TestOutput(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		o := Output{max: 2 + r.IntN(40)}
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
		got, gotCut := o.Finish()
		if !bytes.Equal(got, want) || gotCut != cut {
			t.Fatalf("max %d: kept %q (%d cut) of %q, want %q (%d)", o.max, got, gotCut, all, want, cut)
		}
		if n, err := o.Write([]byte("late")); n != 4 || err != nil {
			t.Fatal("a late write was refused")
		}
	}
}
