package questions

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

// EmbedsTests reports whether new lines of a program put its tests, or what those read, into it.
func EmbedsTests(p, lines string, m sandbox.Manifest) bool {
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

// ReadsWanted reports whether new lines of a program name files as those of its tests are called, of the
// start, that say what they want.
func ReadsWanted(lines string, files sandbox.Manifest) bool {
	for _, found := range wanted.FindAllStringSubmatch(lines, -1) {
		if slices.ContainsFunc(files, func(f sandbox.File) bool {
			return path.Ext(f.Path) == found[1] && slices.ContainsFunc(OfTests,
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

var (
	// screens are questions whether somebody looks at what a program prints, and shown is what is
	// done for them.
	screens = pattern.New(`\[\[?\s+(!\s+)?-t\s+[12]\s|\bisatty\((1|2|STD(OUT|ERR)_FILENO)\)|\bstd(out|` +
		`err)\.(isatty\(\)|isTTY\b)|` +
		`\bStd(out|err)\.Stat\(\)[^\n]*ModeCharDevice|\bIsTerminal\([^\n]*Std(out|err)`)
	// besideScreen is such a question with another one that must hold, too, and forScreen what is asked with it for
	// those who look.
	besideScreen = pattern.New(`-t\s+[12]\s*\]\]?\s*(&&|\|\|)\s*(!\s*)?(\[|test\b|grep\b)`)
	forScreen    = pattern.New(`(?i)colou?r|\$\{?(TERM|CI|quiet|verbose|silent|force|yes|interactive|batch)\b|` +
		`-t\s+[012][^\n]*-t\s+[012]`)
	shown = pattern.New(`(?i)colou?r|bold|tput|\\x1b|\\033|\\e\[|\\u001b|ansi|progress|spinner|width|columns|` +
		`interactive|pager|` +
		`prompt|echo|print|write|puts|log|console\.`)
)

// colourless reports whether lines ask whether somebody looks at a screen, and show nothing, there and in the next
// three lines; or ask it together with something else that has nothing to do with a screen.
func colourless(lines string) bool {
	all := strings.Split(lines, "\n")
	for i, line := range all {
		if !screens.MatchString(line) {
			continue
		}
		alone := !shown.MatchString(strings.Join(all[i:min(i+4, len(all))], "\n"))
		if alone || besideScreen.MatchString(line) && !forScreen.MatchString(line) {
			return true
		}
	}
	return false
}
