package mine

import (
	"strings"
	"testing"
)

// TestSpreadParts: parts of a list are picked as far apart as they lie.
func TestSpreadParts(t *testing.T) {
	list := []part{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}, {name: "e"}}
	if got := spread(list, 2); len(got) != 2 || got[0].name != "a" || got[1].name != "c" || len(spread(list, 9)) != 5 {
		t.Errorf("%v", got)
	}
}

// TestGiveaway: what everybody writes gives nothing away, wherever it stands; what a fix alone has does.
func TestGiveaway(t *testing.T) {
	const much = `if (!semver.satisfies(candidate, lowerBound, { includePrerelease })) {`
	const some = `return this.decode(chunk, false)`
	secret := []string{much, some}
	for _, c := range []struct {
		where string
		held  map[string][]string
	}{
		{"/usr/lib/x.js", map[string][]string{much: {"/usr/lib/x.js"}}},
		{"", map[string][]string{much: {"/a/x.js", "/a/y.js", "/a/z.js"}}},
		{"", map[string][]string{secret[1]: {"/a/x.js"}}},
		{"/a/range.js", map[string][]string{secret[1]: {"/a/range.js"}}},
		{"~/p.tgz (p/range.js)", map[string][]string{secret[1]: {"~/p.tgz (p/range.js)"}}},
		{"/a/y.js", map[string][]string{much: {"/a/x.js", "/a/y.js", "/a/z.js"}, secret[1]: {"/a/y.js"}}},
		{"", nil},
	} {
		if where, _ := giveaway(secret, []string{"lib/range.js"}, c.held); where != c.where {
			t.Errorf("%v: %q, want %q", c.held, where, c.where)
		}
	}
	if where, _ := giveaway(secret, []string{"lib/index.js"}, map[string][]string{secret[1]: {"/a/index.js"}}); where != "" {
		t.Errorf("a name that every project has: %q", where)
	}
}

// TestWithoutStrays: a stray file that no test reads is no half of a fix; data of which tests read another part is.
func TestWithoutStrays(t *testing.T) {
	list := []part{{name: "a.js:1", path: "a.js"}, {name: ".npm.tmp", path: ".npm.tmp"},
		{name: "mime.json:1", path: "mime.json"}, {name: "mime.json:9", path: "mime.json"}}
	got := withoutStrays(list, []string{"a.js:1", ".npm.tmp", "mime.json:9"})
	if strings.Join(got, " ") != "a.js:1 mime.json:9" {
		t.Error(got)
	}
	if got := withoutStrays(list, []string{".npm.tmp", "mime.json:1", "mime.json:9"}); len(got) != 0 {
		t.Error(got)
	}
}
