package mutants

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// few is up to how many faults a file gives before crude ones are thought of.
const few = 3

const scripts = ".js .mjs .cjs .jsx .ts .mts .cts .tsx .c .cc .cpp .php"

// contraries put the contrary of a piece of a line in its place, by the endings of files.
var contraries = []struct {
	endings       string
	what          *pattern.Pattern // its first group
	before, after string
}{
	{scripts, pattern.New(`\breturn ([^;{]+);\s*$`), "!(", ")"},
	{scripts + " .java .kt .cs .scala .dart", pattern.New(`\bif \((.+)\) \{\s*$`), "!(", ")"},
	{".go .rs", pattern.New(`\bif ([^{;=]+) \{\s*$`), "!(", ")"},
	{".py", pattern.New(`^\s*return ([^#{]+?)\s*$`), "not (", ")"},
}

// crude gives faults that a reader sees at once: the contrary of what a line returns or asks.
func crude(file, text string, s *style) (list []Edit) {
	if s == nil { // Go: its texts are written as those of scripts
		s = script
	}
	at, blanked := 0, s.code(text)
	for line := range strings.SplitAfterSeq(blanked, "\n") {
		for _, c := range contraries {
			if !slices.Contains(strings.Fields(c.endings), path.Ext(file)) {
				continue
			}
			for _, m := range c.what.FindAllStringSubmatchIndex(line, 1) {
				old := text[at+m[2] : at+m[3]]
				if !balanced(line[m[2]:m[3]]) || strings.Contains(old, s.line) {
					continue
				}
				list = append(list, Edit{From: at + m[2], To: at + m[3], New: c.before + old + c.after, Operator: "contrary"})
			}
		}
		at += len(line)
	}
	return list
}
