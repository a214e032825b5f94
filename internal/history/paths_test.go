package history

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPaths: what no directory can hold is said of the path, before anything is written.
func TestOddPaths(t *testing.T) {
	long := strings.Repeat("x", 256)
	for p, ok := range map[string]bool{"a/b": true, long[:255]: true, long: false, "a/" + long: false, "../a": false,
		"a/.GIT/b": false, strings.Repeat("d/", 2000) + "x": false, "/a": false, "a//b": false, "n\nl": true,
		"\xff": true} {
		if err := sane(p); (err == nil) != ok {
			t.Errorf("%.30q: %v", p, err)
		}
	}
	for _, c := range []struct {
		paths []string
		ok    bool
	}{{[]string{"a", "ab", "c/a"}, true}, {[]string{"a", "b", "a"}, false}, {[]string{"x/y/z", "x"}, false}} {
		if err := Clash(slices.Values(c.paths)); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.paths, err)
		}
	}
	if e := (&PathError{long, "is too long"}).Error(); len(e) > 100 {
		t.Errorf("an error of %d bytes", len(e))
	}
}

// TestTimeOf: a commit without an honest time is one of long ago.
func TestTimeOf(t *testing.T) {
	for _, s := range []string{"", "x", "-5", "99999999999999999999", "9999999999999999"} {
		if got := timeOf(s); !got.Equal(time.Unix(0, 0)) {
			t.Errorf("%q: %v", s, got)
		}
	}
	if got := timeOf("1700000000"); got.Unix() != 1700000000 {
		t.Error(got)
	}
}
