package propose

import (
	"path"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// nothingThere are what programs say that are told of a file, a target or a script that is not there.
var nothingThere = []*pattern.Pattern{
	pattern.New(`can't open file '([^']+)'`),                                                  // Python
	pattern.New(`Cannot find module '([^']+)'`),                                               // Node
	pattern.New(`Could not find '([^']+)'`),                                                   // node --test
	pattern.New(`(?m)^\S*sh: (?:line )?(?:\d+: )?(?:cannot open )?([^:\n]+): No such file`),   // shells
	pattern.New(`file or directory not found: (\S+)`),                                         // pytest
	pattern.New(`Missing script: "([^"]+)"`),                                                  // npm
	pattern.New(`No rule to make target [` + "`" + `'"]([^'"\n]+)['"]\.`),                     // make
	pattern.New(`\bl?stat (\S+?)/?: (?:directory not found|no such file or directory)`),       // Go
	pattern.New(`Can't open perl script "([^"]+)"`),                                           // Perl
	pattern.New(`(?:No such file or directory|cannot load such file) -- (\S+) \(LoadError\)`), // Ruby
	pattern.New(`error: no (?:test|bin|example) target named .([\w-]+).`),                     // cargo
	pattern.New(`package ID specification .([\w-]+). did not match any packages`),             // cargo
}

// Misnamed gives the word of a test command that names a file, a target or a script which is not there, by what the
// command said that failed: "" where it names none.
func Misnamed(test, output string) string {
	for _, p := range nothingThere {
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
