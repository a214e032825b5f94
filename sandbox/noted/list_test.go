package noted

import (
	"fmt"
	"strings"
	"testing"
)

// TestList finds each file of a list by inode and time of change, and no other.
func TestList(t *testing.T) {
	sum := func(i int) string { return fmt.Sprintf("%064x", i) }
	var files []File
	for i := 99; i >= 0; i-- {
		files = append(files, File{uint64(i / 2 * 3), int64(i), sum(i), i%3 == 0})
	}
	l := ListOf(append(files, File{1, 1, "", true}, File{1, 1, "abc", true}, File{1, 1, strings.Repeat("x", 64), true}))
	for _, want := range files {
		if got := l.Find(want.Inode, want.Changed); got != want {
			t.Errorf("found %v, not %v", got, want)
		}
	}
	for _, none := range []File{{Inode: 1, Changed: 1}, {Inode: 3, Changed: 99}, {Inode: 1000, Changed: 1}, {Changed: -1}} {
		if got := l.Find(none.Inode, none.Changed); got != (File{}) {
			t.Errorf("%v is %v", none, got)
		}
	}
	for _, l := range []List{nil, {}, l[:recordSize-1], make(List, 7)} {
		if got := l.Find(0, 0); got != (File{}) {
			t.Errorf("of %d bytes: %v", len(l), got)
		}
	}
}
