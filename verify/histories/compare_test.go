package histories

import "testing"

// TestSameMessage: trailers, space and names of commits make no other message; a word does.
func TestSameMessage(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"add a\n\nbody\n", "add a\nbody", true},
		{"add a", "add a\n\nSigned-off-by: Me <me@example.net>\n(cherry picked from commit 0123456789)", true},
		{"This reverts commit 0123456789abcdef.", "This reverts commit fedcba9876543210.", true},
		{"add a", "add a and b", false},
		{"add a", "add a\n\nand b", false},
		{"add a\n\nbody", "add a", false},
		{"", "add a", false},
	} {
		if got := sameMessage(plain(c.was), plain(c.is)); got != c.want {
			t.Errorf("%q, then %q: the same is %v, want %v", c.was, c.is, got, c.want)
		}
	}
}
