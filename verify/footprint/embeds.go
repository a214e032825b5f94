package footprint

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
)

var (
	// embedded is what a program of Go has in itself.
	embedded = pattern.New(`(?m)^//go:embed[ \t]+([^\n]+)$`)
	// included is what programs of C and Rust have in themselves as bytes.
	included = pattern.New(`\.incbin[ \t]+\\?"[^"\n]*test|(?m)^[ \t]*#[ \t]*embed[ \t]+["<][^">\n]*test|` +
		`\binclude_(str|bytes)!\([^)\n]*test`)
)

// embedsTests reports whether new lines of a program put its tests, or what those read, into it.
func embedsTests(p, lines string, m sandbox.Manifest) bool {
	if included.MatchString(lines) {
		return true
	}
	if path.Ext(p) != ".go" {
		return false
	}
	for _, found := range embedded.FindAllStringSubmatch(lines, -1) {
		for _, glob := range strings.Fields(found[1]) {
			glob = strings.TrimPrefix(strings.Trim(glob, "\"`"), "all:")
			for _, f := range m {
				if of, inside := within(path.Dir(p), f.Path); inside && (alike.IsTest(f.Path) ||
					strings.HasPrefix(of, "testdata/")) && globbed(glob, of) {
					return true
				}
			}
		}
	}
	return false
}

// wanted is a file that says what a test wants, by the end of its name.
var wanted = pattern.New(`["'\x60}*](\.(?:want(?:ed)?|exp(?:ect(?:ed)?)?|golden|snap|approved))\b`)

// readsWanted reports whether new lines of a program name files as those of its tests are called, of the
// start, that say what they want.
func readsWanted(lines string, files sandbox.Manifest) bool {
	for _, found := range wanted.FindAllStringSubmatch(lines, -1) {
		if slices.ContainsFunc(files, func(f sandbox.File) bool {
			return path.Ext(f.Path) == found[1] && slices.ContainsFunc(ofTests,
				func(word string) bool { return strings.Contains(strings.ToLower(path.Dir(f.Path)), word) })
		}) {
			return true
		}
	}
	return false
}

// within gives a path as seen from a directory that it lies in.
func within(dir, p string) (string, bool) {
	if dir == "." {
		return p, !strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "/")
	}
	return strings.CutPrefix(p, dir+"/")
}

// globbed reports whether a glob of Go's matches a file, or a directory that it lies in.
func globbed(glob, file string) bool {
	for at := file; at != "."; at = path.Dir(at) {
		if ok, err := path.Match(glob, at); ok && err == nil {
			return true
		}
	}
	return false
}
