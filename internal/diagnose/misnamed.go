package diagnose

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// fileless are what programs say that are told of a file or directory which is not there, and nameless of a target or
// script of a project.
var (
	fileless = []*pattern.Pattern{
		pattern.New(`can't open file '([^']+)'`),                                                  // Python
		pattern.New(`Cannot find module '([^']+)'`),                                               // Node
		pattern.New(`Could not find '([^']+)'`),                                                   // node --test
		pattern.New(`(?m)^\S*sh: (?:line )?(?:\d+: )?(?:cannot open )?([^:\n]+): No such file`),   // shells
		pattern.New(`file or directory not found: (\S+)`),                                         // pytest
		pattern.New(`\bl?stat (\S+?)/?: (?:directory not found|no such file or directory)`),       // Go
		pattern.New(`Can't open perl script "([^"]+)"`),                                           // Perl
		pattern.New(`(?:No such file or directory|cannot load such file) -- (\S+) \(LoadError\)`), // Ruby
	}
	nameless = []*pattern.Pattern{
		pattern.New(`Missing script: "([^"]+)"`),                              // npm
		pattern.New(`No rule to make target [` + "`" + `'"]([^'"\n]+)['"]\.`), // make
		pattern.New(`error: no (?:test|bin|example) target named .([\w-]+).`), // cargo
		pattern.New(`package ID specification .([\w-]+). did not match any packages`),
	}
)

// Misnamed gives the word of a test command that names a file, a target or a script which is not there, by what the
// command said that failed: "" where it names none. A file that dir has is hidden from trials, and there.
func Misnamed(dir, test, output string) string {
	if w := wordOf(test, output, nameless); w != "" {
		return w
	}
	w := wordOf(test, output, fileless)
	if _, err := os.Stat(filepath.Join(dir, w)); err == nil {
		return ""
	}
	return w
}

// wordOf gives the word of a command that its output speaks of in one of some ways.
func wordOf(test, output string, ways []*pattern.Pattern) string {
	for _, p := range ways {
		for _, m := range p.FindAllStringSubmatch(output, -1) {
			said := "/" + strings.TrimSuffix(path.Clean(m[1]), "/...")
			for _, c := range shell.Calls(test) {
				for _, w := range c.Words {
					named := strings.TrimSuffix(path.Clean(w), "/...")
					if named != "." && strings.HasSuffix(said, "/"+strings.TrimPrefix(named, "/")) {
						return w
					}
				}
			}
		}
	}
	return ""
}
