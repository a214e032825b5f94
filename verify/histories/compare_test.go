package histories

import (
	"fmt"
	"strings"
	"testing"
)

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

// TestOrder: commits that stand in another order are told from those that only have new ones between them.
func TestOrder(t *testing.T) {
	history := func(messages string) *History {
		h := &History{tips: map[string]tip{}, commits: map[string]*commit{}}
		parent := ""
		for i, m := range strings.Fields(messages) {
			c := &commit{name: fmt.Sprint(len(messages), i, m), author: "a", date: m, message: m}
			if parent != "" {
				c.parents = []string{parent}
			}
			parent, h.commits[c.name] = c.name, c
		}
		h.tips["refs/heads/main"] = tip{object: parent, commit: parent}
		return h
	}
	for now, want := range map[string]string{"a b c": "", "a x b y c": "", "b a c": "b", "a c b": "c", "b c a": "b",
		"a b": ""} {
		var got []string
		for _, c := range Compare(history("a b c"), history(now+" z"), []string{"refs/heads/main"}) {
			if c.Kind == Order {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %q", now, got, want)
		}
	}
}
