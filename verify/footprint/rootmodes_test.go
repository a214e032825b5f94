package footprint

import (
	"io/fs"
	"testing"
)

// TestOpened: the directories of project and home may be closed to others, not opened to them, and their owner goes on
// reading, writing and entering them.
func TestOpened(t *testing.T) {
	for _, c := range []struct {
		from, to fs.FileMode
		want     string
	}{
		{0o755, 0o755, ""}, {0o755, 0o700, ""}, {0o755, 0o775, Writable + " ."}, {0o755, 0o555, Barred + " ."},
		{0o700, 0o777, Writable + " ."}, {0o755, 0o000, Barred + " ."}, {0, 0o755, ""}, {0o777, 0o755, ""},
	} {
		list := Opened(map[string]fs.FileMode{".": c.from}, map[string]fs.FileMode{".": c.to})
		got := ""
		if len(list) > 0 {
			got = list[0].Key
		}
		if got != c.want || len(list) > 1 {
			t.Errorf("%o, then %o: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
