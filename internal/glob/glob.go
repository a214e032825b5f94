// Package glob matches many paths against many globs: what a glob wants literally is
// looked for first, and most paths lack it.
package glob

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Match reports whether a glob, as doublestar has it, matches a slash-separated path. One
// that is no glob matches nothing.
func Match(g, p string) bool {
	if !strings.Contains(p, literal(g)) {
		return false
	}
	ok, _ := doublestar.Match(g, p)
	return ok
}

// Covers reports whether a glob matches a path or a directory above it.
func Covers(g, p string) bool {
	if !strings.Contains(p, literal(g)) {
		return false
	}
	if ok, _ := doublestar.Match(g, p); ok {
		return true
	}
	ok, _ := doublestar.Match(g+"/**", p)
	return ok
}

// literals remember the literal of each glob: globs are the program's own and those of
// recipes, so that there are few.
var literals = struct {
	sync.RWMutex
	of map[string]string
}{of: map[string]string{}}

func literal(g string) string {
	literals.RLock()
	found, ok := literals.of[g]
	literals.RUnlock()
	if ok {
		return found
	}
	found = longest(g)
	literals.Lock()
	literals.of[g] = found
	literals.Unlock()
	return found
}

// longest is the longest text that stands in whatever a glob matches; "" for none. The
// slashes beside a ** need not stand there: a/** matches a.
func longest(g string) (best string) {
	begin, depth := 0, 0
	ended := func(end int) {
		if part := strings.Trim(g[begin:end], "/"); depth == 0 && len(part) > len(best) {
			best = part
		}
	}
	for i := 0; i < len(g); i++ {
		switch g[i] {
		case '*', '?':
			ended(i)
		case '\\':
			ended(i)
			i++
		case '[': // where a class ends is doublestar's to say
			ended(i)
			return best
		case '{':
			ended(i)
			depth++
		case '}':
			depth = max(depth-1, 0)
		default:
			if g[i] < utf8.RuneSelf {
				continue
			}
			ended(i) // all that is no UTF-8 is alike to doublestar
		}
		begin = i + 1
	}
	if begin < len(g) {
		ended(len(g))
	}
	return best
}
