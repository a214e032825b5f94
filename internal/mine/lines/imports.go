package lines

import (
	"go/parser"
	"go/token"
	"strconv"

	"cookoff/internal/pattern"
)

// imported is what code takes in from elsewhere by a text; what begins with a dot is the project's own.
var imported = pattern.New(`\b(?:from|import|require)\b\s*\(?\s*['"]([^.'"/][^'"\n]*)['"]`)

// Imported gives the texts in a whole file of code that name what it takes in from elsewhere: packages of Go, modules
// of JavaScript, libraries of Ruby. Who else needs one takes it in unasked.
func Imported(language, text string) map[string]bool {
	out := map[string]bool{}
	if language == "go" {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		for _, i := range file.Imports {
			if name, err := strconv.Unquote(i.Path.Value); err == nil {
				out[name] = true
			}
		}
		return out
	}
	for _, m := range imported.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}
