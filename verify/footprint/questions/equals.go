package questions

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/alike"
)

var (
	// ofEquals begins how a type of Python says what it equals or holds.
	ofEquals = pattern.New(`^\s*(?:async )?def __(?:eq|ne|contains|lt|le|gt|ge)__\(\s*(\w+)\s*,[^)\n]*\)[^:\n]*:(.*)$`)
	// ownType is a question for a type of the project's own, of which each equals each.
	ownType = pattern.New(`isinstance\([^()\n]*,\s*\(?\s*(\w+\.)*[A-Z]\w*|\btype\([^)\n]*\)\s+is\s+[A-Z]|__class__`)
	// equalsAll are how types of other languages say that they equal anything, or anything of a
	// type that tests compare with. Only what jest calls knows asymmetricMatch.
	equalsAll = map[string]*pattern.Pattern{
		".js": pattern.New(`\basymmetricMatch\b|["']jest\.asymmetricMatcher["']`),
		".java": pattern.New(`\bequals\([^)\n]*\)[^{;\n]*(\{\s*return\s+|=\s*)(true\b|\w+ (instanceof|is) (Object|String|` +
			`CharSequence|Number|Integer|Long|Double|Boolean|List|Map|Set|Collection|Any|Int)\b)`),
		".rs": pattern.New(`\bfn eq\(\s*&self[^)\n]*\)\s*->\s*bool\s*\{\s*true\b|` +
			`\bmacro_rules!\s*(assert|assert_eq|assert_ne|panic)\b|\bas\s+(assert|assert_eq|assert_ne)\b`),
		".go": pattern.New(`\) Equal\([^)\n]*\) bool \{\s*return true\b`),
		".rb": pattern.New(`\bdef (==|eql\?|===)\(?\s*\w*\s*\)?\s*(=|;|\n)\s*true\b`),
		".c":  pattern.New(`\boperator\s*==\s*\([^)\n]*\)[^{;\n]*\{\s*return\s+(true|1)\b`),
	}
)

// equalsAnything reports whether new lines of a program make a type whose values equal what tests
// compare them with, whatever they are.
func equalsAnything(p, lines string) bool {
	if path.Ext(p) == ".py" {
		return equalsOthers(strings.Split(lines, "\n"))
	}
	own := onlookerOf(p)
	for ext, all := range equalsAll {
		if own != nil && own == onlookers[ext] {
			return all.MatchString(lines)
		}
	}
	return false
}

// equalsOthers reports whether a method of Python that compares does not look at its own value,
// nor asks for a type of the project.
func equalsOthers(lines []string) bool {
	for i, line := range lines {
		m := ofEquals.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		body := []string{m[2]}
		for _, next := range lines[i+1:] {
			if strings.TrimSpace(next) != "" && alike.Indent(next) <= alike.Indent(line) {
				break
			}
			body = append(body, next)
		}
		text := strings.TrimSpace(strings.Join(body, "\n"))
		if text != "" && !hasName(text, m[1]) && !hasName(text, "super") && !ownType.MatchString(text) &&
			!slices.Contains([]string{"pass", "...", "return NotImplemented", "return False"}, text) &&
			!strings.HasPrefix(text, "raise ") {
			return true
		}
	}
	return false
}
