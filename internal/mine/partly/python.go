package partly

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	fromImport = pattern.New(`(?m)^([ \t]*)from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n(#\\]+(?:\\\n[^\n(#\\]+)*)`)
	remark     = pattern.New(`#[^\n]*`)
	undefined  = pattern.New(`NameError: name '(\w+)' is not defined`)
)

// Python gives files of tests of Python's, by path, which import none of these names, nor anything from a module that
// one of them is. Lines keep their numbers. Files that stay as they are are not in it.
func Python(files map[string]string, names []string) map[string]string {
	out := map[string]string{}
	for p, text := range files {
		now := fromImport.ReplaceAllStringFunc(text, func(statement string) string {
			m := fromImport.FindStringSubmatch(statement)
			return importing(m[1], m[2], m[3], statement, names)
		})
		if now != text {
			out[p] = now
		}
	}
	return out
}

// importing is a statement that imports a list of a module, behind an indent, without names.
func importing(indent, module, list, statement string, names []string) string {
	var kept []string
	all := strings.Split(strings.NewReplacer("(", "", ")", "", "\\", "").Replace(remark.ReplaceAllString(list, "")), ",")
	left := false
	for _, n := range all {
		n = strings.Join(strings.Fields(n), " ")
		name, _, _ := strings.Cut(n, " as ")
		if slices.Contains(names, name) {
			left = true
		} else if n != "" {
			kept = append(kept, n)
		}
	}
	gone := slices.Contains(names, module[strings.LastIndex(module, ".")+1:])
	if !left && !gone {
		return statement
	}
	now := "pass"
	if len(kept) > 0 && !gone {
		now = "from " + module + " import " + strings.Join(kept, ", ")
	}
	return indent + now + strings.Repeat("\n", strings.Count(statement, "\n"))
}

// Undefined reports whether what a test of Python's prints is that a name is not there which was not imported.
func Undefined(output string) bool { return undefined.MatchString(output) }
