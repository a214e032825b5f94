package launch

import (
	"fmt"
	"strings"
	"testing"
)

// TestBothEnds wants what a program says to be kept whole where it is short, and
// its two ends where it is not, however it is written.
func TestBothEnds(t *testing.T) {
	long := "panic: why\n" + strings.Repeat("goroutine 1\n", 1000) + "exit status 2"
	for _, said := range []string{"", "short", long[:firstMax], long[:firstMax+lastMax], long[:firstMax+lastMax+1],
		long} {
		want := said
		if left := len(said) - firstMax - lastMax; left > 0 {
			want = fmt.Sprintf("%s\n[%d bytes left out]\n%s", said[:firstMax], left, said[len(said)-lastMax:])
		}
		for _, size := range []int{1, 100, len(long)} {
			var e bothEnds
			for rest := said; rest != ""; {
				n, err := e.Write([]byte(rest[:min(size, len(rest))]))
				if err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
				rest = rest[n:]
			}
			if e.String() != want {
				t.Errorf("%d bytes, %d at a time: %q, want %q", len(said), size, e.String(), want)
			}
		}
	}
}
