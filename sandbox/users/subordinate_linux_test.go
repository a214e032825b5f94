package users

import (
	"strings"
	"testing"
)

func TestFirstSubordinate(t *testing.T) {
	const file = "root:1:65536\n# a comment\nother:1000:5\nme:0:1\nme:x:1\nme:100000\nme:100000:0\n" +
		" 1234:200000:65536 \nme:300000:65536\n"
	least := 1
	check := func(want int, names ...string) {
		t.Helper()
		got, ok := firstSubordinate(strings.NewReader(file), least, names...)
		if got != want || ok != (want != 0) {
			t.Errorf("of %q: %d %v, want %d", names, got, ok, want)
		}
	}
	check(300000, "me")
	check(200000, "me", "1234")
	check(0, "nobody", "999")
	check(1000, "other")
	least = 6
	check(0, "other")
	check(300000, "me")
}
